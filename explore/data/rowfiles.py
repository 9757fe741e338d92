"""Reads and writes files of rows: JSON lines, CSV, and the document of ``sweep --json``.

A row that was read has values of the right type and range in all known columns. For any other file,
reading raises an error with a message of one line, which names the place and the fault.
"""

from __future__ import annotations

import codecs
import csv
import functools
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..table import as_text, from_text
from .column import Column, Type, shown
from .columns import known_columns
from .jsonlines import HOOKS, Lines, parsed
from .part import Part
from .rowcheck import FORMS, checked, checked_all, checked_part

__all__ = ["PART", "ResultsError", "read", "read_parts", "save"]

_LONGEST_CELL = 131_072
#: Number of rows that are checked together.
PART = 500

#: The place of a row in a file, as a text, and a function that returns the row.
_Entry = tuple[str, Callable[[], Any]]


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

    A required column that a row lacks gets its default. Unknown columns are kept. Several rows may
    share one dictionary of parameters or options, so the caller must not change it.

    Raises
    ------
    ResultsError
        For the first fault. The message has the file, the line, the column, the rule and the value.
    """
    return [row for rows in _checked(path)
            for row in (rows.rows() if isinstance(rows, Part) else rows)]


def read_parts(path: Path) -> Iterator[Part]:
    """Yield the rows that :func:`read` returns, in parts of at most :data:`PART` rows."""
    for rows in _checked(path):
        yield rows if isinstance(rows, Part) else Part.of(rows)


def _checked(path: Path) -> Iterator[Part | list[dict[str, Any]]]:
    """Yield the rows of a file in parts."""
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        blank = not data or (data if data.isascii() else data.decode()).isspace()
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} must be {FORMS} in UTF-8, but byte {error.start + 1} is not; "
                           "save it as UTF-8") from None
    if blank:
        return
    if path.suffix.lower() == ".csv":
        yield from _from_entries(path, _from_csv(data.decode()))
    elif re.match(rb'\s*\{\s*"schema"', data):
        yield from _from_entries(path, _from_document(data.decode()))
    else:
        yield from _from_lines(path, data)


def _from_entries(path: Path, entries: Iterator[_Entry]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of the entries of a file in parts."""
    where = "line 1"
    try:
        for part in _parts(entries):
            try:
                rows = checked_all([entry() for _, entry in part])
            except ValueError:
                # Check them one by one, to name the wrong row and its fault.
                rows = []
                for place, entry in part:
                    where = place
                    rows.append(checked(entry()))
            where = part[-1][0]
            yield rows
    except csv.Error as error:
        raise ResultsError(f"{path}, at or after {where}: CSV must have lines of cells with fewer "
                           f"than {_LONGEST_CELL:,} characters, but {error}; save it as JSON "
                           "lines") from None
    except ValueError as error:
        raise ResultsError(f"{path}, {where}: {error}") from None


def _parts(entries: Iterator[_Entry]) -> Iterator[list[_Entry]]:
    """Yield entries in parts; raise an error of ``entries`` after the entries before it."""
    part: list[_Entry] = []
    try:
        for entry in entries:
            part.append(entry)
            if len(part) == PART:
                yield part
                part = []
    except (csv.Error, ValueError):
        if part:
            yield part
        raise
    if part:
        yield part


def _from_lines(path: Path, data: bytes) -> Iterator[Part | list[dict[str, Any]]]:
    """Yield the rows of lines of JSON; lines that :func:`save` wrote come column by column."""
    lines = Lines()
    numbered = ((number, line) for number, line in enumerate(io.BytesIO(data), 1)
                if not line.isspace())
    while part := list(itertools.islice(numbered, PART)):
        try:
            rows = lines.read([line for _, line in part])
            found = checked_part(rows) if isinstance(rows, Part) else checked_all(rows)
        except (ValueError, RecursionError):
            yield from _from_entries(path, _each_line(part))
        else:
            yield found


def _each_line(numbered: Iterable[tuple[int, bytes]]) -> Iterator[_Entry]:
    for number, line in numbered:
        text = line.decode().removesuffix("\n")
        if not text.isspace():
            yield f"line {number}", functools.partial(parsed, text)


def _from_document(text: str) -> Iterator[_Entry]:
    document = parsed(text)
    if document.get("schema") != 1:
        raise ValueError(f"schema must be 1, not {shown(document.get('schema'))}")
    if not isinstance(document.get("rows"), list):
        raise ValueError(f"rows must be a list, not {shown(document.get('rows'))}")
    for number, row in enumerate(document["rows"], 1):
        yield f"row {number}", lambda row=row: row


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
            yield f"line {reader.line_num}", lambda cells=cells: row(cells)


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
        return json.loads(cell, **HOOKS)
    except (ValueError, RecursionError):
        return cell
