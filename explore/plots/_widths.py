"""Lines over another quantity than the width, each with its width beside its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._style import (
    counts,
    labelled,
    latency_label,
    legend,
    lines,
    log_scale,
    log_widths,
    panels,
    series,
)

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ELEMENTS", "STEPS", "ends_of_lines", "over_blocks", "over_steps", "tell"]

#: Columns of the parameters that plots are over.
STEPS, ELEMENTS = "param_steps", "param_processing_elements"

#: Height of a text beside a point, and mean width of its letters, in points; moves in heights.
_TEXT_POINTS = (9, 4.6)
_MOVES = (0, 0.5, -0.5, 1, -1, 1.5, -1.5)


def tell(axes: Axes, texts: Iterable[tuple[float, float, str]]) -> None:
    """Write texts to the right of their points, of which each has x, y and its text.

    The lines must have been drawn, and the scales must not change afterwards. A text that would lie
    on a point or on another text is moved up or down, or left out if no place is free.
    """
    import numpy
    from matplotlib.patheffects import withStroke

    height, letter = _TEXT_POINTS
    inches = 72 / axes.figure.dpi
    drawn = [axes.transData.transform(line.get_xydata()) * inches
             for line in axes.lines if line.get_marker() != "None"]
    points = numpy.concatenate(drawn or [numpy.empty(0)])
    floor = axes.transAxes.transform((0, 0))[1] * inches + height / 2
    taken: list[tuple[float, float, float]] = []
    for x, y, text in texts:
        left, bottom = axes.transData.transform((x, y)) * inches
        right = left + letter * len(text) + height
        for move in _MOVES:
            middle = bottom + move * height
            on_text = any(left < end and begin < right and abs(middle - other) < height
                          for begin, end, other in taken)
            on_point = any(left + 4 < across < right and abs(middle - up) < height
                           for across, up in points)
            if not on_text and not on_point and (move == 0 or middle > floor):
                taken.append((left, right, middle))
                axes.annotate(text, (x, y), (5, move * height - 3), textcoords="offset points",
                              fontsize=7.5, color="0.25",
                              path_effects=[withStroke(linewidth=2, foreground="white")])
                break


def ends_of_lines(points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]], x: str, y: str
                  ) -> list[tuple[float, float, str]]:
    """Return x and y of the end of each line of a panel, and a text with its width.

    Lines whose points have several widths are left out.
    """
    every = (line for _, line in lines(points, styles, x, per_width=True))
    return [(line.iloc[-1][x], line.iloc[-1][y], f"{line.iloc[-1]['width']} bits")
            for line in every if line["width"].nunique() == 1]


def over_steps(points: pandas.DataFrame, y: str, y_label: str = "") -> Figure:
    """Return the plot of a column over the iterations per cycle; see :func:`_width_lines`.

    Architectures without that parameter are left out.
    """
    points, steps = counts(points, STEPS)
    points = labelled(points.assign(steps=steps), "steps")
    return _width_lines(points, "steps", y, "Iterations per cycle", y_label)


def over_blocks(points: pandas.DataFrame, y: str, y_label: str = "") -> Figure:
    """Return the plot of a column over the multiplier blocks; see :func:`_width_lines`.

    Architectures without processing elements are left out. A core without blocks is drawn at one.
    """
    points = labelled(points[points[ELEMENTS].notna()], "processing_elements")
    points = points.assign(blocks=points["dsp"].fillna(0).clip(lower=1).astype(int))
    return _width_lines(points, "blocks", y, "Multiplier blocks", y_label)


def _width_lines(points: pandas.DataFrame, x: str, y: str, x_label: str, y_label: str) -> Figure:
    """Return one panel per target, with one line per width and series.

    The points of a line differ only in ``x``. Both axes are logarithmic; the number at the end of a
    line is its width. If ``y_label`` is empty, the label of the vertical axis is for latencies.
    """
    figure, pairs = panels(points, x_label=x_label, y_label=y_label or latency_label(points))
    styles = series(points)
    for axes, here in pairs:
        for style, line in lines(here, styles, x, per_width=True):
            axes.plot(line[x], line[y], **style)
        log_widths(axes, points[x])
    log_scale(pairs[0][0])
    for axes, here in pairs:
        tell(axes, ends_of_lines(here, styles, x, y))
    legend(figure, points)
    return figure
