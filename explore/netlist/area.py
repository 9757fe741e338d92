"""Computes the area of a core from yosys's report of its cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec

from ..outcome import StageFailed
from .harness import CORE

__all__ = ["area_of", "read_area"]

class _Design(msgspec.Struct):
    num_cells_by_type: dict[str, Annotated[int, msgspec.Meta(gt=0)]]


class _Report(msgspec.Struct):
    """What counts of a report of yosys's ``stat -json``."""

    design: _Design


def _cells_by_type(report: bytes) -> Counter[str]:
    try:
        return Counter(msgspec.json.decode(report, type=_Report).design.num_cells_by_type)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StageFailed(f"yosys wrote rubbish in place of a report ({error})") from None


def area_of(cells: Mapping[str, int], weights: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the columns ``lut``, ``ff``, ``dsp`` and ``bram`` for numbers of cells by type.

    ``weights`` lead from the type of a cell to its area in each column: ``{"CCU2C": {"lut": 2}}``.
    A type that ends in ``*`` stands for all types with this beginning. Cells of other types have no
    area.
    """
    columns = dict.fromkeys(("lut", "ff", "dsp", "bram"), 0)
    for cell, number in cells.items():
        for pattern, counts in weights.items():
            if cell == pattern or (pattern[-1] == "*" and cell.startswith(pattern[:-1])):
                for column, weight in counts.items():
                    columns[column] += weight * number
    return columns


def read_area(facts: Mapping[str, Any], file: Callable[[str], bytes], *,
              weights: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the columns of :func:`area_of` for a synthesised core.

    The files are ``core.json``, ``harness.json`` and ``netlist_stat.json``, yosys's reports of the
    core, the chain and both together. :exc:`StageFailed` is raised if one makes no sense, or if
    core and chain do not have the cells of both together.
    """
    core, harness, joined = (_cells_by_type(file(f"{name}.json"))
                             for name in ("core", "harness", "netlist_stat"))
    del harness[CORE]
    if core + harness != joined:
        raise StageFailed("yosys joined core and chain to other cells than they have: "
                          f"{dict(core)} and {dict(harness)}, but {dict(joined)}")
    return area_of(core, weights)
