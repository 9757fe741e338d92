"""Texts beside points and lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._style import lines

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["ends_of_lines", "tell"]

#: Height of a text beside a point, and mean width of its letters, in points.
_TEXT_POINTS = (9, 4.6)
#: Places of a text beside its point, by preference: -1, 0 or 1 if it ends, is centred, or begins
#: there; and how many heights above the point its middle is.
_PLACES = ((1, 0), (1, 0.5), (1, -0.5), (1, 1), (1, -1), (0, 1), (-1, 0), (0, -1), (1, 1.5),
           (1, -1.5), (-1, 1), (-1, -1), (0, 2), (0, -2))


def tell(axes: Axes, texts: Iterable[tuple[float, float, str]]) -> None:
    """Write texts beside their points, of which each has x, y and its text.

    The lines must have been drawn, and the scales must not change afterwards. A text is left out
    if it would lie on a point, on another text or outside in every place.
    """
    import numpy
    from matplotlib.patheffects import withStroke

    height, letter = _TEXT_POINTS
    inches = 72 / axes.figure.dpi
    drawn = [axes.transData.transform(line.get_xydata()) * inches
             for line in axes.lines if line.get_marker() != "None"]
    points = numpy.concatenate(drawn or [numpy.empty((0, 2))])
    (west, south), (east, north) = axes.transAxes.transform([(0, 0), (1, 1)]) * inches
    taken: list[tuple[float, float, float]] = []
    for x, y, text in texts:
        across, up = axes.transData.transform((x, y)) * inches
        wide = letter * len(text)
        for side, move in _PLACES:
            left = across + (5 if side > 0 else -wide - 5 if side < 0 else -wide / 2)
            right, middle = left + wide, up + move * height
            on_text = any(left < end + letter and begin < right + letter
                          and abs(middle - other) < height for begin, end, other in taken)
            on_point = any(left - 3 < x < right + 3 and abs(middle - y) < 0.8 * height
                           for x, y in points if (x, y) != (across, up))
            if not on_text and not on_point and west < left and right < east + 2 * letter and \
                    south + height / 2 < middle < north:
                taken.append((left, right, middle))
                axes.annotate(text, (x, y), (left - across, move * height - 3),
                              textcoords="offset points", fontsize=7.5, color="0.25",
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
