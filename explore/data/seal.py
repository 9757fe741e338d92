"""Seals of rows: whether a row is as this program wrote it.

A seal is a hash over the rest of the row. It is no signature: it shows a figure that was
typed in or lost on the way, not one that somebody sealed anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .columns import Column, Type, known_columns

__all__ = ["is_sealed", "seal", "sealed"]


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
    known = known_columns()
    kept = {name: _plain(value, known.get(name)) for name, value in row.items()
            if value is not None and value != "" and value != {}
            and not (name in known and known[name].incidental)}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
