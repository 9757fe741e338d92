"""The style that plots share: series, panels, axes and legends."""

from __future__ import annotations

import contextlib
import os
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..data.labels import core_names, labels, shown_names
from ..data.versions import OUTSIDE, has_earlier, origins
from ..devices import targets
from ._looks import MOST_WIDTHS, TEXT_SIZE, look, text_points

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curves", "dots", "ends_of_lines", "keep_cache_in", "labelled", "latency_label",
           "legend", "lines", "log_scale", "log_widths", "of_usual_target", "operation",
           "panels", "series", "styled", "tell"]

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "axes.titlesize": 9, "axes.labelsize": 9, "xtick.labelsize": TEXT_SIZE,
    "ytick.labelsize": TEXT_SIZE, "axes.formatter.useoffset": False, "legend.fontsize": TEXT_SIZE,
    "legend.frameon": False, "legend.handlelength": 2.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.7,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "0.9", "grid.linewidth": 0.6,
    "xtick.major.width": 0.7, "ytick.major.width": 0.7, "lines.linewidth": 1.3,
    "lines.markersize": 5, "svg.fonttype": "path", "figure.dpi": 100,
    # A name is never a formula.
    "text.parse_math": False,
    # Fixed names of elements, so that the same data give the same bytes.
    "svg.hashsalt": "montgomery",
}
#: Dashes and fillings of markers of the forms of a core, which have its colour and its mark.
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_FILLINGS = ("full", "left", "top", "right", "bottom")
#: Sum of the spaces between columns of a legend, and between a line and its text, in font sizes.
_LEGEND_SPACES = 2.8
#: Size of a note, and points of one of its lines; points of a letter in it and in a legend; letters
#: that have room where a legend has lines.
_NOTE_SIZE, _NOTE_LINE, _LETTER, _BESIDE = 7.5, 10, 4.4, 16
#: Largest number of series in a legend: six rows of four.
_MOST_SERIES = 24
_PANEL_INCHES = (3.6, 2.9)
_PANELS_A_ROW = 3


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw in this module's style, whatever the user's own settings are."""
    import matplotlib
    import matplotlib.style

    with matplotlib.style.context("default", after_reset=True), matplotlib.rc_context(_STYLE), \
            warnings.catch_warnings():
        # A character that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def keep_cache_in(folder: Path) -> None:
    """Make matplotlib keep its list of fonts in ``folder``, unless the user chose another place.

    The function does nothing if the folder cannot be written. Call it before the first drawing.
    """
    cache = folder / "matplotlib"
    if os.access(cache if cache.exists() else folder, os.W_OK):
        os.environ.setdefault("MPLCONFIGDIR", str(cache))


def labelled(points: pandas.DataFrame, *without: str) -> pandas.DataFrame:
    """Return points with a column ``label`` that has the name of the series of each point.

    A series is a core with the settings in which its points differ, except those of the names in
    ``without``, which are on an axis. If these are more than a legend can hold, all points of a
    core are one series.
    """
    found = labels(points, without)
    if len(set(found)) > _MOST_SERIES:
        found = shown_names(points)
    return points.assign(label=found)


def series(points: pandas.DataFrame) -> dict[str, dict[str, Any]]:
    """Return a dictionary from each series of a figure to its style, in alphabetical order.

    A series is a value of the column ``label`` of :func:`labelled`. It has the look of its core;
    several series of a core differ in dashes and in the filling of markers.
    """
    cores = dict(zip(points["label"], core_names(points), strict=True))
    forms: Counter[str] = Counter()
    found = {}
    for label in sorted(cores):
        colour, mark = look(cores[label])
        form = forms[cores[label]]
        forms[cores[label]] += 1
        found[label] = {"color": colour, "marker": mark,
                        "linestyle": _DASHES[form % len(_DASHES)],
                        "fillstyle": _FILLINGS[form % len(_FILLINGS)],
                        "markeredgecolor": colour if form else "white", "markeredgewidth": 0.6}
    return found


def dots(style: Mapping[str, Any]) -> dict[str, Any]:
    """Return the style of points that are not joined by lines; their markers are translucent."""
    from matplotlib.colors import to_rgba

    return {"markerfacecolor": to_rgba(style["color"], 0.35), **style, "linestyle": "",
            "markeredgewidth": 1.0, "markeredgecolor": style["color"]}


def lines(points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]], along: str = "width",
          *, per_width: bool = False) -> Iterator[tuple[dict[str, Any], pandas.DataFrame]]:
    """Yield the style and the points of each series of a panel, in rising order of a column.

    The points of a series are not joined by a line if several have the same value in the column.
    With ``per_width`` each series is divided by width, unless these are too many. Those of earlier
    versions of a core follow once more, in the style of hollow markers.
    """
    ordered = points.sort_values(along, kind="stable")
    per = ["width"] if per_width and points["width"].nunique() <= MOST_WIDTHS else []
    for (label, *_), line in ordered.groupby(["label", *per], sort=True):
        style = styles[label]
        yield style | {"linestyle": ""} if line[along].duplicated().any() else style, line
        if has_earlier(line):
            yield _hollow(style), line[line["earlier"]]


def curves(axes: Axes, points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]], x: str,
           y: str, *, along: str = "", bars: bool = False, per_width: bool = False) -> None:
    """Draw the :func:`lines` of a panel, in rising order of ``x`` unless of another column.

    Bars extend from the lowest to the highest seed; medians that no line joins have none, since
    the bars of so many points would overlap.
    """
    for style, line in lines(points, styles, along or x, per_width=per_width):
        if bars and style["linestyle"]:
            ends = [abs(line[y] - line[f"{y}_{end}"]) for end in ("min", "max")]
            axes.errorbar(line[x], line[y], yerr=ends, capsize=2.5, elinewidth=0.9, **style)
        else:
            axes.plot(line[x], line[y], **style)


def _hollow(style: Mapping[str, Any]) -> dict[str, Any]:
    """Return the style of points of earlier versions, which are drawn over the others."""
    return {**style, "linestyle": "", "markerfacecolor": "white", "markeredgewidth": 1.0,
            "markeredgecolor": style["color"]}


def panels(points: pandas.DataFrame, *, x_label: str, y_label: str, by: str = "target",
           shared: bool = True) -> tuple[Figure, list[tuple[Axes, pandas.DataFrame]]]:
    """Return a new figure and the axes of each of its panels, with the points of the panel.

    There is a panel for each value of the column ``by``; ``shared`` says whether all have the same
    scales. The title of a panel names the kind of LUT of the target unless it is a LUT4. The labels
    of the scales stand at the left and at the bottom of the figure.
    """
    from matplotlib.figure import Figure

    names = sorted(set(points[by]))
    columns = min(len(names), _PANELS_A_ROW)
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(max(_PANEL_INCHES[0] * columns, 4.6), _PANEL_INCHES[1] * rows + 0.5),
                    layout="constrained")
    grid = list(figure.subplots(rows, columns, sharex=shared, sharey=shared, squeeze=False).flat)
    for axes in grid[len(names):]:
        axes.remove()
    pairs = []
    for index, (axes, name) in enumerate(zip(grid, names, strict=False)):
        here = points[points[by] == name]
        titles = dict.fromkeys(map(_title, here["target"]))
        titles |= {f"{name} bits": None} if by == "width" else {}
        axes.set_title(", ".join(titles), loc="left", fontweight="bold")
        if index % columns == 0:
            axes.set_ylabel(y_label)
        if index + columns >= len(names):
            axes.set_xlabel(x_label)
        axes.tick_params(labelbottom=True, labelleft=True)
        pairs.append((axes, here))
    return figure, pairs


def _title(target: str) -> str:
    known_as = targets().get(target)
    return target if known_as is None or known_as.lut_name == "LUT4" else \
        f"{target}, {known_as.lut_name}"


def of_usual_target(points: pandas.DataFrame) -> tuple[pandas.DataFrame, str]:
    """Return the points of the target that has most of them, and a note if there are others."""
    usual = points["target"].mode().iloc[0]
    others = sorted({*points["target"]} - {usual})
    note = f"{usual} alone, which has most points; -t chooses {' or '.join(others)}."
    return points[points["target"] == usual], note if others else ""


def operation(points: pandas.DataFrame) -> str:
    """Return the noun for one operation of the cores; ``operation`` if their kinds differ."""
    from montgomery import KINDS

    words = {KINDS[kind].operation for kind in points["kind"]}
    return words.pop() if len(words) == 1 else "operation"


def latency_label(points: pandas.DataFrame) -> str:
    """Return the label of an axis of latencies."""
    word = operation(points)
    return f"Latency of {'an' if word[0] in 'aeiou' else 'a'} {word}, µs"


def log_widths(axes: Axes, widths: Iterable[float]) -> None:
    """Make the horizontal axis logarithmic, with ticks at the :func:`marked` widths.

    A single width is in the middle, between half and twice of it.
    """
    from matplotlib.ticker import NullLocator

    from ._fitting import Values

    values = sorted(set(widths))
    axes.set_xscale("log", base=2)
    if len(values) == 1:
        values = [*[values[0] / 2] * (values[0] % 2 == 0), values[0], 2 * values[0]]
        axes.set_xlim(values[-1] / 4.8, values[-1] * 1.2)
    axes.xaxis.set_major_locator(Values(values))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_locator(NullLocator())


def log_scale(axes: Axes, *, x: bool = False) -> None:
    """Make the vertical scale of axes logarithmic, or both.

    The data must have been drawn. A scale covers at least a factor of four, since a shorter scale
    would exaggerate small differences.
    """
    from matplotlib.ticker import NullLocator

    from ._fitting import Decades

    for axis in [axes.xaxis] * x + [axes.yaxis]:
        axes.set(**{f"{axis.axis_name}scale": "log"})
        low, high = axis.get_view_interval()
        spread = max(4 * low / high, 1) ** 0.5
        axes.set(**{f"{axis.axis_name}lim": (low / spread, high * spread)})
        axis.set_major_locator(Decades())
        axis.set_major_formatter(lambda value, _position: f"{value:g}" if value < 1e5
                                 else f"{value:.0f}")
        axis.set_minor_locator(NullLocator())


def tell(axes: Axes, texts: Iterable[tuple[float, float, str]]) -> None:
    """Write texts beside their points, of which each has x, y and its text.

    A text is left out if it would lie on a point, on another text or outside in every place.
    """
    from matplotlib.patheffects import withStroke

    from ._fitting import Beside

    axes.add_artist(Beside([axes.annotate(
        text, (x, y), (0, 0), textcoords="offset points", fontsize=7.5, color="0.25",
        horizontalalignment="center", verticalalignment="center", in_layout=False,
        path_effects=[withStroke(linewidth=2, foreground="white")]) for x, y, text in texts]))


def ends_of_lines(points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]], x: str, y: str
                  ) -> list[tuple[float, float, str]]:
    """Return x and y of the end of each line of a panel, and a text with its width.

    Lines whose points have several widths are left out.
    """
    every = (line for _, line in lines(points, styles, x, per_width=True))
    return [(line.iloc[-1][x], line.iloc[-1][y], f"{line.iloc[-1]['width']} bits")
            for line in every if line["width"].nunique() == 1]


def legend(figure: Figure, points: pandas.DataFrame, *, lines: bool = True,
           more: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
           notes: Iterable[str] = ()) -> None:
    """Add one legend for all panels, below them.

    ``lines`` says whether points are joined by lines; ``more`` has the style of each further entry,
    and ``notes`` are sentences above the entries, of which empty ones are left out.
    """
    from matplotlib.lines import Line2D

    if has_earlier(points):
        more = {**more, "earlier version of the core": _hollow({"color": "0.4", "marker": "o"})}
    if any(origins(points)):
        more = {**more, f"{OUTSIDE} not of this package": {"linestyle": ""}}
    entries = {label: style if lines else dots(style) for label, style in series(points).items()}
    inches = 72 * figure.get_figwidth()
    # A label that begins with an underscore would be left out.
    handles = [Line2D([], [], label=textwrap.fill(
        f" {label}" if label.startswith("_") else label, int(inches / _LETTER) - _BESIDE),
        **style) for label, style in {**entries, **more}.items()]
    columns = min(len(handles), 2 if figure.get_figwidth() < 6 else 4)
    widths = [text_points(str(handle.get_label())) for handle in handles]
    while columns > 1 and _legend_points(widths, columns) > inches:
        columns -= 1
    text = textwrap.wrap(" ".join(filter(None, notes)), int(inches / _LETTER))
    rows = -(-len(handles) // columns)
    if columns == 1:
        rows += sum(str(handle.get_label()).count("\n") for handle in handles)
    # The figure already has room for two rows.
    figure.set_figheight(figure.get_figheight() + 0.17 * max(rows - 2, 0)
                         + len(text) * _NOTE_LINE / 72)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns,
                  title="\n".join(text) or None, title_fontsize=_NOTE_SIZE)


def _legend_points(widths: Sequence[float], columns: int) -> float:
    """Return the width in points of a legend, which fills its columns one after another."""
    import numpy

    beside = (_STYLE["legend.handlelength"] + _LEGEND_SPACES) * TEXT_SIZE
    return sum(max(column) + beside for column in numpy.array_split(widths, columns))
