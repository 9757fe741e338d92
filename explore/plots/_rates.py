"""Operations in a second against area, and what others report beside measured points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..data.labels import core_names, present, shown_names
from ..data.rates import rate_of, with_rate
from ..papers import Published, published
from ..papers._compare import luts, microseconds, same_family
from ._style import dots, legend, lines, log_scale, of_usual_target, panels, series, tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CROSS", "STAR", "draw_rates", "every", "listed", "of_others", "of_papers",
           "why_few_crosses", "why_few_stars"]


_OTHERS: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "linestyle": ":"}
_MORE_INCHES = 0.9


def draw_rates(points: pandas.DataFrame, y_label: str) -> Figure:
    """Return one panel per width, with the cores of the target that has most of them.

    A dotted line is the rate that a system of others reports on other silicon, whose area is not
    known in LUTs. The kinds of the cores make the same.
    """
    points, note = of_usual_target(points)
    rate = rate_of(points["kind"].iloc[0])
    points = with_rate(points, rate).assign(label=shown_names(points))
    figure, pairs = panels(points, x_label="Area, LUTs", y_label=y_label, by="width", shared=False)
    figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
    styles, alone = series(points), []
    for axes, here in pairs:
        for style, line in lines(here, styles):
            axes.plot(line["lut"], line[rate], **dots(style))
        width = here["width"].iloc[0]
        others = _draw_others(axes, width, rate)
        alone += [width] * (not others)
        log_scale(axes, x=True)
        left, right = axes.get_xlim()
        axes.set_xlim(left, right * (right / left) ** 0.2)
        tell(axes, [*((left, value, name) for value, name in others),
                    *((fastest["lut"], fastest[rate], label)
                      for label, same in here.groupby("label")
                      for fastest in [same.loc[same[rate].idxmax()]])])
    why = f"Nobody is known to report a rate at {listed(alone)} bits." if alone else ""
    legend(figure, points, lines=False, notes=[note, why],
           more={} if len(alone) == len(pairs) else {
               "reported by others, on other silicon": _OTHERS})
    return figure


def _draw_others(axes: Axes, width: int, rate: str) -> list[tuple[float, str]]:
    """Draw the published rates of systems of others; return each rate and its name."""
    found = [(figure.operations_per_s, figure.core) for figure in every()
             if figure.width == width and not figure.is_here and figure.rate == rate
             and present(figure.operations_per_s)]
    for value, _ in found:
        axes.axhline(value, zorder=1, **_OTHERS)
    return found


#: Style of what the paper of a core reports, which has the colour of the core; and of others.
STAR: dict[str, Any] = {"color": "0.45", "marker": "*", "linestyle": "", "markersize": 9,
                        "markeredgewidth": 0.6, "markeredgecolor": "white"}
CROSS: dict[str, Any] = {"color": "0.45", "marker": "x", "linestyle": "", "markersize": 5,
                         "markeredgewidth": 1.1}


def every() -> list[Published]:
    """Return all published figures."""
    return [figure for figures in published().values() for figure in figures]


def listed(values: Iterable[object]) -> str:
    """Return values in their order, as a list in a sentence."""
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}" if first else last


def of_papers(points: pandas.DataFrame, *, any_width: bool = False) -> list[Published]:
    """Return the figures of the points' own cores and widths that have LUTs and a time."""
    cores = set(zip(core_names(points), points["width"], strict=True))
    names = {name for name, _ in cores}
    return [figure for figure in every() if figure.is_here and luts(figure) and microseconds(figure)
            and ((figure.name, figure.width) in cores or (any_width and figure.name in names))]


def of_others(points: pandas.DataFrame, *, any_width: bool = False) -> list[Published]:
    """Return the figures of cores of others, on the points' devices, that have LUTs and a time."""
    kinds, widths, targets = (set(points[name]) for name in ("kind", "width", "target"))
    return [figure for figure in every()
            if figure.kind in kinds and (any_width or figure.width in widths) and not figure.is_here
            and {"lut", "latency_us"} <= figure.figures.keys()
            and same_family(figure.device) in targets]


def why_few_stars(points: pandas.DataFrame) -> str:
    """Return why no paper stands beside some of the widths; empty if one does beside each."""
    if not set(points["width"]) - {figure.width for figure in of_papers(points)}:
        return ""
    known = sorted({figure.width or 0 for figure in of_papers(points, any_width=True)})
    return (f"Papers of these cores have LUTs and a time at {listed(known)} bits alone." if known
            else "No paper has LUTs and a time of these cores.")


def why_few_crosses(points: pandas.DataFrame) -> Iterable[str]:
    """Yield why no core of others stands beside some of the widths on some of the devices."""
    found = of_others(points, any_width=True)
    if not found:
        yield "No core of others is known on these devices."
    for target in sorted({same_family(figure.device) or "" for figure in found}):
        known = {figure.width or 0 for figure in found if same_family(figure.device) == target}
        if set(points["width"][points["target"] == target]) - known:
            yield f"Cores of others are known on {target} at {listed(sorted(known))} bits alone."
