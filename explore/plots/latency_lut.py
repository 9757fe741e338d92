"""Time against area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._per_width import FRONT, draw_per_width, pareto_front
from ._style import dots, latency_label, legend, lines, log_scale, marked, panels, series
from ._widths import tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "pareto_front", "summary"]

needs = ("lut", "latency_us")
summary = "Latency against LUTs, both logarithmic, with the Pareto front of each width"

#: Sizes in points of the markers of the smallest and of the largest width.
_SIZES = (3.5, 8.5)
#: Size in points of the markers of a single width.
_SIZE = 5.5
#: Largest number of widths that get one panel each if there is only one target.
_MOST_PANELS = 6


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a grey line is the Pareto front of the cores of one width.

    Each kind of core has fronts of its own. A larger marker stands for a wider core, and the width
    of a front is written at its fastest point. If there are many widths, only the powers of two
    have fronts.

    If there are one target and few widths, the figure is that of :mod:`explore.plots._per_width`.
    """
    widths = sorted(set(points["width"]))
    if points["target"].nunique() == 1 and 1 < len(widths) <= _MOST_PANELS:
        return draw_per_width(points)
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points))
    styles, sizes = series(points), _sizes(widths)
    texts = [_draw_target(axes, here, styles, sizes) for axes, here in pairs]
    told = marked(widths)
    more = {f"{width} bits": {"color": "0.6", "marker": "o", "linestyle": "",
                              "markersize": sizes[width]}
            for width in ((told[0], told[-1]) if len(told) > 1 else ())}
    # The panels share their scales.
    log_scale(pairs[0][0], x=True)
    left, right = pairs[0][0].get_xlim()
    # Leave room for the texts at the right.
    pairs[0][0].set_xlim(left, right * (right / left) ** 0.18)
    for (axes, _), own in zip(pairs, texts, strict=True):
        tell(axes, own)
    legend(figure, points, lines=False, more={"Pareto front": FRONT, **more})
    return figure


def _sizes(widths: Sequence[int]) -> dict[int, float]:
    """Return the size of the markers of each width."""
    if len(widths) == 1:
        return {widths[0]: _SIZE}
    least, most = _SIZES
    return {width: least + (most - least) * place / (len(widths) - 1)
            for place, width in enumerate(widths)}


def _draw_target(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]],
                 sizes: Mapping[int, float]) -> list[tuple[float, float, str]]:
    """Draw fronts and points of a target; return the fastest point of each front and its width."""
    ends = []
    fronts = points[points["width"].isin(marked(points["width"]))]
    for (_, width), same in fronts.groupby(["kind", "width"]):
        front = pareto_front(same)
        axes.plot(front["lut"], front["latency_us"], zorder=1, **FRONT)
        ends.append((front["lut"].iloc[-1], front["latency_us"].iloc[-1], f"{width} bits"))
    for style, line in lines(points, styles):
        for width, same in line.groupby("width"):
            axes.plot(same["lut"], same["latency_us"],
                      **dots(style) | {"markersize": sizes[width]})
    return ends
