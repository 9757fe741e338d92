"""Files of rows: JSON lines, CSV, and the document of ``sweep --json``.

Whatever a file holds, reading it gives rows whose known columns have the right type and a sensible
value, or one line that says what is wrong and where.
"""

from __future__ import annotations

import csv
import functools
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..table import as_text, from_text
from .column import Column, Type, shown
from .columns import known_columns
from .rowcheck import FORMS, checked, checked_all

__all__ = ["PART", "ResultsError", "read", "read_parts", "save"]

_LONGEST_CELL = 131_072
#: Rows that are looked at together.
PART = 1000


_Entry = tuple[str, Callable[[], Any]]


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
    kept. Rows may have dictionaries in common: replace these rather than change them.

    Raises
    ------
    ResultsError
        For the first thing that is wrong: the file, the line, the column, the rule and the value.
    """
    return list(itertools.chain.from_iterable(read_parts(path)))


def read_parts(path: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows that :func:`read` returns, some at a time: very many need much memory."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} must be {FORMS} in UTF-8, but byte {error.start + 1} is not; "
                           "save it as UTF-8") from None
    if not text or text.isspace():
        return
    if path.suffix.lower() == ".csv":
        entries = _from_csv(text)
    elif re.match(r'\s*\{\s*"schema"', text):
        entries = _from_document(text)
    else:
        entries = _from_lines(text)
    where = "line 1"
    try:
        for part in _parts(entries):
            try:
                rows = checked_all([entry() for _, entry in part])
            except ValueError:
                # One by one, to say what is wrong with which.
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
    """Yield entries some at a time; those before an error come before it."""
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
                         f"{error.pos + 1}; a file must be {FORMS}") from None
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


#: How mappings begin that many rows have in common, as :func:`save` writes them.
_COMMON = tuple(f'"{name}": {{' for name in ("params", "options", "versions", "arguments"))


class _Lines:
    """Reads lines of JSON; a mapping that many have in common is read once, and stands in all."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._values: Iterator[Any] = iter(())
        self._decode = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer,
                                        parse_constant=self._value).decode

    def _value(self, constant: str) -> Any:
        return next(self._values) if constant == "NaN" else float(constant)

    def read(self, line: str) -> Any:
        """Return what a line stands for.

        Raises
        ------
        ValueError
            With one line that says what is wrong.
        """
        if "NaN" in line:
            return _parsed(line)
        # Each such mapping gives its place to a NaN, which stands for the next one of them.
        places = []
        for head in _COMMON:
            begin = line.find(head)
            # A quote within a text has a backslash in front.
            if begin > 0 and line[begin - 1] in "{, ":
                places.append((begin + len(head) - 1, line.find("}", begin) + 1))
        places.sort()
        parts, values, done = [], [], 0
        try:
            for begin, end in places:
                values.append(self._common(line[begin:end]))
                parts += (line[done:begin], "NaN")
                done = end
            self._values = iter(values)
            return self._decode("".join([*parts, line[done:]]))
        except (ValueError, RecursionError):
            return _parsed(line)

    def _common(self, text: str) -> Any:
        if text not in self._known:
            self._known[text] = _parsed(text)
        return self._known[text]


def _from_lines(text: str) -> Iterator[_Entry]:
    lines = _Lines()
    number = begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        line = text[begin:] if end < 0 else text[begin:end]
        number, begin = number + 1, begin + len(line) + 1
        if line and not line.isspace():
            yield f"line {number}", functools.partial(lines.read, line)


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
