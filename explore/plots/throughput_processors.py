"""Throughput against the processors of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..papers import published
from ._style import (
    counts,
    labelled,
    legend,
    lines,
    log_scale,
    log_widths,
    panels,
    series,
)
from ._widths import ends_of_lines, tell

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["column", "draw", "needs", "summary"]

column = "param_processors"
needs = ("throughput_mbps",)
summary = "Throughput of an array against its processors, with what Song et al. publish"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a line joins arrays that differ only in processors.

    Each processor works on an exponentiation of its own, so the throughput of an array is the
    throughput of one processor at the clock of the array, times the number of processors. Cores
    without processors are left out. Crosses are the arrays of Table VII of Song et al.; grey
    lines show the throughput for fewer processors, from which Table VII was computed.
    """
    points, processors = counts(points, "param_processors")
    points = labelled(points.assign(processors=processors), "processors")
    points["rate"] = points["processors"] * points["throughput_mbps"]
    figure, pairs = panels(points, x_label="Processors",
                           y_label="Throughput of independent\noperations, Mbit/s")
    ends = list(points["processors"])
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles, "processors", per_width=True):
            axes.plot(line["processors"], line["rate"], **style)
        for width, most, rate in _published(set(here["width"])):
            _draw_published(axes, width, most, rate)
            ends.append(most)
    for axes, _ in pairs:
        log_widths(axes, ends)
    log_scale(pairs[0][0])
    for axes, here in pairs:
        tell(axes, ends_of_lines(here, styles, "processors", "rate"))
    legend(figure, points)
    return figure


def _published(widths: set[int]) -> list[tuple[int, int, float]]:
    """Return width in bits, processors, and throughput in Mbit/s of each published array."""
    return [(figure.width, int(figure.figures["processors"]),
             figure.figures["throughput_mibps"] * 2**20 / 1e6)
            for figure in published()["song_single_dsp"]
            if figure.width in widths and "throughput_mibps" in figure.figures]


def _draw_published(axes: Axes, width: int, most: int, rate: float) -> None:
    axes.plot([1, most], [rate / most, rate], color="0.6", linewidth=0.9, zorder=1)
    axes.plot([most], [rate], color="0.4", marker="x")
    axes.annotate(f"Song et al., Virtex-6: {width}", (most, rate), (2, 6),
                  textcoords="offset points", fontsize=7.5, color="0.35",
                  horizontalalignment="right")
