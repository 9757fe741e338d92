"""Seals of rows, which show whether a row is as this program wrote it.

A seal is a hash over the rest of the row. It is no signature: it shows that a figure was changed or
lost by accident, but not that somebody made a new seal.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .columns import Column, Type, known_columns, transposed
from .part import Part

__all__ = ["count_unsealed", "count_unsealed_of", "is_sealed", "seal", "sealed", "seals"]

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_quoted = json.encoder.encode_basestring_ascii


def seal(row: Mapping[str, Any]) -> str:
    """Return the seal of a row: the SHA-256, in hexadecimal, over what was measured, and of what.

    Columns that tell when, where and how fast it was measured do not count, so that the same
    measurement has the same seal wherever it is made. Columns that are null, empty texts and empty
    mappings do not count either, nor does it count whether a whole number is written as ``2`` or
    ``2.0``. The seal is the same whatever the order of the columns, and after a file was written
    and read.

    Raises
    ------
    ValueError, TypeError
        If the row holds what JSON cannot say.
    """
    return seals([row])[0]


def seals(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the seal of each row, as :func:`seal` does; of many together it takes less time.

    Raises
    ------
    ValueError, TypeError
        If one holds what JSON cannot say.
    """
    return _seals(transposed(rows), len(rows))


def _seals(columns: Mapping[str, Sequence[Any]], count: int) -> list[str]:
    known = known_columns()
    found = [_entries(name, known.get(name), values) for name, values
               in sorted(columns.items())
               if not (name in known and known[name].incidental)]
    return [hashlib.sha256(f"{{{','.join(filter(None, entries))}}}".encode("ascii")).hexdigest()
            for entries in (zip(*found, strict=True) if found else [()] * count)]


def _entries(name: str, column: Column | None, values: Sequence[Any]) -> list[str]:
    """Return the entry of a column in the JSON object of each row; empty if it does not count."""
    head = f"{_quoted(name)}:"
    types = set(map(type, values)) - {type(None)}
    if types <= {str}:
        return [head + _quoted(value) if value else "" for value in values]
    if types == {int} and column is not None and column.type == Type.INTEGER:
        return ["" if value is None else f"{head}{value}" for value in values]
    if types == {float} and column is not None and column.type == Type.NUMBER and all(
            value is None or math.isfinite(value) for value in values):
        return ["" if value is None else head + repr(value) for value in values]
    # Many rows share one mapping.
    texts: dict[int, str] = {}
    for value in values:
        if id(value) not in texts:
            counts = value is not None and value != "" and value != {}
            texts[id(value)] = head + _JSON.encode(_plain(value, column)) if counts else ""
    return [texts[id(value)] for value in values]


def _plain(value: Any, column: Column | None) -> Any:
    if column is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and column.type == Type.NUMBER:
        return float(value)
    if isinstance(value, float) and column.type == Type.INTEGER and value.is_integer():
        return int(value)
    return value


def sealed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its seal."""
    return {**row, "seal": seal(row)}


def is_sealed(row: Mapping[str, Any]) -> bool:
    """Return whether the row carries the seal of what it holds."""
    try:
        return isinstance(row.get("seal"), str) and row["seal"] == seal(row)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False


def count_unsealed(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return how many of ``rows`` are not as :func:`is_sealed` has them."""
    return count_unsealed_of(Part.of(rows))


def count_unsealed_of(part: Part) -> int:
    """Return how many rows of a part are not as :func:`is_sealed` has them."""
    columns = part.filled()
    try:
        found = _seals(columns, part.count)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return sum(not is_sealed(row) for row in part.rows())
    there = columns.get("seal", [None] * part.count)
    return sum(seal != given for seal, given in zip(found, there, strict=True))
