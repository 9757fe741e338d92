"""The critical path of a placed design, cell by cell, with the source lines of its signals."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from .harness import CORE
from .origins import Origin, Origins

__all__ = ["Hop", "hops"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hop:
    """A cell on the path, or the cells of a carry chain.

    Attributes
    ----------
    cell : str
        Name of the (first) cell in the netlist.
    cells : int
        Number of cells; above 1 for a carry chain.
    routing_ns : float
        Delay of the connection that leads to it; 0 for the register where the path begins.
    logic_ns : float
        Delay through it; at the end of the path the set-up time.
    net : str
        Name of the net that leads to it.
    origin : Origin or None
        The signal after which yosys named the cell or the net, which is one of those around it;
        None for what is not of the core, or has no such name.
    """

    cell: str
    cells: int
    routing_ns: float
    logic_ns: float
    net: str
    origin: Origin | None

    @property
    def in_core(self) -> bool:
        """Whether the cell is of the core, and not of the chain around it."""
        return self.cell.removeprefix("$flatten\\").startswith(f"{CORE}.")


def hops(report: Mapping[str, Any], origins: Origins, *, carries: Collection[str] = ()
         ) -> list[Hop]:
    """Return the longest path of the slowest clock, from register to register.

    Parameters
    ----------
    report : dict
        The report of nextpnr.
    carries : collection of str
        Output ports of a carry chain that lead to its next cell.

    Returns
    -------
    list of Hop
        Empty if the report has no such path.

    Raises
    ------
    ValueError, LookupError, TypeError
        If it is no report of nextpnr.
    """
    clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
    slowest = min(clocks, key=clocks.__getitem__, default=None)
    steps = next((path["path"] for path in report["critical_paths"] if slowest is not None
                  and slowest in path["from"] and slowest in path["to"]), [])
    found: list[dict[str, Any]] = []
    for step in steps:
        delay = float(step["delay"])
        if step["type"] != "routing":
            if not found:
                found.append(_begin(step["from"]["cell"], 0.0, ""))
            found[-1]["logic_ns"] += delay
        elif found and step["from"]["port"] in carries:
            # The next cell of the chain; between columns of the device there is some routing.
            found[-1]["cells"] += 1
            found[-1]["routing_ns"] += delay
        else:
            if not found:
                found.append(_begin(step["from"]["cell"], 0.0, ""))
            found.append(_begin(step["to"]["cell"], delay, step.get("net", "")))
    return [Hop(**each, origin=_origin(origins, each["cell"], each["net"])) for each in found]


def _origin(origins: Origins, cell: str, net: str) -> Origin | None:
    """Return the origin of a cell, or that of the net if it says more."""
    own = origins.of(cell)
    other = None if own and own.computed else origins.of(net)
    return other if other and other.computed else own or other


def _begin(cell: str, routing_ns: float, net: str) -> dict[str, Any]:
    return {"cell": cell, "cells": 1, "routing_ns": routing_ns, "logic_ns": 0.0, "net": net}
