"""Reads the clock frequency and the critical path from nextpnr's report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..outcome import Failure, Retry, StageFailed, Status
from .harness import CORE

__all__ = ["NUMBERED", "critical_path", "read_timing", "slowest_path", "with_names"]

#: A frequency above that of any FPGA.
_MOST_MHZ = 1e6


def read_timing(facts: Mapping[str, Any], file: Callable[[str], bytes], *,
                placer: str, suffixes: Sequence[str] = (),
                carries: Sequence[str] = ()) -> dict[str, Any]:
    """Return the columns ``fmax_mhz`` and ``critical_path`` of a placed core, from ``report.json``.

    If the report has several clocks, the slowest one counts. The placer is nextpnr's name in
    messages; for the rest see :func:`critical_path`.
    :exc:`StageFailed` is raised if the report has no clock, or makes no sense.
    """
    try:
        report = json.loads(file("report.json"))
        clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
        odd = [clock for clock in clocks.values() if not 0 < clock <= _MOST_MHZ]
        path = critical_path(slowest_path(report), suffixes=suffixes, carries=carries)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError,
            RecursionError) as error:
        raise StageFailed(f"{placer} wrote rubbish in place of a report ({error})") from None
    if not clocks:
        message = f"{placer} reported no clock"
        raise StageFailed(Failure(status=Status.NO_FMAX, message=message, log=message,
                                  retry=Retry.NEVER))
    if odd:
        raise StageFailed(f"{placer} wrote rubbish in place of a report: a clock of {odd[0]} MHz")
    return {"fmax_mhz": round(min(clocks.values()), 3), "critical_path": path}


def slowest_path(report: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the steps of the longest path of the slowest clock in a report; none if it has none.
    """
    clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
    if not clocks:
        return []
    slowest = min(clocks, key=clocks.__getitem__)
    return next((path["path"] for path in report["critical_paths"]
                 if slowest in path["from"] and slowest in path["to"]), [])


def critical_path(steps: Sequence[Mapping[str, Any]], *, suffixes: Sequence[str] = (),
                  carries: Sequence[str] = ()) -> str | None:
    """Return ``register to register: ns logic, ns routing, levels`` of the steps of a path.

    A look-up table is a level. So are a read of a distributed RAM and a whole carry chain. For
    ``suffixes`` and ``carries`` see :class:`explore.devices.Family`.
    """
    if not steps:
        return None
    suffix = re.compile("|".join([*(f"_{cell}.*" for cell in suffixes), r"\.?\$.*"]))
    routing = [step["delay"] for step in steps if step["type"] == "routing"]
    logic = sum(step["delay"] for step in steps) - sum(routing)
    routed = sum(step["type"] == "routing" and step["from"]["port"] not in carries
                 for step in steps)
    return (f"{_register(steps[0]['from']['cell'], suffix)} to "
            f"{_register(steps[-1]['to']['cell'], suffix)}: {logic:.2f} ns logic, "
            f"{sum(routing):.2f} ns routing, {max(routed - 1, 0)} levels")


def _register(cell: str, suffix: re.Pattern[str]) -> str:
    """Return the name of the signal for which yosys made a cell of the netlist."""
    plain = cell.replace("$flatten", "").replace("\\", "")
    inside = plain.startswith(f"{CORE}.")
    name = suffix.sub("", plain.removeprefix(f"{CORE}.")) or "unnamed"
    return name if inside else f"chain's {name}"


#: A number of :class:`explore.netlist.hardware.Hardware`, which yosys extends to names of cells.
NUMBERED = re.compile(r"(?<![\w.])[nc]\d+(?![a-zA-Z\d])")


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names in place of the numbers that stand for them, where there is one."""
    return NUMBERED.sub(lambda match: names.get(match[0], match[0]), text)
