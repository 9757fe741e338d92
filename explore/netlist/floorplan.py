"""Places for multiplier blocks: along the rows of a device, in the order of the core.

A placer that begins with the cheapest wires and then looks for a legal place for each block tears
a systolic array apart: the blocks are in few rows, and the nearest ones that are free may be half
the device away. Its processing elements talk to their neighbours alone, so that a good order is
known beforehand, from their numbers. nextpnr places the rest around them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..fingerprint import own_fingerprint

__all__ = ["locate", "specify", "spread"]

#: Longest step from a block to the next one, in sites: with more room the wires get long.
_STEP = 2


def specify(sites: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what :func:`locate` adds to the specification of a stage: nothing without sites."""
    return {"sites": sites, "floorplan": own_fingerprint(__name__)} if sites else {}


def locate(netlist: Path, sites: Mapping[str, Sequence[str]]) -> None:
    """Give the cells of some types in a netlist of yosys, in JSON, a site each.

    Cells have the order of their names, in which numbers count as numbers: ``element_2`` is before
    ``element_10``. If there are more of them than sites they get none, and the placer will say that
    they do not fit.

    Parameters
    ----------
    sites : dict from str to sequence of str
        From a cell type to nextpnr's names of the sites on a device, in order.
    """
    design = json.loads(netlist.read_bytes())
    for module in design["modules"].values():
        cells = module.get("cells", {})
        for kind, places in sites.items():
            names = sorted((name for name, cell in cells.items() if cell["type"] == kind),
                           key=_natural)
            for name, place in zip(names, spread(places, len(names)), strict=False):
                cells[name].setdefault("attributes", {})["BEL"] = place
    netlist.write_text(json.dumps(design), encoding="utf-8")


def spread(places: Sequence[str], count: int) -> list[str]:
    """Return ``count`` of the places, evenly spaced around the middle one; none if they are few."""
    if not 0 < count <= len(places):
        return []
    step = min(len(places) / count, _STEP)
    first = (len(places) - count * step) / 2
    return [places[int(first + (index + 0.5) * step)] for index in range(count)]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part)
            for part in re.split(r"(\d+)", name)]
