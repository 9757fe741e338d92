"""Files of rows: JSON lines, CSV, and the document of ``sweep --json``.

Whatever a file holds, reading it gives rows whose known columns have the right type and a sensible
value, or one line that says what is wrong and where.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..devices import targets
from ..outcome import Status
from ..points.point import completed
from ..table import as_text, from_text
from .column import Column, Type, check_value, shown
from .columns import known_columns

__all__ = ["ResultsError", "checked", "modern", "read", "save"]

_LONGEST_CELL = 131_072
_FORMS = "CSV, JSON lines or a JSON document of measurements"


class ResultsError(ValueError):
    """A file that holds no measurements; the message is one line."""


class _Digits:
    """An integer in a file that has too many digits to be one here."""

    def __init__(self, text: str) -> None:
        self._count = len(text)

    def __repr__(self) -> str:
        return f"an integer of {self._count} digits"


def save(rows: Sequence[dict[str, Any]], path: str | os.PathLike) -> None:
    """Write rows to a file that :func:`read` reads: JSON lines, or CSV if so named."""
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

    Rows may lack columns; what they need is given its default. Columns that are not known here are
    kept.

    Raises
    ------
    ResultsError
        For the first thing that is wrong: the file, the line, the column, the rule and the value.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} must be {_FORMS} in UTF-8, but byte {error.start + 1} is not; "
                           "save it as UTF-8") from None
    if not text.strip():
        return []
    if path.suffix.lower() == ".csv":
        entries = _from_csv(text)
    elif re.match(r'\s*\{\s*"schema"', text):
        entries = _from_document(text)
    else:
        entries = ((f"line {number}", lambda line=line: _parsed(line))
                   for number, line in enumerate(text.split("\n"), 1) if line.strip())
    rows, where = [], "line 1"
    try:
        for place, entry in entries:
            where = place
            rows.append(checked(entry()))
    except csv.Error as error:
        raise ResultsError(f"{path}, at or after {where}: CSV must have lines of cells with fewer "
                           f"than {_LONGEST_CELL:,} characters, but {error}; save it as JSON "
                           "lines") from None
    except ValueError as error:
        raise ResultsError(f"{path}, {where}: {error}") from None
    return rows


_Entry = tuple[str, Callable[[], Any]]


def _parsed(text: str) -> Any:
    """Return what a line of JSON stands for.

    Raises
    ------
    ValueError
        With one line that says what is wrong.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise ValueError(f"a row must be a JSON object, but {error.msg} at character "
                         f"{error.pos + 1}; a file must be {_FORMS}") from None
    except RecursionError:
        raise ValueError("a row must be nested less deeply than this") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"each name must be given once, unlike {shown(twice)}")
    return found


def _integer(text: str) -> int | _Digits:
    return int(text) if len(text) < 100 else _Digits(text.removeprefix("-"))


def _from_document(text: str) -> Iterator[_Entry]:
    document = _parsed(text)
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
    """Return what a cell stands for whose column does not say."""
    if cell in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[cell]
    try:
        return json.loads(cell, object_pairs_hook=_unique, parse_int=_integer)
    except (ValueError, RecursionError):
        return cell


def checked(row: Any) -> dict[str, Any]:
    """Return a row whose columns were checked, with defaults for what a row must have.

    Raises
    ------
    ValueError
        If something is wrong with it; the message is one line.
    """
    if not isinstance(row, dict):
        raise ValueError(f"a row must be a JSON object, not {shown(row)}; a file must be {_FORMS}")
    known = known_columns()
    for name, value in row.items():
        if name in known:
            known[name].check(value)
        else:
            check_value(name, value)
    for name, column in known.items():
        if column.required and name not in row:
            column.check(None)
    defaults = {name: {} for name, column in known.items()
                if column.type == Type.MAPPING and row.get(name, {}) is None}
    found = {"params": {}, "options": {}, **row, **defaults}
    return found if found.get("kind") else {**found, "kind": "multiplier"}


def modern(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as it would be made today.

    An area on a device that nothing places was ``no_fmax`` once, and is ``area_only``. A parameter
    or option that there was not yet has its default.
    """
    if row["target"] in targets():
        params, options = completed(row)
        if len(params) > len(row["params"]) or len(options) > len(row["options"]):
            row = {**row, "params": params, "options": options}
    if (row["status"] == Status.NO_FMAX and row.get("fmax_mhz") is None
            and "nextpnr" not in (row.get("versions") or {})):
        return {**row, "status": str(Status.AREA_ONLY)}
    return row
