"""Makes the row of a cell, which reports the measurement of one point with one seed."""

from __future__ import annotations

from typing import Any

from montgomery.core import traits
from montgomery.outside import origin_of

from ..data.columns import LONGEST_NAME, blank_row
from ..data.derived import performance
from ..data.rows import seal, verified
from ..data.versions import VERSION, core_version, flow_version
from ..outcome import Failure, Status
from .graph import Cell

__all__ = ["row", "status_of"]


def row(cell: Cell) -> dict[str, Any]:
    """Return the row of a complete cell.

    The status is that of the first stage that failed. If none failed, it says whether stages were
    left out because nobody asked for them. Columns of stages come from their outcomes.
    All other columns are computed here, so that today's code always computes them. A quantity that
    was not measured is None.
    """
    if cell.row is None:
        cell.row = _made(cell)
    return cell.row


def status_of(cell: Cell) -> Status:
    """Return the status of the row of a complete cell."""
    if cell.failed is not None:
        return cell.failed.failure.status
    if cell.is_partial:
        return Status.PARTIAL
    return Status.OK if cell.job.device.placer else Status.AREA_ONLY


def _made(cell: Cell) -> dict[str, Any]:
    job, failed = cell.job, cell.failed
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
                                   "harness": facts["harness"][:VERSION],
                                   "flow": flow_version(job.point.target, job.options)}
    if origin := origin_of(type(job.params)):
        result["versions"]["origin"] = origin[:LONGEST_NAME]
    last = None
    for name, node in cell.nodes.items():
        reading = node.reading or (node.fetches.reading if node.fetches else None)
        if reading is None:
            continue
        last = reading
        result |= reading.columns
        if node.stage.columns or node.stage.transparent:
            result["versions"] |= reading.versions
        result["arguments"] |= reading.arguments
        if node.stage.columns and node.stage.in_rows:
            result["recipe"][name] = node.recipe
        if node is failed:
            break
    result |= {"host": last.host, "date": last.date, "key": last.key,
               "log": failed and _log(failed.failure)}
    result["status"] = str(status_of(cell))
    result["verified"] = verified(result["constant_time"], result["status"])
    if result["lut"] is not None:
        result["copies"] = job.device.copies(result)
        if job.point.kind == "multiplier":
            result["ff_skew"] = traits(job.params).skew_bits
    if result["status"] == Status.OK:
        result |= performance(job.device, result, timed=job.has_model)
    result["seal"] = seal(result)
    return result


def _log(failure: Failure) -> str:
    message, log = failure.message, failure.log
    return log if log.startswith(message) else f"{message}\n{log}".rstrip()
