"""Time against the iterations per cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._style import counts
from ._widths import width_lines

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["against_steps", "column", "draw", "needs", "summary"]

column = "param_steps"
needs = ("latency_us",)
summary = "Latency against iterations per cycle, both logarithmic, a line for each width"


def against_steps(points: pandas.DataFrame, column: str, y_label: str = "") -> Figure:
    """Return one panel per target; a line joins the points that differ only in ``steps``.

    Architectures without that parameter are left out.
    """
    points, steps = counts(points, "param_steps")
    points = points.assign(steps=steps).drop(columns="param_steps")
    return width_lines(points, "steps", column, x_label="Iterations per cycle", y_label=y_label)


def draw(points: pandas.DataFrame) -> Figure:
    """Return the figure of :func:`against_steps`; the number at the end of a line is its width."""
    return against_steps(points, "latency_us")
