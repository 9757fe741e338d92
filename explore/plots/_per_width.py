"""Time against area of the cores of one target, one panel per width, beside others' figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..data.labels import shown_names
from ..data.trends import pareto
from ..papers import Published, published
from ..papers._compare import luts, microseconds, same_family
from ._style import dots, latency_label, legend, lines, log_scale, panels, series
from ._widths import tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FRONT", "draw_per_width", "pareto_front"]

#: Style of a Pareto front.
FRONT: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "drawstyle": "steps-post"}
_OTHERS: dict[str, Any] = {"color": "0.45", "marker": "x", "linestyle": "", "markersize": 5,
                           "markeredgewidth": 1.1}
_OF_PAPERS: dict[str, Any] = {"color": "0.45", "marker": "*", "linestyle": "", "markersize": 9,
                              "markeredgewidth": 0.6, "markeredgecolor": "white"}
_SIZE = 5.5
#: Height of a panel beyond that of other plots; letters of a name.
_MORE_INCHES, _LETTERS = 1.4, 14
#: Figures of others that are slower than this many times the slowest point are written at the top.
_BEYOND = 4

#: x, y and text of a name.
_Names = list[tuple[float, float, str]]


def pareto_front(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the Pareto front of points in ``lut`` and ``latency_us``, sorted by ``lut``.

    If several points are equal in both columns, only the first is on the front.
    """
    columns = ["lut", "latency_us"]
    return pareto(points, columns).sort_values("lut", kind="stable").drop_duplicates(columns)


def draw_per_width(points: pandas.DataFrame) -> Figure:
    """Return one panel per width; a series is an architecture.

    A line in the colour of an architecture joins those of its points that no other one of them
    beats. The grey line is the Pareto front of each kind of core. A filled marker stands for a core
    with multiplier blocks, a star in its colour for what its paper reports on silicon of its own,
    and a cross for a core of others on a device of the same family as the points.
    """
    points = points.assign(label=shown_names(points))
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points),
                           by="width", shared=False)
    figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
    styles = series(points)
    beside: set[str] = set()
    for axes, here in pairs:
        _draw_width(axes, here, styles, beside)
    more: dict[str, Mapping[str, Any]] = {"Pareto front": FRONT}
    if (points["dsp"] > 0).any():
        more["with multiplier blocks"] = {"color": "0.45", "marker": "o", "linestyle": ""}
    more |= {name: style for name, style in (("core of others", _OTHERS),
                                             ("in its paper, own silicon", _OF_PAPERS))
             if name in beside}
    legend(figure, points, lines=False, more=more)
    return figure


def _draw_width(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]],
                beside: set[str]) -> None:
    """Draw the cores of a width, and add the names of the legend's other entries to ``beside``."""
    names: _Names = []
    for _, same in points.groupby("kind"):
        front = pareto_front(same)
        axes.plot(front["lut"], front["latency_us"], zorder=1, **FRONT)
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
    for figure in _of_papers(points):
        style = styles[figure.core]
        axes.plot([luts(figure)], [microseconds(figure)], **_OF_PAPERS | {"color": style["color"]})
        beside.add("in its paper, own silicon")
    slow = _draw_others(axes, points, names, beside)
    log_scale(axes, x=True)
    left, right = axes.get_xlim()
    # Leave room for the names at the right.
    axes.set_xlim(left, right * (right / left) ** 0.2)
    tell(axes, names)
    axes.annotate("\n".join(slow), (1, 1), xycoords="axes fraction", fontsize=7.5, color="0.25",
                  horizontalalignment="right", verticalalignment="top")


def _draw_others(axes: Axes, points: pandas.DataFrame, names: _Names, beside: set[str]
                 ) -> list[str]:
    """Draw the cores of others, add their names, and return texts on those that are too slow."""
    slow = []
    for figure in _others(points):
        area, time = figure.figures["lut"], figure.figures["latency_us"]
        if time > _BEYOND * points["latency_us"].max():
            slow.append(f"{_short(figure.core)}: {time:,.0f} µs, {area:,.0f} LUTs ↑")
            continue
        axes.plot([area], [time], zorder=1, **_OTHERS)
        names.append((area, time, _short(figure.core)))
        beside.add("core of others")
    return slow


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[:_LETTERS - 1]}…"


def _others(points: pandas.DataFrame) -> list[Published]:
    """Return the figures of cores of others that points can be compared with."""
    kinds, widths, targets = (set(points[name]) for name in ("kind", "width", "target"))
    return [figure for figures in published().values() for figure in figures
            if figure.kind in kinds and figure.width in widths and not figure.is_here
            and {"lut", "latency_us"} <= figure.figures.keys()
            and same_family(figure.device) in targets]


def _of_papers(points: pandas.DataFrame) -> list[Published]:
    """Return the figures of the points' own cores that have an area in LUTs and a time."""
    cores = set(zip(points["kind"], points["label"], points["width"], strict=True))
    return [figure for figures in published().values() for figure in figures
            if (figure.kind, figure.core, figure.width) in cores
            and luts(figure) and microseconds(figure)]
