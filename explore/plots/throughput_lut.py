"""Throughput against area."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.rates import independent_mbps
from ._style import legend, lines, log_scale, operation, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "summary"]

needs = ("lut", "throughput_mbps")
summary = "Throughput of independent operations against LUTs, both logarithmic"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a line joins the points of a series by rising width.

    That of a core that does not overlap operations is the throughput of dependent ones.
    """
    points = points.assign(mbps=independent_mbps(points))
    figure, pairs = panels(points, x_label="Area, LUTs",
                           y_label=f"Throughput of independent\n{operation(points)}s, Mbit/s")
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles):
            axes.plot(line["lut"], line["mbps"], **style)
    log_scale(pairs[0][0], x=True)
    legend(figure, points)
    return figure
