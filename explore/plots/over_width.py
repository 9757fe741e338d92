"""Area, clock and growth against width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.labels import full_names, present, shown_names
from ..data.trends import FEWEST_WIDTHS, slopes
from . import Plot, _style

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["PLOTS"]

_INCHES = (10.8, 3.6)


def _draw_area(points: pandas.DataFrame) -> Figure:
    """Return one panel per target, with one line per series."""
    figure, pairs = _style.panels(points, x_label="Width, bits", y_label="Area, LUTs")
    styles = _style.series(points)
    for axes, here in pairs:
        _style.curves(axes, here, styles, "width", "lut")
        _style.log_widths(axes, points["width"])
    _style.log_scale(pairs[0][0])
    _style.legend(figure, points)
    return figure


def _draw_clock(points: pandas.DataFrame) -> Figure:
    """Return one panel per target, with lines through the medians over the seeds.

    Bars extend from the lowest to the highest seed. The dotted line is the limit of the device's
    clock network, above which no core can be clocked.
    """
    figure, pairs = _style.panels(points, x_label="Width, bits", y_label="Fmax, MHz")
    styles = _style.series(points)
    for axes, here in pairs:
        _style.curves(axes, here, styles, "width", "fmax_mhz", bars=True)
        _style.log_widths(axes, points["width"])
        limit = here["constraint_mhz"].max()
        if present(limit):
            axes.axhline(limit, color="0.35", linestyle=":", linewidth=1.1)
            axes.set_title(f"clock network {limit:.0f} MHz", loc="right", fontsize=7.5,
                           color="0.35")
    highest = points[["fmax_mhz_max", "constraint_mhz"]].max(axis=None)
    pairs[0][0].set_ylim(0, 1.1 * highest)
    _style.legend(figure, points)
    return figure


def _grows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether its form was measured at enough widths for a power."""
    forms = points.assign(form=full_names(points) if len(points) else [])
    return forms.groupby(["target", "form"])["width"].transform("nunique") >= FEWEST_WIDTHS


def _draw_growth(points: pandas.DataFrame) -> Figure:
    """Return three panels: LUTs, usable Fmax and latency, each over the width.

    The target is the one that has most points. The line of an architecture has the settings that
    were measured at most widths. The legend has its powers of :func:`explore.data.trends.slopes`.
    """
    from matplotlib.figure import Figure

    points, note = _style.of_usual_target(points)
    forms = slopes(points, points["kind"].iloc[0]).drop_duplicates("arch").set_index("core")
    points = points.assign(form=full_names(points), label=shown_names(points))
    points = points[points["form"].isin(forms.index)].sort_values("width")
    points["label"] = [f"{label}: {forms.at[form, 'lut']:.2f}, {forms.at[form, 'latency_us']:.2f}"
                       for label, form in zip(points["label"], points["form"], strict=True)]
    figure = Figure(figsize=_INCHES, layout="constrained")
    styles = _style.series(points)
    columns = {"lut": "Area, LUTs", "fmax_usable_mhz": "Usable Fmax, MHz",
               "latency_us": _style.latency_label(points)}
    for axes, (column, label) in zip(figure.subplots(1, 3), columns.items(), strict=True):
        _style.curves(axes, points, styles, "width", column)
        axes.set(xlabel="Width, bits", ylabel=label)
        _style.log_widths(axes, points["width"])
        _style.log_scale(axes)
    figure.axes[0].set_title(points["target"].iloc[0], loc="left", fontweight="bold")
    _style.legend(figure, points, notes=[
        note, "Numbers: the powers of the width with which LUTs and latency grow."])
    return figure


PLOTS = {
    "fmax_width": Plot(
        summary="Fmax against width, with the range over the seeds and the limit of the clock "
                "network",
        draw=_draw_clock, needs=("width", "fmax_mhz"), over_width=True),
    "growth": Plot(
        summary="LUTs, Fmax and latency against width on one target, with the power of each growth",
        draw=_draw_growth, needs=("width", "lut", "latency_us", "fmax_usable_mhz"), shows=_grows),
    "lut_width": Plot(
        summary="LUTs against width, both logarithmic: the slope tells how a core grows",
        draw=_draw_area, needs=("width", "lut"), over_width=True, area_only=True)}
