"""Time and area against what a radix is: iterations a clock, bits of a digit, units, windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..data.labels import core_names, full_names
from ..papers._compare import luts, microseconds
from . import Plot, _style
from ._others import STAR, every, why_few_stars

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS"]

_INCHES = (3.0, 2.3)


def _param(*names: str) -> Callable[[pandas.DataFrame], pandas.Series]:
    """Return a function from points to the first of some parameters that each point has."""
    def value(points: pandas.DataFrame) -> pandas.Series:
        import pandas

        found = pandas.Series(float("nan"), points.index)
        for name in names:
            if f"param_{name}" in points:
                found = found.fillna(pandas.to_numeric(points[f"param_{name}"], errors="coerce"))
        return found[found >= 1]

    return value


def _digits(points: pandas.DataFrame) -> pandas.Series:
    """Return the bits of a digit; where elements have other bits, a word is no digit."""
    found = _param("digit_width", "word_width")(points)
    return found.drop(found.index.intersection(_param("pe_width")(points).index))


def _blocks(points: pandas.DataFrame) -> pandas.Series:
    """Return the multiplier blocks of cores whose units can be chosen."""
    chosen = [f"param_{name}" for name in ("processing_elements", "rowers", "processors", "arrays")
              if f"param_{name}" in points]
    return points["dsp"][points[chosen].notna().any(axis=1) & (points["dsp"] > 0)]


#: From the label of an axis to its value for each point that has one, and the parameters in which
#: the points of a line differ.
_AXES: dict[str, tuple[Callable[[pandas.DataFrame], pandas.Series], tuple[str, ...]]] = {
    "Iterations per clock": (_param("steps"), ("steps",)),
    "Bits of a digit": (_digits, ("digit_width", "word_width")),
    "Bits of a processing element": (_param("pe_width"), ("pe_width",)),
    "Multiplier blocks": (_blocks, ("processing_elements", "rowers", "processors", "arrays")),
    "Bits of a window": (_param("window"), ("window",)),
}

Line = tuple[str, int, "pandas.DataFrame"]


def _shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is on a line."""
    import pandas

    on_lines = [line.index for label in _AXES for _, _, line in _lines(points, label)]
    return pandas.Series(points.index.isin([index for line in on_lines for index in line]),
                         points.index)


def _lines(points: pandas.DataFrame, label: str) -> list[Line]:
    """Return the core, the width and the points of each line over an axis, by rising value ``x``.

    Only the target with most points is shown. The points of a line differ in nothing else, and
    their values do.
    """
    value, names = _AXES[label]
    values = value(points)
    here = points.loc[values.index].assign(x=values.astype(int))
    if here.empty:
        return []
    here = here[here["target"] == points["target"].mode().iloc[0]]
    rest = [" ".join(word for word in name.split() if word.partition("=")[0] not in names)
            for name in full_names(here)]
    found = here.assign(core=core_names(here), rest=rest)
    return [(core, width, line.sort_values("x"))
            for (core, width, _), line in found.groupby(["core", "width", "rest"])
            if line["x"].nunique() > 1]


def _draw(points: pandas.DataFrame) -> Figure:
    """Return a column of two panels for each quantity: latency above, LUTs below.

    A line has the points of a core and a width that differ in nothing else; the number at its end
    is the width. A star is the figure of the core's paper, on silicon of its own.
    """
    from matplotlib.figure import Figure

    axes_of = {label: found for label in _AXES if (found := _lines(points, label))}
    shown, note = points[_shows(points)], _style.of_usual_target(points)[1]
    styles = _style.series(shown.assign(label=core_names(shown)))
    figure = Figure(figsize=(max(_INCHES[0] * len(axes_of), 4.6), 2 * _INCHES[1] + 0.6),
                    layout="constrained")
    grid = figure.subplots(2, len(axes_of), sharex="col", sharey="row", squeeze=False)
    for axes in grid.flat:
        axes.tick_params(labelbottom=True, labelleft=True)
    named = {"latency_us": _style.latency_label(points), "lut": "Area, LUTs"}
    stars = False
    for row, (column, y_label) in zip(grid, named.items(), strict=True):
        row[0].set_ylabel(y_label)
        for axes, (x_label, found) in zip(row, axes_of.items(), strict=True):
            for core, _, line in found:
                _style.curves(axes, line.assign(label=core), styles, "x", column)
            stars |= _draw_papers(axes, x_label, found, column, styles)
            if column == "lut":
                axes.set_xlabel(x_label)
        _style.log_scale(row[0])
    for row, column in zip(grid, named, strict=True):
        for axes, found in zip(row, axes_of.values(), strict=True):
            _style.log_widths(axes, [x for _, _, line in found for x in line["x"]])
            _style.tell(axes, [(line["x"].iloc[-1], line[column].iloc[-1], str(width))
                               for _, width, line in found])
    grid[0][0].set_title(shown["target"].iloc[0], loc="left", fontweight="bold")
    _style.legend(figure, shown.assign(label=core_names(shown)), notes=[note, why_few_stars(shown)],
                  more={"in its paper, own silicon": STAR} if stars else {})
    return figure


def _draw_papers(axes: Axes, label: str, found: list[Line], column: str,
                 styles: Mapping[str, dict[str, Any]]) -> bool:
    """Draw what the papers report of the lines' cores and widths; return whether they do."""
    import pandas

    drawn = False
    for each in every():
        if (each.name, each.width) not in {(core, width) for core, width, _ in found}:
            continue
        own = pandas.DataFrame([{f"param_{name}": value for name, value in each.params.items()}
                                | {"dsp": each.figures.get("dsp")}])
        y = luts(each) if column == "lut" else microseconds(each)
        for x in _AXES[label][0](own) if y else ():
            axes.plot([x], [y], **STAR | {"color": styles[each.name]["color"]})
            drawn = True
    return drawn


PLOTS = {"radix": Plot(
    summary="Latency and LUTs against iterations a clock, bits of a digit or element, units, "
            "windows",
    draw=_draw, needs=("lut", "latency_us"), shows=_shows)}
