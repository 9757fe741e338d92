"""Makes the row of a cell, which reports the measurement of one point with one seed."""

from __future__ import annotations

from typing import Any

from ..data.columns import blank_row
from ..data.seal import seal
from ..data.versions import VERSION, core_version
from ..outcome import Failure, Status
from .graph import Cell, Node

__all__ = ["is_complete", "row"]


def is_complete(cell: Cell) -> bool:
    """Return whether no further outcome can change the row of a cell."""
    return _failed(cell) is not None or all(node.reading for node in cell.measuring)


def _failed(cell: Cell) -> Node | None:
    """Return the first stage that failed; None if none failed, or if all columns are known."""
    if all(node.reading and not node.reading.failure for node in cell.measuring):
        return None
    return next((node for node in cell.nodes.values() if node.failure), None)


def row(cell: Cell) -> dict[str, Any]:
    """Return the row of a complete cell.

    The status is that of the first stage that failed. If none failed, it says whether stages were
    left out because nobody asked for them. Columns of stages come from their outcomes.
    All other columns are computed here, so that today's code always computes them. A quantity that
    was not measured is None.
    """
    job, failed = cell.job, _failed(cell)
    params = job.point.values
    width = params.pop("width")
    result = blank_row() | {
        "arch": job.point.arch, "kind": job.point.kind, "width": width, "params": params,
        "target": job.point.target, "options": dict(job.point.options), "seed": job.seed,
        "constraint_mhz": job.device.constraint_mhz(job.options)}
    elaborated = cell.nodes.get("design")
    if elaborated is not None and elaborated.outcome is not None:
        facts = elaborated.outcome.facts
        result["design"] = facts.get("rtlil")
        if facts:
            result["versions"] |= {"core": core_version(job.params),
                                   "harness": facts["harness"][:VERSION]}
    last = None
    for name, node in cell.nodes.items():
        if node.reading is None:
            continue
        last = node.reading
        result |= node.reading.columns
        if node.stage.columns or node.stage.transparent:
            result["versions"] |= node.reading.versions
        result["arguments"] |= node.reading.arguments
        if node.stage.columns and node.stage.in_rows and node.recipe:
            result["recipe"][name] = node.recipe
        if node is failed:
            break
    result |= {"host": last.host, "date": last.date, "key": last.key,
               "log": failed and _log(failed.failure)}
    if failed:
        result["status"] = str(failed.failure.status)
    elif cell.is_partial:
        result["status"] = str(Status.PARTIAL)
    else:
        result["status"] = str(Status.OK if job.device.placer else Status.AREA_ONLY)
    if result["lut"] is not None:
        result["copies"] = job.device.copies(result)
        if job.point.kind == "multiplier":
            result["ff_skew"] = job.params.skew_bits
    if result["status"] == Status.OK:
        result |= _performance(cell, result)
    result["seal"] = seal(result)
    return result


def _log(failure: Failure) -> str:
    message, log = failure.message, failure.log
    return log if message in log else f"{message}\n{log}".rstrip()


def _performance(cell: Cell, measured: dict[str, Any]) -> dict[str, Any]:
    usable = cell.job.device.usable_mhz(measured["fmax_mhz"], measured)
    latency = measured["cycles_compute"] / usable
    initiation, work = measured["cycles_initiation"], measured["width"] * usable
    return {"fmax_usable_mhz": usable, "latency_us": latency,
            "throughput_mbps": work / measured["cycles_interval"],
            "throughput_pipelined_mbps": initiation and work / initiation,
            "lut_us": measured["lut"] * latency}
