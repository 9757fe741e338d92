"""Area against the iterations per cycle."""

from __future__ import annotations

import functools

from ._widths import STEPS, over_steps

__all__ = ["area_only", "column", "draw", "needs", "summary"]

area_only = True
column = STEPS
needs = ("lut",)
summary = "LUTs against iterations per cycle, both logarithmic, a line for each width"
draw = functools.partial(over_steps, y="lut", y_label="Area, LUTs")
