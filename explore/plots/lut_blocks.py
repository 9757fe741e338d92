"""Area against the multiplier blocks."""

from __future__ import annotations

import functools

from ._widths import ELEMENTS, over_blocks

__all__ = ["column", "draw", "needs", "summary"]

column = ELEMENTS
needs = ("lut",)
summary = "LUTs against multiplier blocks, both logarithmic, a line for each width"
draw = functools.partial(over_blocks, y="lut", y_label="Area, LUTs")
