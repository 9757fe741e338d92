"""The sites of a device that blocks of a core are given, and their order."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from montgomery.core import traits

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from .model import Target

__all__ = ["narrowed", "sites_for"]

_Rows = tuple[tuple[str, ...], ...]

#: Number of neighbours that share what controls their registers. A core gives them what they share
#: if their places begin at a multiple of it.
_GROUP = 4


def sites_for(device: Target, options: Mapping[str, int | str], params: CoreParameters
              ) -> dict[str, list[str]]:
    """Return the sites that cells of a core are given, by their type: along each row and back along
    the next one.
    """
    cell, *narrow = device.option_args(options, "sites") or [None]
    if cell is None:
        return {}
    rows, technology = device.sites[cell], device.technology_for(options)
    if narrow and technology.multiplier:
        rows = narrowed(rows, traits(params).blocks(technology))
    return {cell: list(itertools.chain.from_iterable(
        reversed(row) if index % 2 else row for index, row in enumerate(rows)))}


def narrowed(rows: _Rows, blocks: int) -> _Rows:
    """Return the middle of the last two rows, just as long as some blocks need.

    A device with one row has the middle of that. All rows are returned if these are too short.
    """
    chosen = rows[-2:]
    length = -(-blocks // len(chosen))
    if length > min(map(len, chosen)):
        return rows
    firsts = ((len(row) - length) // 2 // _GROUP * _GROUP for row in chosen)
    return tuple(row[first:first + length] for row, first in zip(chosen, firsts, strict=True))
