"""Figures that are computed from those that were measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..devices import Target

__all__ = ["performance"]


def performance(device: Target, measured: Mapping[str, Any], *, timed: bool) -> dict[str, Any]:
    """Return the usable clock of a row, and its times and throughputs if it is ``timed``."""
    usable = device.usable_mhz(measured["fmax_mhz"], measured)
    if not timed:
        return {"fmax_usable_mhz": usable}
    latency = measured["cycles_compute"] / usable
    initiation, work = measured["cycles_initiation"], measured["width"] * usable
    return {"fmax_usable_mhz": usable, "latency_us": latency,
            "throughput_mbps": work / measured["cycles_interval"],
            "throughput_pipelined_mbps": initiation and work / initiation,
            "lut_us": measured["lut"] * latency}
