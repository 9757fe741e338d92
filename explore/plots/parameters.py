"""What parameters and constraints cost: a quantity against each that has several values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..data.labels import plain_name
from ..papers import published
from . import Plot, _style
from ._others import CROSS, listed

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["PLOTS"]

_DESIGN = "design"
_MET: dict[str, Any] = {"color": "0.6", "linewidth": 0.9, "linestyle": "--"}


def _of_designs(rows: pandas.DataFrame) -> pandas.Series:
    """Return, for each row or point, whether it is of a design with a parameter to be drawn."""
    shown = (rows["kind"] == _DESIGN) & False
    for _, same in rows[rows["kind"] == _DESIGN].groupby("arch"):
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


def _draw_designs(points: pandas.DataFrame, quantity: str, y_label: str) -> Figure:
    """Return one panel per parameter and target; bars are ranges over the seeds, if it has any.

    A series is a design with the values of its other parameters.
    """
    import pandas

    parts = []
    for arch, same in points.groupby("arch"):
        for name in _varied(same):
            here = _style.labelled(same[same[name].notna()], plain_name(name))
            parts.append(here.assign(at=here[name].astype(float), parameter=name,
                                     panel=f"{arch} {name} " + here["target"]))
    long = pandas.concat(parts, ignore_index=True)
    figure, pairs = _style.panels(long, x_label="", y_label=y_label, by="panel", shared=False)
    styles = _style.series(long)
    for axes, here in pairs:
        name = here["parameter"].iloc[0]
        _style.curves(axes, here, styles, "at", quantity, bars=True, per_width=name != "width")
        axes.set_xlabel(plain_name(name).capitalize().replace("_", " "))
        axes.set_ylim(0, 1.1 * here[f"{quantity}_max"].max())
        few = here["at"].nunique() == 1 or here["at"].min() <= here["at"].max() / 4
        if few and here["at"].min() > 0:
            _style.log_widths(axes, here["at"])
    _style.legend(figure, long)
    return figure


def _draw_constraints(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; bars are ranges over the seeds.

    On the dashed line, a core is as fast as it was asked to be. Points without the option, whose
    constraint is the limit of the clock network, are left out.
    """
    points = _style.labelled(points, "constraint_mhz")
    figure, pairs = _style.panels(points, x_label="Constraint, MHz", y_label="Fmax, MHz")
    styles = _style.series(points)
    for axes, here in pairs:
        ends = here["constraint_mhz"].min(), here["constraint_mhz"].max()
        axes.plot(ends, ends, zorder=1, **_MET)
        _style.curves(axes, here, styles, "constraint_mhz", "fmax_mhz", bars=True, per_width=True)
    _style.legend(figure, points, more={"as asked for": _MET})
    return figure


def _draw_processors(points: pandas.DataFrame) -> Figure:
    """Return one panel per target; a line joins arrays that differ only in processors.

    Each processor works on an exponentiation of its own, so the throughput of an array is the
    throughput of one processor at the clock of the array, times the number of processors. Cores
    without processors are left out. Crosses are the arrays of Table VII of Song et al.; grey
    lines show the throughput for fewer processors, from which Table VII was computed.
    """
    import pandas

    points = points.assign(
        processors=pandas.to_numeric(points["param_processors"], errors="coerce"))
    points = _style.labelled(points[points["processors"] >= 1].astype({"processors": int}),
                             "processors")
    points["rate"] = points["processors"] * points["throughput_mbps"]
    figure, pairs = _style.panels(points, x_label="Processors",
                                  y_label="Throughput of independent\noperations, Mbit/s")
    arrays = {figure.width: (int(figure.figures["processors"]),
                             figure.figures["throughput_mibps"] * 2**20 / 1e6)
              for figure in published()["song_single_dsp"] if "throughput_mibps" in figure.figures}
    styles = _style.series(points)
    ends, texts = list(points["processors"]), []
    for axes, here in pairs:
        _style.curves(axes, here, styles, "processors", "rate", per_width=True)
        theirs = [(*arrays[width], f"Song et al., Virtex-6: {width}")
                  for width in sorted(set(here["width"]) & arrays.keys())]
        for most, rate, _ in theirs:
            axes.plot([1, most], [rate / most, rate], color="0.6", linewidth=0.9, zorder=1)
            axes.plot([most], [rate], **CROSS)
            ends.append(most)
        texts.append([*theirs, *_style.ends_of_lines(here, styles, "processors", "rate")])
    for (axes, _), of_panel in zip(pairs, texts, strict=True):
        _style.log_widths(axes, ends)
        _style.tell(axes, of_panel)
    _style.log_scale(pairs[0][0])
    alone = f"Song et al. report arrays of {listed(sorted(arrays))} bits alone."
    _style.legend(figure, points, notes=[alone if set(points["width"]) - arrays.keys() else ""])
    return figure


PLOTS = {
    "fmax_constraint": Plot(
        summary="Fmax against the constraint, with the range of the seeds, a line for each core",
        draw=_draw_constraints, needs=("fmax_mhz", "constraint_mhz"),
        column="option_constraint_mhz"),
    "fmax_parameter": Plot(
        summary="Fmax of designs without a model against each parameter that a sweep varies",
        draw=partial(_draw_designs, quantity="fmax_mhz", y_label="Fmax, MHz"),
        needs=("fmax_mhz",), shows=_of_designs),
    "lut_parameter": Plot(
        summary="LUTs of designs without a model against each parameter that a sweep varies",
        draw=partial(_draw_designs, quantity="lut", y_label="Area, LUTs"),
        needs=("lut",), shows=_of_designs, area_only=True),
    "throughput_processors": Plot(
        summary="Throughput of an array against its processors, with what Song et al. publish",
        draw=_draw_processors, needs=("throughput_mbps",), column="param_processors")}
