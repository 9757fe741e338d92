"""Seals of rows, which show whether a row is as this program wrote it.

A seal is a hash over the rest of the row. It is no signature: it shows that a figure was changed or
lost by accident, but not that somebody made a new seal.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .columns import COLUMNS, Type

__all__ = ["is_sealed", "seal", "sealed"]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def seal(row: Mapping[str, Any]) -> str:
    """Return the seal of a row: the SHA-256, in hexadecimal, over what was measured, and of what.

    Columns that tell when, where and how fast it was measured do not count, so that the same
    measurement has the same seal wherever it is made. Columns that are null, empty texts and empty
    mappings do not count either, nor does it count whether a quantity is written as ``2`` or
    ``2.0``. The seal is the same whatever the order of the columns, and after a file was written
    and read.

    Raises
    ------
    ValueError, TypeError
        If the row holds what JSON cannot say.
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
    try:
        return isinstance(row.get("seal"), str) and row["seal"] == seal(row)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False
