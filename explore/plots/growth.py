"""Area, clock and time against width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.labels import core_names, full_names
from ._style import latency_label, legend, lines, log_scale, log_widths, series
from ._widths import tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("lut", "latency_us", "fmax_usable_mhz")
summary = "LUTs, Fmax and latency against width on one target, with the power of each growth"


_INCHES = (10.8, 3.6)
#: Widths that a power is fitted to.
_FEWEST_WIDTHS = 3


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether there are others of another width."""
    import pandas

    return pandas.Series(points["width"].nunique() > 1, points.index)


def draw(points: pandas.DataFrame) -> Figure:
    """Return three panels: LUTs, usable Fmax and latency, each over the width.

    The target is the one that has most points. The line of an architecture has the settings that
    were measured at most widths. The number at its end is the power of the width with which it
    grows: least squares on the logarithms of three widths or more.
    """
    import numpy
    from matplotlib.figure import Figure

    points = points[points["target"] == points["target"].mode().iloc[0]]
    points = _usual_settings(points)
    figure = Figure(figsize=_INCHES, layout="constrained")
    styles = series(points)
    columns = {"lut": "Area, LUTs", "fmax_usable_mhz": "Usable Fmax, MHz",
               "latency_us": latency_label(points)}
    for axes, (column, label) in zip(figure.subplots(1, 3), columns.items(), strict=True):
        for style, line in lines(points, styles):
            axes.plot(line["width"], line[column], **style)
        ends = []
        for _, line in points.sort_values("width").groupby("label"):
            if line["width"].nunique() >= _FEWEST_WIDTHS:
                power = numpy.polyfit(numpy.log(line["width"]), numpy.log(line[column]), 1)[0]
                ends.append((line["width"].iloc[-1], line[column].iloc[-1], f"{power:.2f}"))
        axes.set(xlabel="Width, bits", ylabel=label)
        log_widths(axes, points["width"])
        log_scale(axes)
        left, right = axes.get_xlim()
        # Leave room for the numbers.
        axes.set_xlim(left, right * (right / left) ** 0.1)
        tell(axes, ends if column != "fmax_usable_mhz" else [])
    figure.axes[0].set_title(points["target"].iloc[0], loc="left", fontweight="bold")
    legend(figure, points)
    return figure


def _usual_settings(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the points of the series of each core that has most widths, named after the core."""
    points = points.assign(core=core_names(points), label=full_names(points))
    widths = points.groupby(["core", "label"])["width"].nunique().reset_index()
    best = widths.sort_values(["core", "width"], kind="stable").drop_duplicates("core", keep="last")
    points = points[points["label"].isin(best["label"])]
    return points.assign(label=points["core"])
