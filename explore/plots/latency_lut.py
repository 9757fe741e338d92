"""Time against area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..data.trends import pareto
from ._style import (
    dots,
    latency_label,
    legend,
    lines,
    log_scale,
    marked,
    panels,
    series,
)
from ._widths import tell_widths

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "pareto_front", "summary"]

needs = ("lut", "latency_us")
summary = "Latency against LUTs, both logarithmic, with the Pareto front of each width"

_FRONT: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "drawstyle": "steps-post"}
#: Sizes in points of the markers of the smallest and of the largest width.
_SIZES = (3.5, 8.5)
#: Size in points of the markers if it does not depend on the width.
_SIZE = 5.5
#: Largest number of widths that get one panel each if there is only one target.
_MOST_PANELS = 6


def pareto_front(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the Pareto front of points in ``lut`` and ``latency_us``, sorted by ``lut``.

    If several points are equal in both columns, only the first is on the front.
    """
    columns = ["lut", "latency_us"]
    return pareto(points, columns).sort_values("lut", kind="stable").drop_duplicates(columns)


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a grey line is the Pareto front of the cores of one width.

    Each kind of core has fronts of its own. A larger marker stands for a wider core, and the width
    of a front is written at its fastest point. If there are many widths, only the powers of two
    have fronts. If there are one target and few widths, the figure has one panel per width instead.
    """
    widths = sorted(set(points["width"]))
    apart = points["target"].nunique() == 1 and 1 < len(widths) <= _MOST_PANELS
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points),
                           by="width" if apart else "target")
    styles = series(points)
    sizes = {} if apart else _sizes(widths)
    ends = [_draw_panel(axes, here, styles, sizes) for axes, here in pairs]
    # The panels share their scales.
    log_scale(pairs[0][0], x=True)
    if sizes:
        left, right = pairs[0][0].get_xlim()
        # Leave room for the texts at the right.
        pairs[0][0].set_xlim(left, right * (right / left) ** 0.18)
        for (axes, _), own in zip(pairs, ends, strict=True):
            tell_widths(axes, own, " bits")
    more: dict[str, dict[str, Any]] = {"Pareto front": _FRONT}
    told = marked(widths)
    more |= {f"{width} bits": {"color": "0.6", "marker": "o", "linestyle": "",
                               "markersize": sizes[width]}
             for width in ((told[0], told[-1]) if len(told) > 1 else ()) if sizes}
    legend(figure, points, lines=False, more=more)
    return figure


def _sizes(widths: Sequence[int]) -> dict[int, float]:
    """Return the size of the markers of each width."""
    if len(widths) == 1:
        return {widths[0]: _SIZE}
    least, most = _SIZES
    return {width: least + (most - least) * place / (len(widths) - 1)
            for place, width in enumerate(widths)}


def _draw_panel(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]],
                sizes: Mapping[int, float]) -> list[tuple[float, float, int]]:
    """Draw fronts and points; return the fastest point of each front, with its width."""
    ends = []
    fronts = points[points["width"].isin(marked(points["width"]))]
    for (_, width), same in fronts.groupby(["kind", "width"]):
        front = pareto_front(same)
        axes.plot(front["lut"], front["latency_us"], zorder=1, **_FRONT)
        ends.append((front["lut"].iloc[-1], front["latency_us"].iloc[-1], width))
    for style, line in lines(points, styles):
        for width, same in line.groupby("width"):
            axes.plot(same["lut"], same["latency_us"],
                      **dots(style) | {"markersize": sizes.get(width, _SIZE)})
    return ends
