"""Operations in a second against area, beside what others report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.labels import present, shown_names
from ..data.rates import rate_of, with_rate
from ._published import every, listed
from ._style import dots, legend, lines, log_scale, of_usual_target, panels, series, tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_rates"]

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
