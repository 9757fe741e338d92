"""Rows: what is reported of one point with one seed."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import platform
from typing import Any

from .columns import blank_row
from .graph import Cell
from .points import Point
from .targets import target

__all__ = ["blank_row", "identity", "identity_of", "project_version", "row"]

_CYCLES = ("load", "compute", "unload", "interval", "initiation")


def identity(point: Point, seed: int) -> str:
    """Return the name under which the latest row of a point and seed is kept."""
    return _identity(point.kind, point.arch, point.params, point.target, point.options, seed)


def identity_of(row: dict[str, Any]) -> str:
    """Return the name under which a row is kept that is not of a sweep."""
    return _identity(row["kind"], row["arch"], {**row["params"], "width": row["width"]},
                     row["target"], row["options"], row["seed"])


def _identity(*what: Any) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:40]


@functools.cache
def project_version() -> str:
    """Return the version of this project, if it is installed."""
    try:
        return importlib.metadata.version("montgomery")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def row(cell: Cell) -> dict[str, Any]:
    """Return the row of a cell whose nodes are finished.

    Its status is that of the first stage that failed, and ``ok`` if none did; ``no_fmax``, and no
    log, if there is none that places. What was not measured is None.
    """
    point, device = cell.point, target(cell.point.target)
    made_for = cell.nodes["made for"].outcome or {}
    verify, synth, place = (cell.nodes.get(stage) for stage in ("verify", "synth", "place"))
    failed = next((node for node in cell.nodes.values()
                   if node.outcome is not None and node.outcome["status"] != "ok"), None)
    last = failed or cell.last
    status = last.outcome["status"] if failed or place else "no_fmax"
    params = dict(point.params)
    result = blank_row() | {
        "arch": point.arch, "kind": point.kind, "width": params.pop("width"), "params": params,
        "target": point.target, "options": dict(point.options), "seed": cell.seed,
        "status": status, "constraint_mhz": device.clock_limit_mhz,
        "design": made_for.get("rtlil"), "key": last.key, "log": failed and _log(failed.outcome),
        "versions": {"amaranth": importlib.metadata.version("amaranth"),
                     "montgomery": project_version(), "python": platform.python_version()},
        "host": last.outcome["host"], "date": last.outcome["date"]}
    if verify.outcome and verify.outcome["status"] == "ok":
        report = verify.outcome["report"]
        result["constant_time"] = report["constant_time"]
        result |= {f"cycles_{name}": report["cycles"].get(name) for name in _CYCLES}
    if synth.outcome:
        result["seconds_synth"] = synth.outcome["seconds"]
        result["versions"]["yosys"] = synth.spec["version"]
        result["arguments"]["yosys"] = synth.spec["script"]
        if synth.outcome["status"] == "ok":
            area = device.architecture.count(synth.outcome["cells"])
            result |= {**area, "copies": device.copies(area)}
            if point.kind == "multiplier":
                result["ff_skew"] = point.parameters().skew_bits
    if place and place.outcome:
        result["seconds_place"] = place.outcome["seconds"]
        result["versions"]["nextpnr"] = place.spec["version"]
        result["arguments"][place.spec["tool"]] = place.spec["arguments"]
    if status == "ok":
        result |= _performance(result, place.outcome)
    return result


def _log(outcome: dict[str, Any]) -> str:
    message, log = outcome["message"], outcome["log"]
    return log if message in log else f"{message}\n{log}".rstrip()


def _performance(measured: dict[str, Any], placed: dict[str, Any]) -> dict[str, Any]:
    fmax = placed["fmax_mhz"]
    usable = target(measured["target"]).usable_mhz(fmax, measured)
    latency = measured["cycles_compute"] / usable
    initiation, work = measured["cycles_initiation"], measured["width"] * usable
    return {"fmax_mhz": fmax, "fmax_usable_mhz": usable,
            "critical_path": placed["critical_path"], "latency_us": latency,
            "throughput_mbps": work / measured["cycles_interval"],
            "throughput_pipelined_mbps": initiation and work / initiation,
            "lut_us": measured["lut"] * latency}
