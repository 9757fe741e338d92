"""Time against area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..data.labels import core_names
from ..data.trends import pareto
from ..papers import Published, published
from ..papers._compare import same_family
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
from ._widths import tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "pareto_front", "summary"]

needs = ("lut", "latency_us")
summary = "Latency against LUTs, both logarithmic, with the Pareto front of each width"

_FRONT: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "drawstyle": "steps-post"}
_OTHERS: dict[str, Any] = {"color": "0.45", "marker": "x", "linestyle": "", "markersize": 5,
                           "markeredgewidth": 1.1}
#: Sizes in points of the markers of the smallest and of the largest width.
_SIZES = (3.5, 8.5)
#: Size in points of the markers if it does not depend on the width.
_SIZE = 5.5
#: Height of panels with names in them, beyond that of others; letters of a name.
_MORE_INCHES, _LETTERS = 0.9, 14
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
    have fronts.

    If there are one target and few widths, the figure has one panel per width instead. There a
    series is an architecture; a line in its colour joins those of its points that no other one of
    them beats, a marker that is filled stands for a core with multiplier blocks, and a cross for
    a core of others on a device of the same family.
    """
    widths = sorted(set(points["width"]))
    apart = points["target"].nunique() == 1 and 1 < len(widths) <= _MOST_PANELS
    if apart:
        points = points.assign(label=core_names(points))
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points),
                           by="width" if apart else "target")
    styles = series(points)
    more: dict[str, dict[str, Any]] = {"Pareto front": _FRONT}
    if apart:
        texts = [_draw_width(axes, here, styles) for axes, here in pairs]
        figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
        if (points["dsp"] > 0).any():
            more["with multiplier blocks"] = {"color": "0.45", "marker": "o", "linestyle": ""}
        if any(_others(here) for _, here in pairs):
            more["core of others"] = _OTHERS
    else:
        sizes = _sizes(widths)
        texts = [_draw_target(axes, here, styles, sizes) for axes, here in pairs]
        told = marked(widths)
        more |= {f"{width} bits": {"color": "0.6", "marker": "o", "linestyle": "",
                                   "markersize": sizes[width]}
                 for width in ((told[0], told[-1]) if len(told) > 1 else ())}
    # The panels share their scales.
    log_scale(pairs[0][0], x=True)
    left, right = pairs[0][0].get_xlim()
    # Leave room for the texts at the right.
    pairs[0][0].set_xlim(left, right * (right / left) ** (0.28 if apart else 0.18))
    for (axes, _), own in zip(pairs, texts, strict=True):
        tell(axes, own)
    legend(figure, points, lines=False, more=more)
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
        axes.plot(front["lut"], front["latency_us"], zorder=1, **_FRONT)
        ends.append((front["lut"].iloc[-1], front["latency_us"].iloc[-1], f"{width} bits"))
    for style, line in lines(points, styles):
        for width, same in line.groupby("width"):
            axes.plot(same["lut"], same["latency_us"],
                      **dots(style) | {"markersize": sizes[width]})
    return ends


def _draw_width(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]]
                ) -> list[tuple[float, float, str]]:
    """Draw the cores of a width; return the fastest point of each architecture and its name."""
    names = []
    for _, same in points.groupby("kind"):
        front = pareto_front(same)
        axes.plot(front["lut"], front["latency_us"], zorder=1, **_FRONT)
    for label, same in points.groupby("label"):
        best = pareto_front(same)
        axes.plot(best["lut"], best["latency_us"], zorder=1, linewidth=0.9, alpha=0.6,
                  color=styles[label]["color"])
        names.append((best["lut"].iloc[-1], best["latency_us"].iloc[-1], str(label)))
    for style, line in lines(points, styles):
        for uses, same in line.groupby(line["dsp"] > 0):
            shown = dots(style) | {"markersize": _SIZE}
            if uses and "markerfacecolor" not in style:
                shown["markerfacecolor"] = style["color"]
            axes.plot(same["lut"], same["latency_us"], **shown)
    for figure in _others(points):
        axes.plot([figure.figures["lut"]], [figure.figures["latency_us"]], zorder=1, **_OTHERS)
        name = figure.core if len(figure.core) <= _LETTERS else f"{figure.core[:_LETTERS - 1]}…"
        names.append((figure.figures["lut"], figure.figures["latency_us"], name))
    return names


def _others(points: pandas.DataFrame) -> list[Published]:
    """Return the figures of cores of others that points can be compared with."""
    kinds, widths, targets = (set(points[name]) for name in ("kind", "width", "target"))
    own = set(points["arch"])
    return [figure for figures in published().values() for figure in figures
            if figure.kind in kinds and figure.width in widths and figure.core not in own
            and {"lut", "latency_us"} <= figure.figures.keys()
            and same_family(figure.device) in targets]
