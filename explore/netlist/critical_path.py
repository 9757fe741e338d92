"""Describes the critical path of a placed design in one line, from nextpnr's report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .harness import CORE

__all__ = ["critical_path"]


def critical_path(paths: Iterable[Mapping[str, Any]], clock: str, *, suffixes: Sequence[str] = (),
                  carries: Sequence[str] = ()) -> str | None:
    """Return ``register to register: ns logic, ns routing, levels`` of a clock's longest path.

    A look-up table is a level. So are a read of a distributed RAM and a whole carry chain. The
    paths and the name of the clock are those of nextpnr's report. For ``suffixes`` and ``carries``
    see :class:`explore.devices.Family`.
    """
    suffix = re.compile("|".join([*(f"_{cell}.*" for cell in suffixes), r"\.?\$.*"]))
    for path in paths:
        if clock in path["from"] and clock in path["to"]:
            steps = path["path"]
            routing = [step["delay"] for step in steps if step["type"] == "routing"]
            logic = sum(step["delay"] for step in steps) - sum(routing)
            routed = sum(step["type"] == "routing" and step["from"]["port"] not in carries
                         for step in steps)
            return (f"{_register(steps[0]['from']['cell'], suffix)} to "
                    f"{_register(steps[-1]['to']['cell'], suffix)}: {logic:.2f} ns logic, "
                    f"{sum(routing):.2f} ns routing, {max(routed - 1, 0)} levels")
    return None


def _register(cell: str, suffix: re.Pattern[str]) -> str:
    """Return the name of the signal for which yosys made a cell of the netlist."""
    plain = cell.replace("$flatten", "").replace("\\", "")
    inside = plain.startswith(f"{CORE}.")
    name = suffix.sub("", plain.removeprefix(f"{CORE}.")) or "unnamed"
    return name if inside else f"chain's {name}"
