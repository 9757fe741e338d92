"""RSA signatures in a second against area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.labels import core_names, present
from ..data.rates import with_signatures
from ..data.trends import RSA_BITS
from ..papers import published
from ._style import dots, legend, lines, log_scale, panels, series
from ._widths import tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "of_any_kind", "shows", "summary"]

needs = ("lut", "latency_us")
of_any_kind = True
summary = "RSA signatures in a second against LUTs, one panel per length of the key"

_OTHERS: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "linestyle": ":"}
_MORE_INCHES = 0.9


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is of a core that makes RSA signatures of a usual length."""
    from montgomery import KINDS

    makes = [name for name, kind in KINDS.items() if kind.does_rsa]
    return points["kind"].isin(makes) & points["width"].isin(RSA_BITS)


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per length of the key, with the cores of the target that has most of them.

    A dotted line is the rate that a system of others reports on other silicon, whose area is not
    known in LUTs.
    """
    points = points[points["target"] == points["target"].mode().iloc[0]]
    points = with_signatures(points).assign(label=core_names(points))
    figure, pairs = panels(points, x_label="Area, LUTs", y_label="RSA signatures per second",
                           by="width", shared=False)
    figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles):
            axes.plot(line["lut"], line["signatures_per_s"], **dots(style))
        others = _draw_others(axes, here)
        log_scale(axes, x=True)
        left, right = axes.get_xlim()
        axes.set_xlim(left, right * (right / left) ** 0.2)
        tell(axes, [*((left, rate, name) for rate, name in others),
                    *((fastest["lut"], fastest["signatures_per_s"], label)
                      for label, same in here.groupby("label")
                      for fastest in [same.loc[same["signatures_per_s"].idxmax()]])])
    legend(figure, points, lines=False,
           more={"reported by others, on other silicon": _OTHERS})
    return figure


def _draw_others(axes: Axes, points: pandas.DataFrame) -> list[tuple[float, str]]:
    """Draw the published rates of systems of others; return each rate and its name."""
    width = points["width"].iloc[0]
    found = [(figure.signatures_per_s, figure.core) for figures in published().values()
             for figure in figures if figure.width == width and not figure.is_here
             and present(figure.signatures_per_s)]
    for rate, _ in found:
        axes.axhline(rate, zorder=1, **_OTHERS)
    return found
