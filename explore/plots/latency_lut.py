"""Time against area."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._style import latency_label, legend, lines, log_scale, marked, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "pareto_front", "summary"]

needs = ("lut", "latency_us")
summary = "Latency against LUTs, both logarithmic, with the Pareto front of each width"


def pareto_front(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the points that no other one beats in ``lut`` and ``latency_us``, by rising ``lut``.

    Of points equal in both, the first is kept.
    """
    ordered = points.sort_values(["lut", "latency_us"], kind="stable")
    fastest_smaller = ordered["latency_us"].cummin().shift(fill_value=float("inf"))
    return ordered[ordered["latency_us"] < fastest_smaller]


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel a target; a grey line joins the front of each width, labelled with it.

    Each kind of core has its own. Of many widths only the powers of two have one.
    """
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points))
    styles = series(points)
    for axes, here in pairs:
        fronts = here[here["width"].isin(marked(here["width"]))]
        for (_, width), same in fronts.groupby(["kind", "width"]):
            front = pareto_front(same)
            axes.plot(front["lut"], front["latency_us"], color="0.6", linewidth=0.9,
                      drawstyle="steps-post", zorder=1)
            # To the right of all its points, so that the text covers none of them.
            axes.annotate(f"{width} bits", (same["lut"].max(), same["latency_us"].min()), (5, -3),
                          textcoords="offset points", fontsize=7.5, color="0.25")
        for style, dots in lines(here, styles):
            axes.plot(dots["lut"], dots["latency_us"], **style | {"linestyle": ""})
    # The panels share their scales.
    log_scale(pairs[0][0], x=True)
    left, right = pairs[0][0].get_xlim()
    # Room for the texts at the right.
    pairs[0][0].set_xlim(left, right * (right / left) ** 0.18)
    legend(figure, points, lines=False)
    return figure
