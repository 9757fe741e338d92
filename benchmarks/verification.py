"""Verifies all architectures at length, and measures how fast and how sharp verification is.

    python benchmarks/verification.py [--output results] [-a ARCHITECTURE]... [-c CHECK]...

For each architecture, and each value of a parameter that lists its values:

* ``exhaustive``: all operands of all moduli of 8 bits;
* ``exponentiation``: a whole one of 512 bits;
* ``mutants``: 200 faults in a core whose words are all used, and how many verification finds;
* ``speed``: clocks a second at 1024 bits, compiled and in Amaranth's simulator, and the time to
  compile.

Two-dimensional arrays have 64 bits instead of 512 and 1024. What an architecture refuses is left
out and said. The numbers go to ``verification.jsonl`` and ``verification.md`` in the output folder,
where those of architectures and checks that are not asked for are kept. It takes about ten minutes
a core on two processors, and needs a C++ compiler.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import itertools
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from explore.pipeline.executors import default_jobs
from explore.pipeline.mutation import verify_mutants
from explore.pipeline.on_demand import Demand
from explore.simulation import (
    AmaranthEngine,
    CompiledEngine,
    random_vectors,
    simulate,
    verify_exponentiation,
)
from explore.simulation.exhaustive import verify_exhaustive
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from explore.tools.toolbox import Toolbox
from montgomery import Parameters, architectures

_CHECKS = ("exhaustive", "exponentiation", "mutants", "speed")
_MUTANTS, _VECTORS = 200, 24


def _variants(name: str) -> Iterator[dict]:
    cls = architectures()[name]
    lists = {field.name: field.metadata["choices"] for field in dataclasses.fields(cls)
             if field.metadata["choices"] is not None}
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _small(cls: type[Parameters], variant: dict) -> Parameters:
    """Return a core of few and narrow words."""
    for width, word_width in ((14, 4), (14, 8), (8, 8), (8, 16)):
        narrow = {field.name: 4 for field in dataclasses.fields(cls) if field.name == "pe_width"}
        try:
            return cls(width=width, word_width=word_width, **narrow, **variant)
        except ValueError:
            continue
    return cls(width=8, **variant)


class _Examination:
    """The checks of one variant of an architecture."""

    def __init__(self, name: str, variant: dict, store: Store, folder: Path, jobs: int) -> None:
        self._cls, self._variant = architectures()[name], variant
        self._store, self._folder, self._jobs = store, folder, jobs

    def _library(self, params: Parameters) -> Path:
        return Demand(self._store, params, self._folder).library(find_compiler())

    def _limited(self, width: int) -> int:
        """Return ``width``, or 64 if the core grows with its square."""
        words = any(field.name == "word_width" for field in dataclasses.fields(self._cls))
        return width if words else 64

    def exhaustive(self) -> dict:
        params = self._cls(width=8, **self._variant)
        library = self._library(params)
        begin = time.monotonic()
        report = verify_exhaustive(params, library=library, jobs=self._jobs)
        return _plain(report.to_json()) | {"seconds": round(time.monotonic() - begin)}

    def exponentiation(self) -> dict:
        params = self._cls(width=self._limited(512), **self._variant)
        engine = CompiledEngine(self._library(params))
        return _plain(verify_exponentiation(params, engine=engine).to_json())

    def mutants(self) -> dict:
        folder = self._folder / "mutants"
        folder.mkdir()
        return verify_mutants(_small(self._cls, self._variant), _MUTANTS, vectors=_VECTORS,
                              compiler=find_compiler(), folder=folder,
                              toolbox=Toolbox(self._store)).to_json()

    def speed(self) -> dict:
        params = self._cls(width=self._limited(1024), **self._variant)
        begin = time.monotonic()
        library = self._library(params)
        row = {"arch": params.name(), "width": params.width, "params": dataclasses.asdict(params),
               "ok": True, "seconds_compile": round(time.monotonic() - begin, 1)}
        # Long enough for each that other work on the machine takes its share of both.
        slow = simulate(params, random_vectors(params, 3, 0), engine=AmaranthEngine(params))
        fast = simulate(params, random_vectors(params, 3000, 0), engine=CompiledEngine(library))
        rates = [result.clocks / result.seconds for result in (slow, fast)]
        return row | {"clocks_a_second_amaranth": round(rates[0]),
                      "clocks_a_second": round(rates[1]), "ratio": round(rates[1] / rates[0])}


def _versions() -> dict[str, str]:
    compiler = find_compiler()
    return {"montgomery": importlib.metadata.version("montgomery"),
            "amaranth": importlib.metadata.version("amaranth"),
            "yosys": packaged("yosys").version, "compiler": compiler.version,
            "python": platform.python_version(), "processors": str(os.cpu_count())}


def _kept(path: Path, names: list[str], checks: list[str]) -> list[dict]:
    """Return the rows in a file that are of other architectures or checks."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines)
            if row["arch"] not in names or row["check"] not in checks]


def _plain(report: dict) -> dict:
    return {name: value for name, value in report.items() if value is not None}


def _line(row: dict) -> str:
    shape = " ".join(f"{key}={value}" for key, value in row["params"].items())
    what = {
        "exhaustive": lambda: f"{row['vectors']:,} multiplications in {row['seconds']} s",
        "exponentiation": lambda: f"{row['vectors']:,} multiplications, {row['clocks']:,} clocks",
        "mutants": lambda: (f"{row['score']:.1%}: {row['killed']} of {row['mutants']} killed, "
                            f"{row['missed']} missed, {row['equivalent']} proved equivalent, "
                            f"{row['undetected']} undetected"),
        "speed": lambda: (f"{row['clocks_a_second']:,} clocks a second, {row['ratio']} times "
                          f"Amaranth's simulator; compiled in {row['seconds_compile']} s"),
    }[row["check"]] if row["ok"] else lambda: row.get("message", "fails")
    return f"| {row['arch']} | {shape} | {row['check']} | {what()} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="architecture; all of them by default")
    parser.add_argument("-c", action="append", choices=_CHECKS, help="check; all by default")
    parser.add_argument("-j", type=int, default=default_jobs(), help="processes")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    names, checks = options.a or list(architectures()), options.c or list(_CHECKS)
    versions = _versions()
    path = options.output / "verification.jsonl"
    rows = _kept(path, names, checks)
    for name, check in itertools.product(names, checks):
        for variant in _variants(name):
            with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "store")) as store:
                examination = _Examination(name, variant, store, Path(folder), options.j)
                try:
                    row = getattr(examination, check)()
                except ValueError as error:
                    print(f"{name} {variant}: {error}", file=sys.stderr)
                    continue
                rows.append({"check": check, **row, "versions": versions})
                print(_line(rows[-1]), flush=True)
    rows.sort(key=lambda row: (row["arch"], _CHECKS.index(row["check"])))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = ["| core | parameters | check | outcome |", "|---|---|---|---|", *map(_line, rows)]
    path.with_suffix(".md").write_text("\n".join(table) + "\n")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
