"""Computes the area of a core from yosys's report of its cells."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ..outcome import StageFailed
from .harness import CORE

__all__ = ["area_of", "cells_by_type", "read_area"]

#: More cells than any FPGA has.
_MOST_CELLS = 1 << 40


def cells_by_type(report: bytes) -> Counter[str]:
    """Return the number of cells of each type in a report of yosys's ``stat -json``.

    :exc:`StageFailed` is raised if it is no such report.
    """
    try:
        cells = json.loads(report)["design"]["num_cells_by_type"]
        found = Counter({str(cell): number for cell, number in cells.items()})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StageFailed(f"yosys wrote rubbish in place of a report ({error})") from None
    for cell, number in found.items():
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < _MOST_CELLS:
            raise StageFailed(f"yosys wrote rubbish in place of a report: {str(number)[:40]} cells "
                              f"of type {cell}")
    return found


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
    core, harness, joined = (cells_by_type(file(f"{name}.json"))
                             for name in ("core", "harness", "netlist_stat"))
    del harness[CORE]
    if core + harness != joined:
        raise StageFailed("yosys joined core and chain to other cells than they have: "
                          f"{dict(core)} and {dict(harness)}, but {dict(joined)}")
    return area_of(core, weights)
