"""Makes tables fit a width: wraps texts, shortens ranges, and leaves columns out.

The order of these steps is fixed. Columns of rank 0 always stay, so a table may remain too wide.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from .model import SPREAD, Cell, Column, Range, Table, number, one_line, text

__all__ = ["GAP", "Fitted", "fitted"]

#: Characters between two columns.
GAP = 2
#: Width in characters to which texts are wrapped before a column is left out, and at the end.
_WRAPPED, _NARROWEST = 28, 12
_DEVIATIONS = "(± is the largest deviation of a seed)"


class _Ranges(enum.Enum):
    """How ranges of seeds are shown."""

    ENDS = enum.auto()
    DEVIATIONS = enum.auto()
    NONE = enum.auto()


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A table that fits a width.

    Attributes
    ----------
    caption : str
        Caption, changed to fit the form of the ranges.
    columns : list of :class:`Column`
        Columns that are shown.
    heads : list of list of str
        Lines of the header, with one text per column.
    groups : list of (str or None, list)
        Each value of the column of headings, with the rows below it. A row consists of lines, and a
        line of one text per column.
    sizes : list of int
        Width of each column in characters.
    left_out : list of :class:`Column`
        Columns that do not fit.
    """

    caption: str
    columns: list[Column]
    heads: list[list[str]]
    groups: list[tuple[str | None, list[list[list[str]]]]]
    sizes: list[int]
    left_out: list[Column]


class _Shown:
    """A column as it is shown.

    Parameters
    ----------
    place : int
        Place of the column in the table.
    """

    def __init__(self, table: Table, place: int, ranges: _Ranges) -> None:
        self.place, self.column = place, table.columns[place]
        self.texts = _texts([row[place] for row in table.rows], ranges)
        self.title, self.unit = one_line(self.column.title), one_line(self.column.unit)
        self._longest = max(map(len, self.texts), default=0)

    def size(self, wrapped: int) -> int:
        """Return the width of the column in characters, if texts are wrapped to some width."""
        body = self._longest if self.column.numeric else min(self._longest, wrapped)
        return max(body, len(self.unit), _narrowest_title(self.title))

    def head(self, size: int) -> list[str]:
        """Return the lines of the title."""
        return textwrap.wrap(self.title, size, break_on_hyphens=False) or [""]

    def lines(self, size: int) -> list[list[str]]:
        """Return the lines of each cell."""
        return [[each] if self.column.numeric else _wrapped(each, size) for each in self.texts]


def _ranged(table: Table, places: Iterable[int]) -> list[int]:
    """Return the places of columns that have ranges."""
    return [place for place in places if any(isinstance(row[place], Range) for row in table.rows)]


def _plans(table: Table) -> Iterator[tuple[list[_Shown], int, _Ranges]]:
    """Yield plans, the widest first: columns, the width of their texts, the form of ranges."""
    places = [place for place, column in enumerate(table.columns) if not column.heading]
    yield [_Shown(table, place, _Ranges.ENDS) for place in places], _WRAPPED, _Ranges.ENDS
    # All other quantities with ranges follow from the clock frequency, and deviate as it does.
    first = _ranged(table, places)[:1]
    left = [_Shown(table, place, _Ranges.DEVIATIONS if place in first else _Ranges.NONE)
            for place in places]
    yield left, _WRAPPED, _Ranges.DEVIATIONS
    for each in sorted(left, key=lambda each: -each.column.rank):
        if each.column.rank:
            left = [other for other in left if other is not each]
            yield left, _WRAPPED, _Ranges.DEVIATIONS
    left = [_Shown(table, each.place, _Ranges.NONE) for each in left]
    for wrapped in (_WRAPPED, _NARROWEST):
        yield left, wrapped, _Ranges.NONE


def fitted(table: Table, width: int) -> Fitted:
    """Return a table that fits ``width`` characters, if its columns of rank 0 do."""
    for plan in _plans(table):
        shown, wrapped, ranges = plan
        sizes = [each.size(wrapped) for each in shown]
        if _total(sizes) <= width:
            break
    for index, each in enumerate(shown):
        # Texts take the room that is left.
        if not each.column.numeric:
            sizes[index] += max(min(each.size(10**6) - sizes[index], width - _total(sizes)), 0)
    titles = [each.head(size) for each, size in zip(shown, sizes, strict=True)]
    height = max(map(len, titles), default=0)
    heads = list(map(list, zip(*([""] * (height - len(lines)) + lines for lines in titles),
                               strict=True)))
    if any(each.unit for each in shown):
        heads.append([each.unit for each in shown])
    places = [each.place for each in shown]
    return Fitted(
        caption=_caption(table.caption, ranges) if _ranged(table, places) else table.caption,
        columns=[each.column for each in shown], heads=heads, sizes=sizes,
        groups=_groups(table, [each.lines(size) for each, size in zip(shown, sizes, strict=True)]),
        left_out=[column for place, column in enumerate(table.columns)
                  if not column.heading and place not in places])


def _groups(table: Table, cells: Sequence[Sequence[list[str]]]
            ) -> list[tuple[str | None, list[list[list[str]]]]]:
    """Return the lines of each row, below the headings."""
    heading = next((place for place, column in enumerate(table.columns) if column.heading), None)
    groups: list[tuple[str | None, list[list[list[str]]]]] = []
    for index, row in enumerate(table.rows):
        above = None if heading is None else text(row[heading])
        if not groups or groups[-1][0] != above:
            groups.append((above, []))
        own = [column[index] for column in cells]
        groups[-1][1].append(list(map(list, itertools.zip_longest(*own, fillvalue=""))))
    return groups


def _texts(cells: Sequence[Cell], ranges: _Ranges) -> list[str]:
    if ranges == _Ranges.ENDS:
        return list(map(text, cells))
    pairs = list(map(_median, cells))
    if ranges == _Ranges.NONE:
        return [middle for middle, _ in pairs]
    size = max(len(deviation) for _, deviation in pairs)
    return [middle if isinstance(cell, str) else middle + deviation.ljust(size)
            for cell, (middle, deviation) in zip(cells, pairs, strict=True)]


def _median(cell: Cell) -> tuple[str, str]:
    """Return texts of the median and of the largest deviation; the latter may be empty."""
    if not isinstance(cell, Range):
        return text(cell), ""
    middle, low, high = cell
    if not middle or number(low) == number(middle) == number(high):
        return number(middle), ""
    deviation = 100 * max(high - middle, middle - low) / abs(middle)
    return number(middle), f" ±{max(round(deviation), 1)}%"


def _caption(caption: str, ranges: _Ranges) -> str:
    if ranges == _Ranges.ENDS:
        return caption
    if ranges == _Ranges.DEVIATIONS:
        return caption.replace(SPREAD, _DEVIATIONS)
    return caption.replace(f" {SPREAD}", "")


def _narrowest_title(title: str) -> int:
    """Return the smallest width, in characters, in which a title takes two lines or one."""
    words = title.split(" ")
    return min(max(len(" ".join(words[:cut])), len(" ".join(words[cut:])))
               for cut in range(1, len(words) + 1))


def _wrapped(value: str, size: int) -> list[str]:
    """Return the lines of a text; all but the first are indented if the width allows it."""
    if len(value) <= size:
        return [value]
    indent = "  " if size >= _NARROWEST else ""
    whole = all(len(word) <= size - len(indent) for word in value.split())
    wrapper = (textwrap.TextWrapper if whole else _Wrapper)(
        size, subsequent_indent=indent, break_on_hyphens=False)
    return wrapper.wrap(value) or [""]


class _Wrapper(textwrap.TextWrapper):
    """One that breaks names and settings after their parts: digit_width=8."""

    wordsep_simple_re = re.compile(r"(\s+)|(?<=[_=.])(?=\w)")


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)
