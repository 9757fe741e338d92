"""The critical path of a placed design, in a line, from what nextpnr reports of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .harness import CORE

__all__ = ["critical_path"]

# What yosys appends to the name of a signal to name the cells around it.
_SUFFIX = re.compile(
    r"_(SB_|TRELLIS_|LUT\d_|CCU2C?_|PFUMX_|L6MUX21_|FD1P3.X_|DFF[A-Z]*_|ALU_|MUX2_).*|\.?\$.*")
#: Ports by which a carry chain goes on, and ends in a sum.
_CARRIES = ("FCO", "COUT")


def critical_path(paths: Iterable[Mapping[str, Any]], clock: str) -> str | None:
    """Return ``register to register: ns logic, ns routing, levels`` of a clock's longest path.

    A look-up table is a level. So are a read of a distributed RAM and a whole carry chain.
    """
    for path in paths:
        if clock in path["from"] and clock in path["to"]:
            steps = path["path"]
            routing = [step["delay"] for step in steps if step["type"] == "routing"]
            logic = sum(step["delay"] for step in steps) - sum(routing)
            routed = sum(step["type"] == "routing" and step["from"]["port"] not in _CARRIES
                         for step in steps)
            return (f"{_register(steps[0]['from']['cell'])} to "
                    f"{_register(steps[-1]['to']['cell'])}: {logic:.2f} ns logic, "
                    f"{sum(routing):.2f} ns routing, {max(routed - 1, 0)} levels")
    return None


def _register(cell: str) -> str:
    """Return the name of the signal that a cell of the netlist was made for."""
    plain = cell.replace("$flatten", "").replace("\\", "")
    inside = plain.startswith(f"{CORE}.")
    name = _SUFFIX.sub("", plain.removeprefix(f"{CORE}.")) or "unnamed"
    return name if inside else f"chain's {name}"
