"""Reads and writes files of rows: JSON lines, CSV, and the document of ``sweep --json``.

A row that was read has values of the right type and range in all known columns. For any other file,
reading raises an error with a message of one line, which names the place and the fault.
"""

from __future__ import annotations

import codecs
import csv
import functools
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..table import as_text, from_text
from .column import Column, Type, shown
from .columns import known_columns
from .row import FORMS, checked, from_json, sealed_line
from .seal import is_sealed

__all__ = ["ResultsError", "read", "read_each", "save"]

_LONGEST_CELL = 131_072
#: A row, and whether it carries its seal.
_Found = tuple[dict[str, Any], bool]
#: The place of a row in a file, as a text, and a function that returns the row.
_Entry = tuple[str, Callable[[], _Found]]


class ResultsError(ValueError):
    """A file that holds no measurements; the message is one line."""


def save(rows: Sequence[dict[str, Any]], path: str | os.PathLike) -> None:
    """Write rows to a file that :func:`read` reads: CSV if its name ends so, else JSON lines."""
    path = Path(path)
    text = (_to_csv(rows) if path.suffix.lower() == ".csv"
            else "".join(json.dumps(row) + "\n" for row in rows))
    path.write_bytes(text.encode())


def _to_csv(rows: Sequence[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    known = known_columns()

    def cell(name: str, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            plain = name in known or _guess(value) == value
            return quoted(as_text(value if plain else json.dumps(value)))
        return quoted(json.dumps(value) if isinstance(value, dict | list) else repr(value))

    def quoted(text: str) -> str:
        if any(letter in text for letter in ',"\r\n') or text != text.strip():
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [[quoted(as_text(name)) for name in names],
             *([cell(name, row.get(name)) for name in names] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines) if names else ""


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that :func:`save` or ``sweep --json`` wrote.

    A column that a row lacks is null, or has its default. Unknown columns are kept. Several rows
    may share one mapping, which the caller must not change.

    Raises
    ------
    ResultsError
        For the first fault. The message has the file, the line, the column, the rule and the value.
    """
    return [row for row, _ in read_each(path)]


def read_each(path: Path) -> Iterator[_Found]:
    """Yield the rows that :func:`read` returns, and whether each carries its seal."""
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} must be {FORMS} in UTF-8, but byte {error.start + 1} is not; "
                           "save it as UTF-8") from None
    if not data or data.isspace():
        return
    if path.suffix.lower() == ".csv":
        entries = _from_csv(data.decode())
    elif re.match(rb'\s*\{\s*"schema"', data):
        entries = _from_document(data.decode())
    else:
        entries = _from_lines(data)
    where = "line 1"
    try:
        for place, entry in entries:
            where = place
            yield entry()
    except csv.Error as error:
        raise ResultsError(f"{path}, at or after {where}: CSV must have lines of cells with fewer "
                           f"than {_LONGEST_CELL:,} characters, but {error}; save it as JSON "
                           "lines") from None
    except ValueError as error:
        raise ResultsError(f"{path}, {where}: {error}") from None


def _found(row: Any) -> _Found:
    row = checked(row)
    return row, is_sealed(row)


def _from_lines(data: bytes) -> Iterator[_Entry]:
    def found(line: bytes) -> _Found:
        row = sealed_line(line)
        return _found(from_json(line.decode())) if row is None else (row, True)

    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.isspace():
            yield f"line {number}", functools.partial(found, line)


def _from_document(text: str) -> Iterator[_Entry]:
    document = from_json(text)
    if document.get("schema") != 1:
        raise ValueError(f"schema must be 1, not {shown(document.get('schema'))}")
    if not isinstance(document.get("rows"), list):
        raise ValueError(f"rows must be a list, not {shown(document.get('rows'))}")
    for number, row in enumerate(document["rows"], 1):
        yield f"row {number}", functools.partial(_found, row)


def _from_csv(text: str) -> Iterator[_Entry]:
    reader = csv.reader(io.StringIO(text, newline=""))
    names = [from_text(name) for name in next(reader)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"each name must be given once, unlike {shown(name)}")
    if "seed" not in names and {"arch", "width"} <= set(names):
        raise ValueError("a row must be of one seed, but this is a table of medians; give the "
                         "rows.jsonl that it was made from")
    known = known_columns()
    for name, column in known.items():
        if column.required and name not in names:
            raise ValueError(f"the first line must name the columns, with {name} among them")

    def row(cells: list[str]) -> dict[str, Any]:
        if len(cells) != len(names):
            raise ValueError(f"a line must have {len(names)} cells, as the first one has, not "
                             f"{len(cells)}")
        return {name: _typed(cell, known.get(name))
                for name, cell in zip(names, cells, strict=True)}

    for cells in reader:
        if cells:
            yield f"line {reader.line_num}", lambda cells=cells: _found(row(cells))


def _typed(cell: str, column: Column | None) -> Any:
    if cell == "":
        return None
    if column is not None and column.type == Type.TEXT:
        return from_text(cell)
    return _guess(from_text(cell))


def _guess(cell: str) -> Any:
    """Return the value of a cell of a column whose type is unknown."""
    if cell in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[cell]
    try:
        return from_json(cell)
    except ValueError:
        return cell
