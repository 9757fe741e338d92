"""Rows: what is right of one, the seal that it carries, and the files and stores that hold them.

A row is a dictionary with a value for each of :data:`explore.data.columns.COLUMNS`. Its seal is a
hash over the rest of it. It is no signature: it shows that a figure was changed or lost by
accident, but not that somebody made a new seal.
"""

from __future__ import annotations

import codecs
import functools
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..atomic import atomic_write
from ..devices import targets
from ..errors import Refusal
from ..points.point import completed
from .columns import COLUMNS, Type

if TYPE_CHECKING:
    from ..store import Store

__all__ = ["DATASET", "PROGRAM", "ResultsError", "checked", "is_sealed", "modern", "read",
           "read_each", "read_keyed", "rows_path", "save", "seal", "sealed", "stored_rows",
           "update", "verified"]


#: The rows that come with the package, in the folder ``results`` beside it: the grid of the
#: committed comparison; and what commands call them.
DATASET, PROGRAM = Path(__file__).parents[2] / "results" / "rows.jsonl", "program"


class ResultsError(ValueError):
    """A file that holds no measurements; the message is one line."""


def rows_path(name: str) -> Path:
    """Return the path of rows, of which those that come with the program have a name."""
    return DATASET if name == PROGRAM else Path(name)


# What is right

@functools.cache
def _structure(choices: tuple[tuple[str, ...], ...]) -> type[msgspec.Struct]:
    """Return the structure of a row: a field for each column, which is null if there is none."""
    return msgspec.defstruct("Row", [
        (column.name, column.annotation, *(() if column.required else (None,)))
        for column in COLUMNS], kw_only=True)


def checked(row: Any) -> dict[str, Any]:
    """Return a row with all columns, of the right types and ranges, and unknown ones behind them.

    :exc:`ValueError` says in one line what is wrong with it.
    """
    from montgomery import KINDS

    # What a column may be can change while a program runs: the kinds of cores.
    choices = tuple(tuple(column.choices()) for column in COLUMNS if column.choices)
    found = msgspec.structs.asdict(msgspec.convert(row, _structure(choices)))
    for column in COLUMNS:
        if column.type == Type.MAPPING and found[column.name] is None:
            found[column.name] = {}
    if not found["width"] and KINDS[found["kind"]].formula:
        raise ValueError("width must be 1 or more, except of a design, not 0")
    return found | {name: value for name, value in row.items() if name not in found}


def modern(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return checked rows as they would be made today.

    A parameter or option that did not exist yet gets its default.
    """
    return [_completed(row) if row["target"] in targets() else row for row in rows]


def _completed(row: dict[str, Any]) -> dict[str, Any]:
    params, options = completed(row)
    has_all = params == row["params"] and options == row["options"]
    return row if has_all else row | {"params": params, "options": options}


def verified(constant_time: Any, status: str) -> str:
    """Return the column ``verified`` of a row with these columns, which it may lack."""
    compared = isinstance(constant_time, bool) or status == "on_board"
    return "yes" if compared else "no"


# Seals

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def seal(row: Mapping[str, Any]) -> str:
    """Return the seal of a row: the SHA-256, in hexadecimal, over what was measured, and of what.

    Columns that tell when, where and how fast do not count, so that the same measurement has the
    same seal wherever it is made; nor do null, empty texts and empty mappings, the order of the
    columns, or whether a quantity is written as ``2`` or ``2.0``.
    """
    incidental, quantities = _special()
    # A zero and a list without entries count.
    counted = {name: value for name, value in row.items()
               if (value or value == 0 or value == []) and name not in incidental}
    counted |= {name: float(counted[name]) for name in quantities
                if type(counted.get(name)) is int}
    return hashlib.sha256(_encode(counted).encode("ascii")).hexdigest()


@functools.cache
def _special() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the columns that do not count, and of those whose values are floats."""
    return (frozenset(column.name for column in COLUMNS if column.incidental),
            frozenset(column.name for column in COLUMNS if column.type == Type.NUMBER))


def sealed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its seal."""
    return {**row, "seal": seal(row)}


def is_sealed(row: Mapping[str, Any]) -> bool:
    """Return whether the row carries the seal of what it holds."""
    return row.get("seal") == seal(row)


# Files and stores

def save(rows: Iterable[Mapping[str, Any]], path: str | os.PathLike) -> None:
    """Write rows to a file that :func:`read` reads, as JSON lines."""
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the checked rows of a file that :func:`save` or ``sweep --json`` wrote.

    :exc:`ResultsError` has the file, the line, the rule and the column of the first fault.
    """
    return [row for row, _ in read_each(path)]


def read_each(path: Path) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the rows that :func:`read` returns, and whether each carries its seal."""
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    is_document = re.match(rb'\s*\{\s*"schema"', data)
    place = "line 1"
    try:
        for number, line in enumerate(_of_document(data) if is_document else io.BytesIO(data), 1):
            place = f"{'row' if is_document else 'line'} {number}"
            if is_document or not line.isspace():
                row = checked(line if is_document else msgspec.json.decode(line))
                yield row, is_sealed(row)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}, {place}: {error}; a file of rows must be JSON lines, or the "
                           "JSON document of 'sweep --json', in UTF-8") from None


class _Document(msgspec.Struct):
    """The document of ``sweep --json``."""

    schema: int
    rows: list[Any]


def _of_document(data: bytes) -> list[Any]:
    document = msgspec.json.decode(data, type=_Document)
    if document.schema != 1:
        raise ValueError(f"schema must be 1, not {document.schema}")
    return document.rows


def stored_rows(store: Store) -> list[dict[str, Any]]:
    """Return the checked rows of an open store."""
    try:
        return list(map(checked, store.rows().values()))
    except ValueError as error:
        raise ResultsError(f"A row of the store {store.path} is none of this program ({error}); "
                           "name another store with --store") from None


def read_keyed(path: Path, key: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a JSONL file, which has none if it is not there.

    It is refused unless it holds objects with the columns of the key.
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

    They are sorted by their keys. The file is refused as :func:`read_keyed` does.
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
