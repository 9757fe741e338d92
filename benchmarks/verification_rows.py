"""The outcomes of ``verification.py`` in a folder, and the table of them."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["CHECKS", "Rows", "key_of", "line"]

#: Names of the checks, in the order of the table.
CHECKS = ("exhaustive", "full", "mutants", "speed")


def key_of(row: dict) -> tuple[str, ...]:
    """Return what tells a row, or the check that it comes from, from others."""
    return row["core"], row["check"], json.dumps(row["params"])


class Rows:
    """The outcomes in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "verification.jsonl"
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        self._rows = {key_of(row): row for row in map(json.loads, lines)}

    def of(self, key: dict) -> dict | None:
        """Return the last outcome of a check, of today's sources or of older ones, or None."""
        return self._rows.get(key_of(key))

    def stands(self, key: dict, recipe: str) -> bool:
        """Return whether a check passed, of the sources with that recipe."""
        row = self.of(key)
        return row is not None and row["ok"] and row["recipe"] == recipe

    def keep(self, known: set[tuple[str, ...]]) -> None:
        """Forget the rows of checks that there are no more."""
        self._rows = {key: row for key, row in self._rows.items() if key in known}

    def add(self, row: dict) -> None:
        """Write a row, in place of the one before of the same check."""
        self._rows[key_of(row)] = row
        self._write()

    def _write(self) -> None:
        rows = sorted(self._rows.values(), key=lambda row: (
            row["core"], CHECKS.index(row["check"]), json.dumps(row["params"])))
        self._path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        table = ["| core | parameters | check | outcome |", "|---|---|---|---|", *map(line, rows)]
        missed = [f"- {row['core']}, {_shape(row)}: {mutant}" for row in rows
                  for mutant in row.get("survivors", {}).get("missed", ())]
        table += ["", "Mutants that the verification of a sweep does not find, and a longer one "
                  "does:", "", *missed] if missed else []
        self._path.with_suffix(".md").write_text("\n".join(table) + "\n")


def _shape(row: dict) -> str:
    return " ".join(f"{key}={value}" for key, value in row["params"].items())


def line(row: dict) -> str:
    """Return a row as a line of the table."""
    what = {
        "exhaustive": lambda: f"{row['vectors']:,} multiplications in {row['seconds']} s",
        "full": lambda: f"{row['vectors']:,} operations, {row['clocks']:,} clocks",
        "mutants": lambda: (f"{row['score']:.1%}: {row['killed']} of {row['mutants']} killed, "
                            f"{row['missed']} missed, {row['equivalent']} proved equivalent, "
                            f"{row['undetected']} undetected"),
        "speed": lambda: _speeds(row),
    }[row["check"]] if row["ok"] else lambda: row.get("message", "fails")
    return f"| {row['core']} | {_shape(row)} | {row['check']} | {what()} |"


def _speeds(row: dict) -> str:
    texts = []
    for engine, clocks in row["clocks_per_second"].items():
        text = f"{clocks:,} clocks per second in {engine}"
        if engine in row["seconds_from_nothing"]:
            text += f", built in {row['seconds_from_nothing'][engine]} s"
        if engine in row["seconds_with_runtime"]:
            text += f" ({row['seconds_with_runtime'][engine]} s with the runtime)"
        texts.append(text)
    return "; ".join(texts)
