"""Area against the multiplier blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .latency_blocks import against_blocks, column

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["column", "draw", "needs", "summary"]

needs = ("lut",)
summary = "LUTs against multiplier blocks, both logarithmic, a line for each width"


def draw(points: pandas.DataFrame) -> Figure:
    """Return the figure of :func:`~.latency_blocks.against_blocks`."""
    return against_blocks(points, "lut", "Area, LUTs")
