"""Time against the multiplier blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._widths import width_lines

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["against_blocks", "column", "draw", "needs", "summary"]

column = "param_processing_elements"
needs = ("latency_us",)
summary = "Latency against multiplier blocks, both logarithmic, a line for each width"


def against_blocks(points: pandas.DataFrame, y: str, y_label: str = "") -> Figure:
    """Return one panel per target; a line joins points that differ only in processing elements.

    Architectures without that parameter are left out. A core without blocks is drawn at one block.
    """
    points = points[points[column].notna()].drop(columns=column)
    points = points.assign(blocks=points["dsp"].fillna(0).clip(lower=1).astype(int))
    return width_lines(points, "blocks", y, x_label="Multiplier blocks", y_label=y_label)


def draw(points: pandas.DataFrame) -> Figure:
    """Return the figure of :func:`against_blocks`; the number at the end of a line is its width."""
    return against_blocks(points, "latency_us")
