"""Ticks and texts that find room when they are drawn, whatever size the figure has by then.

The module imports matplotlib, so functions of plots import it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy
from matplotlib.artist import Artist
from matplotlib.text import Annotation
from matplotlib.ticker import Locator
from matplotlib.transforms import Bbox

from ._looks import TEXT_SIZE, marked, text_points

__all__ = ["Beside", "Decades", "Values"]

#: Places of a text beside its point, by preference: -1, 0 or 1 if it ends, is centred, or begins
#: there; and how many heights above the point its middle is.
_PLACES = ((1, 0), (1, 0.5), (1, -0.5), (1, 1), (1, -1), (0, 1), (-1, 0), (0, -1), (1, 1.5),
           (1, -1.5), (-1, 1), (-1, -1), (0, 2), (0, -2))
#: Points between a text and its point, around a point, and between the labels of two ticks.
_GAP, _DOT, _BETWEEN = 5, 3, 6
#: Pixels between points that are one point.
_SAME = 0.01
#: From the height of letters to that of a line.
_LINE = 1.4
#: Number of ticks of a scale, if there is room.
_TICKS = 6
#: Places of ticks in a decade, or in several. The scale takes those that are nearest to _TICKS.
_DECADES = [(1, (1,)), (1, (1, 3)), (1, (1, 2, 5)), (1, (1, 1.5, 2, 3, 5, 7)),
            (1, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8)), (2, (1,)), (3, (1,)), (5, (1,))]


class _Fitting(Locator):
    """Ticks whose labels do not collide, and at least two of them."""

    def sets(self, low: float, high: float) -> Iterable[Sequence[float]]:
        """Return sets of ticks between two numbers, those to be preferred first."""
        raise NotImplementedError

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the first set whose labels have room, or else the ends of the last one."""
        sets = [each for each in self.sets(*sorted((vmin, vmax))) if len(each) > 1]
        return next((each for each in sets if self._fits(each)),
                    [sets[-1][0], sets[-1][-1]] if sets else [])

    def __call__(self) -> Sequence[float]:
        """Return the ticks of the axis as it is now."""
        return self.tick_values(*self.axis.get_view_interval())

    def _fits(self, ticks: Sequence[float]) -> bool:
        axis: Any = self.axis
        across = axis.axis_name == "x"
        places = axis.axes.transData.transform([(tick, tick) for tick in ticks])
        points = places[:, 0 if across else 1] * 72 / axis.axes.figure.dpi
        sizes = [text_points(text) + _BETWEEN if across else _LINE * TEXT_SIZE
                 for text in axis.get_major_formatter().format_ticks(ticks)]
        return all(after - before >= (one + other) / 2 for before, after, one, other in zip(
            points, points[1:], sizes, sizes[1:], strict=False))


class Decades(_Fitting):
    """Ticks of a logarithmic scale, in the same places of each decade."""

    def sets(self, low: float, high: float) -> Iterable[Sequence[float]]:
        """Return ticks at several places of decades, about six of them first."""
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [[sub * 10 ** power for power in powers if power % step == 0 for sub in subs
                  if low <= sub * 10.0 ** power <= high] for step, subs in _DECADES]
        return sorted(found, key=lambda each: abs(len(each) - _TICKS))


class Values(_Fitting):
    """Ticks at values that were measured."""

    def __init__(self, values: Iterable[float]) -> None:
        self._values = values

    def sets(self, low: float, high: float) -> Iterable[Sequence[float]]:
        """Return ever fewer of the values that a panel names."""
        here = [value for value in self._values if low <= value <= high]
        named = marked(here)
        return [*(named[::-step][::-1] for step in range(1, len(named))), sorted(here)]


class Beside(Artist):
    """Moves texts, just before they are drawn, to places beside their points.

    A text lies on no point and on no other text. It is not shown if there is no such place within
    the panel. Texts that come first have the choice.
    """

    def __init__(self, texts: Sequence[Annotation]) -> None:
        super().__init__()
        self._texts = texts
        self.set_zorder(min((text.get_zorder() for text in texts), default=0) - 0.5)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Move the texts."""
        axes: Any = self.axes
        point = axes.figure.dpi / 72
        dots = numpy.concatenate([numpy.empty((0, 2)), *(
            axes.transData.transform(line.get_xydata()) for line in axes.lines
            if line.get_marker() != "None")])
        panel = axes.get_window_extent(renderer)
        taken = [text.get_window_extent(renderer) for text in axes.texts
                 if text not in self._texts]
        for text in self._texts:
            text.set_visible(True)
            extent = text.get_window_extent(renderer)
            half = numpy.array([extent.width, extent.height]) / 2
            at = axes.transData.transform(text.xy)
            others = dots[abs(dots - at).max(axis=1) > _SAME]
            for side, up in _PLACES:
                middle = at + numpy.array([side, 2 * _LINE * up]) * half
                middle[0] += side * _GAP * point
                box = Bbox([middle - half, middle + half])
                inside = (panel.min <= box.min).all() and (box.max <= panel.max).all()
                near = abs(others - middle) < half + _DOT * point
                if inside and not near.all(axis=1).any() and not box.count_overlaps(taken):
                    text.xyann = (middle - at) / point
                    taken.append(box)
                    break
            else:
                text.set_visible(False)
