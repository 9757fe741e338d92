"""Time against area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..data.labels import blocks, core_names
from ..data.trends import pareto
from ..papers._compare import luts, microseconds
from . import Plot
from ._looks import look, marked
from ._others import CROSS, STAR, of_others, of_papers, why_few_crosses, why_few_stars
from ._style import dots, latency_label, legend, lines, log_scale, panels, series, tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "pareto_front"]

#: Sizes in points of the markers of the smallest and of the largest width, and of a single width.
_SIZES, _SIZE = (3.5, 8.5), 5.5
#: Largest number of widths that get one panel each if there is only one target.
_MOST_PANELS = 6
#: Height of a panel with names beyond that of others; letters of the name of a core of others.
_MORE_INCHES, _LETTERS = 1.4, 14
#: Figures of others that are slower than this many times the slowest point are in a note.
_BEYOND = 4
_FRONT: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "drawstyle": "steps-post"}
#: x, y and text of each of some texts.
Texts = list[tuple[float, float, str]]


def pareto_front(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the Pareto front of points in ``lut`` and ``latency_us``, sorted by ``lut``.

    If several points are equal in both columns, only the first is on the front.
    """
    columns = ["lut", "latency_us"]
    return pareto(points, columns).sort_values("lut", kind="stable").drop_duplicates(columns)


def _draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per width if there are one target and few widths, or else one per target.

    A grey line is the Pareto front of each kind of core and width. A filled marker stands for a
    core with multiplier blocks, a star in its colour for what its paper reports on silicon of its
    own, and a cross for a core of others on a device of the same family as the points.

    In a panel of one width, a line joins those points of a core that no other one of them beats,
    and texts name cores. In others, a larger marker stands for a wider core, and the width of a
    front is written at its fastest point; of many widths, only the powers of two have fronts.
    """
    widths = sorted(set(points["width"]))
    by = "width" if points["target"].nunique() == 1 and len(widths) <= _MOST_PANELS else "target"
    named = by == "width" or len(widths) == 1
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=latency_label(points), by=by,
                           shared=by == "target")
    if by == "width":
        figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
    styles, sizes = series(points), dict.fromkeys(widths, _SIZE) if named else _sizes(widths)
    more: dict[str, Mapping[str, Any]] = {"Pareto front": _FRONT}
    if (points["dsp"] > 0).any():
        more["with multiplier blocks"] = {"color": "0.45", "marker": "o", "linestyle": ""}
    texts, slow = [], {}
    for axes, here in pairs:
        fronts = _draw_fronts(axes, here)
        own = _draw_cores(axes, here, styles, sizes)
        for each in of_papers(here):
            axes.plot([luts(each)], [microseconds(each)],
                      **STAR | {"color": look(each.name).colour})
            more["in its paper, own silicon"] = STAR
        crosses, beyond = _draw_others(axes, here)
        slow |= dict.fromkeys(beyond)
        if crosses:
            more["core of others"] = CROSS
        texts.append([*crosses, *(own if named else fronts)])
    for axes, _ in pairs if by == "width" else pairs[:1]:
        log_scale(axes, x=True)
        left, right = axes.get_xlim()
        # Leave room for the texts at the right.
        axes.set_xlim(left, right * (right / left) ** 0.2)
    for (axes, _), of_panel in zip(pairs, texts, strict=True):
        tell(axes, of_panel)
    if not named:
        told = marked(widths)
        more |= {f"{width} bits": {"color": "0.6", "marker": "o", "linestyle": "",
                                   "markersize": sizes[width]} for width in (told[0], told[-1])}
    legend(figure, points, lines=False, more=more, notes=[
        *slow, why_few_stars(points), *why_few_crosses(points), blocks(points).strip()])
    return figure


def _sizes(widths: Sequence[int]) -> dict[int, float]:
    """Return the size of the markers of each of several widths."""
    least, most = _SIZES
    return {width: least + (most - least) * place / (len(widths) - 1)
            for place, width in enumerate(widths)}


def _draw_fronts(axes: Axes, points: pandas.DataFrame) -> Texts:
    """Draw the fronts of a panel; return the fastest point of each, and its width."""
    ends = []
    told = points[points["width"].isin(marked(points["width"]))]
    for (_, width), same in told.groupby(["kind", "width"]):
        front = pareto_front(same)
        axes.plot(front["lut"], front["latency_us"], zorder=1, **_FRONT)
        ends.append((front["lut"].iloc[-1], front["latency_us"].iloc[-1], f"{width} bits"))
    return ends


def _draw_cores(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]],
                sizes: Mapping[int, float]) -> Texts:
    """Draw the cores of a panel; return the fastest point of each series, and its name."""
    names = []
    if points["width"].nunique() == 1:
        for core, same in points.assign(core=core_names(points)).groupby("core"):
            best = pareto_front(same)
            axes.plot(best["lut"], best["latency_us"], zorder=1, linewidth=0.9, alpha=0.6,
                      color=look(str(core)).colour)
    for style, line in lines(points, styles):
        for (width, uses), same in line.groupby(["width", line["dsp"] > 0]):
            shown = dots(style) | {"markersize": sizes[width]}
            if uses and "markerfacecolor" not in style:
                shown["markerfacecolor"] = style["color"]
            axes.plot(same["lut"], same["latency_us"], **shown)
    for label, same in points.groupby("label"):
        fastest = same.loc[same["latency_us"].idxmin()]
        names.append((fastest["lut"], fastest["latency_us"], str(label)))
    return names


def _draw_others(axes: Axes, points: pandas.DataFrame) -> tuple[Texts, list[str]]:
    """Draw the cores of others that points of a panel can be compared with.

    Return x, y and name of each, and sentences on those that are too slow for the scale.
    """
    names, beyond = [], []
    for figure in of_others(points):
        area, time = figure.figures["lut"], figure.figures["latency_us"]
        if time > _BEYOND * points["latency_us"][points["width"] == figure.width].max():
            beyond.append(f"Beyond the scale: {figure.core} of {figure.width} bits, {time:,.0f} µs "
                          f"with {area:,.0f} LUTs.")
            continue
        axes.plot([area], [time], zorder=1, **CROSS)
        name = figure.core if len(figure.core) <= _LETTERS else f"{figure.core[:_LETTERS - 1]}…"
        names.append((area, time, name))
    return names, beyond


PLOTS = {"latency_lut": Plot(
    summary="Latency against LUTs, both logarithmic, with the Pareto front of each width",
    draw=_draw, needs=("lut", "latency_us"))}
