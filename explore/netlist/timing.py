"""Reads the clock frequency and the critical path from nextpnr's report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..outcome import Failure, Retry, StageFailed, Status
from .critical_path import critical_path

__all__ = ["read_timing"]

#: A frequency above that of any FPGA.
_MOST_MHZ = 1e6


def read_timing(facts: Mapping[str, Any], file: Callable[[str], bytes], *,
                placer: str, suffixes: Sequence[str] = (),
                carries: Sequence[str] = ()) -> dict[str, Any]:
    """Return the columns ``fmax_mhz`` and ``critical_path`` of a placed core, from ``report.json``.

    If the report has several clocks, the slowest one counts. The placer is nextpnr's name in
    messages; for the rest see :func:`explore.netlist.critical_path.critical_path`.
    :exc:`StageFailed` is raised if the report has no clock, or makes no sense.
    """
    try:
        report = json.loads(file("report.json"))
        clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
        odd = [clock for clock in clocks.values() if not 0 < clock <= _MOST_MHZ]
        slowest = min(clocks, key=clocks.__getitem__, default=None)
        path = None if slowest is None else critical_path(
            report["critical_paths"], slowest, suffixes=suffixes, carries=carries)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError,
            RecursionError) as error:
        raise StageFailed(f"{placer} wrote rubbish in place of a report ({error})") from None
    if slowest is None:
        message = f"{placer} reported no clock"
        raise StageFailed(Failure(status=Status.NO_FMAX, message=message, log=message,
                                  retry=Retry.NEVER))
    if odd:
        raise StageFailed(f"{placer} wrote rubbish in place of a report: a clock of {odd[0]} MHz")
    return {"fmax_mhz": round(clocks[slowest], 3), "critical_path": path}
