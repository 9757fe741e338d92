"""Area, clock and time against width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.labels import full_names, shown_names
from ..data.trends import FEWEST_WIDTHS, slopes
from ._style import latency_label, legend, lines, log_scale, log_widths, of_usual_target, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("width", "lut", "latency_us", "fmax_usable_mhz")
summary = "LUTs, Fmax and latency against width on one target, with the power of each growth"

_INCHES = (10.8, 3.6)


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether its form was measured at enough widths for a power."""
    forms = points.assign(form=full_names(points) if len(points) else [])
    return forms.groupby(["target", "form"])["width"].transform("nunique") >= FEWEST_WIDTHS


def draw(points: pandas.DataFrame) -> Figure:
    """Return three panels: LUTs, usable Fmax and latency, each over the width.

    The target is the one that has most points. The line of an architecture has the settings that
    were measured at most widths. The legend has its powers of :func:`explore.data.trends.slopes`.
    """
    from matplotlib.figure import Figure

    points, note = of_usual_target(points)
    forms = slopes(points, points["kind"].iloc[0]).drop_duplicates("arch").set_index("core")
    points = points.assign(form=full_names(points), label=shown_names(points))
    points = points[points["form"].isin(forms.index)].sort_values("width")
    points["label"] = [f"{label}: {forms.at[form, 'lut']:.2f}, {forms.at[form, 'latency_us']:.2f}"
                       for label, form in zip(points["label"], points["form"], strict=True)]
    figure = Figure(figsize=_INCHES, layout="constrained")
    styles = series(points)
    columns = {"lut": "Area, LUTs", "fmax_usable_mhz": "Usable Fmax, MHz",
               "latency_us": latency_label(points)}
    for axes, (column, label) in zip(figure.subplots(1, 3), columns.items(), strict=True):
        for style, line in lines(points, styles):
            axes.plot(line["width"], line[column], **style)
        axes.set(xlabel="Width, bits", ylabel=label)
        log_widths(axes, points["width"])
        log_scale(axes)
    figure.axes[0].set_title(points["target"].iloc[0], loc="left", fontweight="bold")
    legend(figure, points, notes=[
        note, "Numbers: the powers of the width with which LUTs and latency grow."])
    return figure
