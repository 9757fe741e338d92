"""Assigns multiplier blocks to sites along the rows of a device, in the order of the core.

nextpnr first minimises the length of wires, and then looks for a legal site for each block. As a
device has few rows of blocks, the nearest free site may be half the device away, which separates
neighbours of a systolic array. Processing elements are only connected to their neighbours, so their
numbers give a good order. nextpnr places all other cells around them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..fingerprint import own_fingerprint

__all__ = ["locate", "specify", "spread"]

#: Largest distance between two consecutive blocks, in sites. Larger ones would make wires long.
_STEP = 2


def specify(sites: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the entries for :func:`locate` in a specification; none if there are no sites."""
    return {"sites": sites, "floorplan": own_fingerprint(__name__)} if sites else {}


def locate(netlist: Path, sites: Mapping[str, Sequence[str]]) -> None:
    """Assign a site to each cell of some types in the file of a netlist, which is JSON of yosys.

    ``sites`` lead from the type of a cell to nextpnr's names of the sites on a device, in order.
    Cells are sorted by name; numbers in names are sorted by value, so that ``element_2`` is before
    ``element_10``. If there are more cells of a type than sites, none of them gets a site, and the
    placer reports that they do not fit.
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
    """Return ``count`` places, evenly spaced around the middle; none if there are too few."""
    if not 0 < count <= len(places):
        return []
    step = min(len(places) / count, _STEP)
    first = (len(places) - count * step) / 2
    return [places[int(first + (index + 0.5) * step)] for index in range(count)]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part)
            for part in re.split(r"(\d+)", name)]
