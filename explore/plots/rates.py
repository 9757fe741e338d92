"""What is done in a second against area."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..data.labels import present, shown_names
from ..data.rates import POINTS, RSA_BITS, independent_mbps, rate_of, with_rate
from . import Plot, _style
from ._others import every, listed

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS"]

_OTHERS: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "linestyle": ":"}
_MORE_INCHES = 0.9


def _draw_throughput(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a line joins the points of a series by rising width.

    That of a core that does not overlap operations is the throughput of dependent ones.
    """
    points = points.assign(mbps=independent_mbps(points))
    figure, pairs = _style.panels(
        points, x_label="Area, LUTs",
        y_label=f"Throughput of independent\n{_style.operation(points)}s, Mbit/s")
    styles = _style.series(points)
    for axes, here in pairs:
        _style.curves(axes, here, styles, "lut", "mbps", along="width")
    _style.log_scale(pairs[0][0], x=True)
    _style.legend(figure, points)
    return figure


def _signs(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is of a core that makes RSA signatures of a usual length."""
    from montgomery import KINDS

    makes = [name for name, kind in KINDS.items() if kind.does_rsa]
    return points["kind"].isin(makes) & points["width"].isin(RSA_BITS)


def _draw_rates(points: pandas.DataFrame, y_label: str) -> Figure:
    """Return one panel per width, with the cores of the target that has most of them.

    A dotted line is the rate that a system of others reports on other silicon, whose area is not
    known in LUTs. The kinds of the cores make the same.
    """
    points, note = _style.of_usual_target(points)
    rate = rate_of(points["kind"].iloc[0])
    points = with_rate(points, rate).assign(label=shown_names(points))
    figure, pairs = _style.panels(points, x_label="Area, LUTs", y_label=y_label, by="width",
                                  shared=False)
    figure.set_figheight(figure.get_figheight() + _MORE_INCHES)
    styles, alone = _style.series(points), []
    for axes, here in pairs:
        for style, line in _style.lines(here, styles):
            axes.plot(line["lut"], line[rate], **_style.dots(style))
        width = here["width"].iloc[0]
        others = _draw_others(axes, width, rate)
        alone += [width] * (not others)
        _style.log_scale(axes, x=True)
        left, right = axes.get_xlim()
        axes.set_xlim(left, right * (right / left) ** 0.2)
        _style.tell(axes, [*((left, value, name) for value, name in others),
                           *((fastest["lut"], fastest[rate], label)
                             for label, same in here.groupby("label")
                             for fastest in [same.loc[same[rate].idxmax()]])])
    why = f"Nobody is known to report a rate at {listed(alone)} bits." if alone else ""
    _style.legend(figure, points, lines=False, notes=[note, why],
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


PLOTS = {
    "scalar_multiplications_lut": Plot(
        summary="Scalar multiplications in a second against LUTs, one panel per length of a "
                "coordinate",
        draw=partial(_draw_rates, y_label="Scalar multiplications per second"),
        needs=("lut", "latency_us"), shows=lambda points: points["kind"].isin(POINTS)),
    "signatures_lut": Plot(
        summary="RSA signatures in a second against LUTs, one panel per length of the key",
        draw=partial(_draw_rates, y_label="RSA signatures per second"),
        needs=("lut", "latency_us"), shows=_signs, of_any_kind=True),
    "throughput_lut": Plot(
        summary="Throughput of independent operations against LUTs, both logarithmic",
        draw=_draw_throughput, needs=("lut", "throughput_mbps"))}
