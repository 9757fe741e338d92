"""What the parameters of designs cost: a quantity against each parameter with several values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..data.labels import plain_name
from ._style import labelled, legend, lines, log_widths, panels, series

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw_parameters", "of_designs"]

_KIND = "design"


def of_designs(rows: pandas.DataFrame) -> pandas.Series:
    """Return, for each row or point, whether it is of a design with a parameter to be drawn."""
    shown = (rows["kind"] == _KIND) & False
    for _, same in rows[rows["kind"] == _KIND].groupby("arch"):
        shown[same.index] = any(True for _ in _varied(same))
    return shown


def _varied(same: pandas.DataFrame) -> Iterator[str]:
    """Yield the columns of those parameters of a design that have several numbers."""
    for name in ("width", *(name for name in same if name.startswith("param_"))):
        values = same[name].dropna()
        if values.nunique() > 1 and all(
                isinstance(value, int | float) and not isinstance(value, bool)
                for value in values.tolist()):
            yield name


def draw_parameters(points: pandas.DataFrame, quantity: str, y_label: str) -> Figure:
    """Return one panel per parameter and target; bars are ranges over the seeds, if it has any.

    A series is a design with the values of its other parameters.
    """
    import pandas

    parts = []
    for arch, same in points.groupby("arch"):
        for name in _varied(same):
            here = labelled(same[same[name].notna()], plain_name(name))
            parts.append(here.assign(at=here[name].astype(float), parameter=name,
                                     panel=f"{arch} {name} " + here["target"]))
    long = pandas.concat(parts, ignore_index=True)
    figure, pairs = panels(long, x_label="", y_label=y_label, by="panel", shared=False)
    styles = series(long)
    for axes, here in pairs:
        name = here["parameter"].iloc[0]
        for style, line in lines(here, styles, "at", per_width=name != "width"):
            ends = [abs(line[quantity] - line[f"{quantity}_{end}"]) for end in ("min", "max")]
            axes.errorbar(line["at"], line[quantity], yerr=ends, capsize=2.5, elinewidth=0.9,
                          **style)
        axes.set_xlabel(plain_name(name).capitalize().replace("_", " "))
        axes.set_ylim(0, 1.1 * here[f"{quantity}_max"].max())
        few = here["at"].nunique() == 1 or here["at"].min() <= here["at"].max() / 4
        if few and here["at"].min() > 0:
            log_widths(axes, here["at"])
    legend(figure, long)
    return figure
