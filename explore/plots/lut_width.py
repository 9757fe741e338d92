"""Area against width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._style import legend, lines, log_scale, log_widths, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["area_only", "draw", "needs", "over_width", "summary"]

area_only = True
needs = ("width", "lut",)
over_width = True
summary = "LUTs against width, both logarithmic: the slope tells how a core grows"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target, with one line per series."""
    figure, pairs = panels(points, x_label="Width, bits", y_label="Area, LUTs")
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles):
            axes.plot(line["width"], line["lut"], **style)
        log_widths(axes, points["width"])
    log_scale(pairs[0][0])
    legend(figure, points)
    return figure
