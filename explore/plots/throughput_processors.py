"""Throughput against the processors of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..papers import published
from ._rates import CROSS, listed
from ._style import (
    ends_of_lines,
    labelled,
    legend,
    lines,
    log_scale,
    log_widths,
    panels,
    series,
    tell,
)

if TYPE_CHECKING:
    import pandas
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
    import pandas

    points = points.assign(processors=pandas.to_numeric(points[column], errors="coerce"))
    points = labelled(points[points["processors"] >= 1].astype({"processors": int}), "processors")
    points["rate"] = points["processors"] * points["throughput_mbps"]
    figure, pairs = panels(points, x_label="Processors",
                           y_label="Throughput of independent\noperations, Mbit/s")
    arrays = {figure.width: (int(figure.figures["processors"]),
                             figure.figures["throughput_mibps"] * 2**20 / 1e6)
              for figure in published()["song_single_dsp"] if "throughput_mibps" in figure.figures}
    styles = series(points)
    ends, texts = list(points["processors"]), []
    for axes, here in pairs:
        for style, line in lines(here, styles, "processors", per_width=True):
            axes.plot(line["processors"], line["rate"], **style)
        theirs = [(*arrays[width], f"Song et al., Virtex-6: {width}")
                  for width in sorted(set(here["width"]) & arrays.keys())]
        for most, rate, _ in theirs:
            axes.plot([1, most], [rate / most, rate], color="0.6", linewidth=0.9, zorder=1)
            axes.plot([most], [rate], **CROSS)
            ends.append(most)
        texts.append([*theirs, *ends_of_lines(here, styles, "processors", "rate")])
    for (axes, _), of_panel in zip(pairs, texts, strict=True):
        log_widths(axes, ends)
        tell(axes, of_panel)
    log_scale(pairs[0][0])
    alone = f"Song et al. report arrays of {listed(sorted(arrays))} bits alone."
    legend(figure, points, notes=[alone if set(points["width"]) - arrays.keys() else ""])
    return figure
