"""Time against the iterations per cycle."""

from __future__ import annotations

import functools

from ._widths import STEPS, over_steps

__all__ = ["column", "draw", "needs", "summary"]

column = STEPS
needs = ("latency_us",)
summary = "Latency against iterations per cycle, both logarithmic, a line for each width"
draw = functools.partial(over_steps, y="latency_us")
