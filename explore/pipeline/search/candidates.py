"""What is known of a point before it is placed: what excludes it, and what it may reach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from montgomery.core import traits

from ...devices import target
from ...outcome import Status
from ...points.point import Point
from .searcher import Candidate

__all__ = ["candidate_of", "fmax_mhz", "impossible"]


def fmax_mhz(found: Mapping[str, Any]) -> float | None:
    """Return the frequency of a row; None if its placement failed."""
    return found["fmax_mhz"] if found["status"] == Status.OK else None


def impossible(point: Point, limits: Mapping[str, float]) -> str | None:
    """Return the constraint that a point breaks for certain, as far as no tool is needed."""
    device, params = target(point.target), point.parameters()
    technology = device.technology_for(dict(point.options))
    if "max_dsp" in limits and technology.multiplier is not None:
        blocks = traits(params).blocks(technology)
        if blocks > limits["max_dsp"]:
            return f"takes {blocks} multiplier blocks, and the limit is {limits['max_dsp']:g}"
    top = device.clock_limit_mhz
    if top is None:
        return None
    if limits.get("min_mhz", 0) > top:
        return f"no core on {device.name} runs above {top:g} MHz"
    cycles = params.cycles
    most = limits.get("max_latency_us")
    if cycles is not None and most is not None and cycles.compute / top > most:
        return (f"takes {cycles.compute} clocks, which are {cycles.compute / top:.4g} µs at the "
                f"limit of the clock network, and the limit is {most:g}")
    return None


def candidate_of(point: Point, found: Mapping[str, Any], limits: Mapping[str, float]) -> Candidate:
    """Return what the searcher knows of a point that was synthesised, from its row."""
    device = target(point.target)
    counted = {**found, "cycles_initiation": found["cycles_initiation"] or found["cycles_interval"]}
    most = limits.get("max_latency_us")
    least = found["cycles_compute"] / most if most else math.inf if most == 0 else 0.0
    return Candidate(
        name=point.label, group=(point.kind, point.width, point.target), counted=counted,
        limit_mhz=device.usable_mhz(math.inf, found) if device.placer else 1.0,
        least_mhz=max(least, limits.get("min_mhz", 0.0)) if device.placer else 0.0,
        arch=point.name, core=(point.name, point.params))
