"""Area against the iterations per cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .latency_steps import against_steps

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["area_only", "column", "draw", "needs", "summary"]

area_only = True
column = "param_steps"
needs = ("lut",)
summary = "LUTs against iterations per cycle, both logarithmic, a line for each width"


def draw(points: pandas.DataFrame) -> Figure:
    """Return the figure of :func:`~.latency_steps.against_steps`."""
    return against_steps(points, "lut", "Area, LUTs")
