"""Clock frequency against width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.labels import present
from ._style import legend, lines, log_widths, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "over_width", "summary"]

needs = ("width", "fmax_mhz",)
over_width = True
summary = "Fmax against width, with the range over the seeds and the limit of the clock network"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target, with lines through the medians over the seeds.

    Bars extend from the lowest to the highest seed; medians that no line joins have no bars. The
    dotted line is the limit of the device's clock network, above which no core can be clocked.
    """
    figure, pairs = panels(points, x_label="Width, bits", y_label="Fmax, MHz")
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles):
            if not style["linestyle"]:
                # The bars of so many points would overlap.
                axes.plot(line["width"], line["fmax_mhz"], **style)
                continue
            below = line["fmax_mhz"] - line["fmax_mhz_min"]
            above = line["fmax_mhz_max"] - line["fmax_mhz"]
            axes.errorbar(line["width"], line["fmax_mhz"], yerr=[below, above], capsize=2.5,
                          elinewidth=0.9, **style)
        log_widths(axes, points["width"])
        limit = here["constraint_mhz"].max()
        if not present(limit):
            continue
        axes.axhline(limit, color="0.35", linestyle=":", linewidth=1.1)
        axes.set_title(f"clock network {limit:.0f} MHz", loc="right", fontsize=7.5, color="0.35")
    highest = points[["fmax_mhz_max", "constraint_mhz"]].max(axis=None)
    pairs[0][0].set_ylim(0, 1.1 * highest)
    legend(figure, points)
    return figure
