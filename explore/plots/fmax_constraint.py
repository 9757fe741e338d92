"""Frequency against the constraint that nextpnr is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._style import labelled, legend, lines, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["column", "draw", "needs", "summary"]

column = "option_constraint_mhz"
needs = ("fmax_mhz", "constraint_mhz")
summary = "Fmax against the constraint, with the range of the seeds, a line for each core"

_MET: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "linestyle": "--"}


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; bars are ranges over the seeds.

    On the dashed line, a core is as fast as it was asked to be. Points without the option, whose
    constraint is the limit of the clock network, are left out.
    """
    points = labelled(points, "constraint_mhz")
    figure, pairs = panels(points, x_label="Constraint, MHz", y_label="Fmax, MHz")
    styles = series(points)
    for axes, here in pairs:
        ends = here["constraint_mhz"].min(), here["constraint_mhz"].max()
        axes.plot(ends, ends, zorder=1, **_MET)
        for style, line in lines(here, styles, "constraint_mhz", per_width=True):
            below, above = (line["fmax_mhz"] - line["fmax_mhz_min"],
                            line["fmax_mhz_max"] - line["fmax_mhz"])
            axes.errorbar(line["constraint_mhz"], line["fmax_mhz"], [below, above], capsize=2,
                          elinewidth=0.8, **style)
    legend(figure, points, more={"as asked for": _MET})
    return figure
