"""Throughput against area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._style import legend, lines, log_scale, operation, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "summary"]

needs = ("lut", "throughput_mbps")
_SAME: dict[str, Any] = {"color": "0.65", "linewidth": 0.8, "linestyle": ":"}
summary = "Throughput of independent operations against LUTs, both logarithmic"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a line joins the points of a series by rising width.

    A dotted grey line joins points of equal throughput per LUT. Points without a known throughput
    are left out.
    """
    figure, pairs = panels(points, x_label="Area, LUTs",
                           y_label=f"Throughput of independent\n{operation(points)}s, Mbit/s")
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles):
            axes.plot(line["lut"], line["throughput_pipelined_mbps"], **style)
    known = points["throughput_pipelined_mbps"].notna().any()
    legend(figure, points, more={"Same throughput per LUT": _SAME} if known else {})
    if not known:
        return figure
    axes = pairs[0][0]
    log_scale(axes, x=True)
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    # Draw one line per power of ten between the corners.
    for exponent in range(-6, 7):
        ratio = 10.0 ** exponent
        if bottom / right < ratio < top / left:
            for panel, _ in pairs:
                panel.plot([left, right], [ratio * left, ratio * right], zorder=1, **_SAME)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    return figure
