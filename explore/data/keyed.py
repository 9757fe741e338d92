"""Files with one outcome a line, each of which a new outcome of the same thing replaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..errors import Refusal

__all__ = ["read_keyed", "update"]


def read_keyed(path: Path, key: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a JSONL file, which has none if it is not there.

    Raises
    ------
    ValueError
        If it does not hold objects with the columns of the key.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if all(isinstance(row, dict) and row.keys() >= set(key) for row in rows):
            return rows
    except FileNotFoundError:
        return []
    except ValueError:
        pass
    raise Refusal(f"{path} must hold lines of JSON with {', '.join(key)}; remove it, or name "
                  "another folder")


def update(path: Path, key: Sequence[str], rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write rows to a JSONL file in place of those with the same key, and return all of them.

    They are sorted by their keys.

    Raises
    ------
    ValueError
        As :func:`read_keyed` does.
    """
    def identity(row: dict[str, Any]) -> tuple[str, ...]:
        return tuple(json.dumps(row[name]) for name in key)

    new = list(rows)
    replaced = set(map(identity, new))
    kept = [row for row in read_keyed(path, key) if identity(row) not in replaced]
    found = sorted([*kept, *new], key=identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial:
        partial.write_text("".join(f"{json.dumps(row)}\n" for row in found), encoding="utf-8")
    return found
