"""Reads and writes files of rows: JSON lines, and the document of ``sweep --json``.

A row that was read has values of the right type and range in all known columns. For any other file,
reading raises an error with a message of one line, which names the place and the fault.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .column import shown
from .row import checked, from_json
from .seal import is_sealed

__all__ = ["ResultsError", "read", "read_each", "save"]


class ResultsError(ValueError):
    """A file that holds no measurements; the message is one line."""


def save(rows: Iterable[Mapping[str, Any]], path: str | os.PathLike) -> None:
    """Write rows to a file that :func:`read` reads, as JSON lines."""
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that :func:`save` or ``sweep --json`` wrote.

    A column that a row lacks is null, or has its default. Unknown columns are kept.

    Raises
    ------
    ResultsError
        For the first fault. The message has the file, the line, the column, the rule and the value.
    """
    return [row for row, _ in read_each(path)]


def read_each(path: Path) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the rows that :func:`read` returns, and whether each carries its seal."""
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    place = "line 1"
    try:
        if re.match(rb'\s*\{\s*"schema"', data):
            for number, row in enumerate(_of_document(from_json(data)), 1):
                place = f"row {number}"
                yield _found(row)
            return
        for number, line in enumerate(io.BytesIO(data), 1):
            place = f"line {number}"
            if not line.isspace():
                yield _found(from_json(line))
    except ValueError as error:
        raise ResultsError(f"{path}, {place}: {error}") from None


def _found(row: Any) -> tuple[dict[str, Any], bool]:
    row = checked(row)
    return row, is_sealed(row)


def _of_document(document: dict[str, Any]) -> list[Any]:
    if document.get("schema") != 1:
        raise ValueError(f"schema must be 1, not {shown(document.get('schema'))}")
    rows = document.get("rows")
    if not isinstance(rows, list):
        raise ValueError(f"rows must be a list, not {shown(rows)}")
    return rows
