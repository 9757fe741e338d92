"""Makes tables fit a width: wraps texts, shortens ranges, and leaves columns out.

The order of these steps is fixed. Columns of rank 0 always stay, so a table may remain too wide.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import textwrap
from collections.abc import Iterator, Sequence

from .model import SPREAD, Cell, Column, Range, Table, number, one_line, text

__all__ = ["GAP", "Fitted", "divided", "fitted"]

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
    """A table, or a part of a table, that fits a width.

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


class _Fitter:
    """Lays out a table by one plan after another, until it fits."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.places = [place for place, column in enumerate(table.columns) if not column.heading]
        self._ranged = [place for place in self.places
                        if any(isinstance(row[place], Range) for row in table.rows)]
        self._known: dict[tuple[int, _Ranges], list[str]] = {}

    def plans(self) -> Iterator[tuple[list[int], dict[int, _Ranges], int]]:
        """Yield plans, the widest first: columns, the form of their ranges, the width of texts."""
        ends = dict.fromkeys(self.places, _Ranges.ENDS)
        deviations = dict.fromkeys(self.places, _Ranges.DEVIATIONS)
        # All other quantities with ranges follow from the clock frequency, and deviate as it does.
        first = {place: _Ranges.DEVIATIONS if place in self._ranged[:1] else _Ranges.NONE
                 for place in self.places}
        longest = max((len(each) for place in self.places if not self._column(place).numeric
                       for each in self._texts(place, _Ranges.ENDS)), default=0)
        for wrapped in (longest, _WRAPPED):
            yield self.places, ends, wrapped
        yield self.places, deviations, _WRAPPED
        left = list(self.places)
        yield left, first, _WRAPPED
        for place in sorted(left, key=lambda place: -self._column(place).rank):
            if self._column(place).rank:
                left = [other for other in left if other != place]
                yield left, first, _WRAPPED
        for wrapped in (_WRAPPED, _NARROWEST):
            yield left, dict.fromkeys(left, _Ranges.NONE), wrapped

    def size(self, place: int, ranges: _Ranges, wrapped: int) -> int:
        """Return the width of a column in characters."""
        column = self._column(place)
        body = max(map(len, self._texts(place, ranges)), default=0)
        return max(body if column.numeric else min(body, wrapped), len(one_line(column.unit)),
                   _narrowest_title(one_line(column.title)))

    def show(self, places: Sequence[int], ranges: dict[int, _Ranges], sizes: Sequence[int]
             ) -> Fitted:
        """Return the table with some of its columns, each of a given width."""
        table = self._table
        columns = [self._column(place) for place in places]
        titles = [textwrap.wrap(one_line(column.title), size, break_on_hyphens=False) or [""]
                  for column, size in zip(columns, sizes, strict=True)]
        units = [one_line(column.unit) for column in columns]
        height = max(map(len, titles), default=0)
        heads = [[lines[row - height + len(lines)] if row >= height - len(lines) else ""
                  for lines in titles] for row in range(height)]
        if any(units):
            heads.append(units)
        cells = [[_wrapped(each, size) if not column.numeric else [each]
                  for each in self._texts(place, ranges[place])]
                 for place, column, size in zip(places, columns, sizes, strict=True)]
        groups: list[tuple[str | None, list[list[list[str]]]]] = []
        heading = next((place for place, column in enumerate(table.columns) if column.heading),
                       None)
        for index, row in enumerate(table.rows):
            above = None if heading is None else text(row[heading])
            if not groups or groups[-1][0] != above:
                groups.append((above, []))
            own = [column[index] for column in cells]
            groups[-1][1].append([[lines[line] if line < len(lines) else "" for lines in own]
                                  for line in range(max(map(len, own), default=0))])
        shown = {ranges[place] for place in places if place in self._ranged}
        return Fitted(_caption(table.caption, shown), columns, heads, groups, list(sizes),
                      [] if table.whole else
                      [self._column(place) for place in self.places if place not in places])

    def _column(self, place: int) -> Column:
        return self._table.columns[place]

    def _texts(self, place: int, ranges: _Ranges) -> list[str]:
        """Return the text of each cell of a column."""
        if place not in self._ranged:
            ranges = _Ranges.ENDS
        if (place, ranges) not in self._known:
            self._known[place, ranges] = _texts([row[place] for row in self._table.rows], ranges)
        return self._known[place, ranges]


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


def _caption(caption: str, shown: set[_Ranges]) -> str:
    if _Ranges.ENDS in shown or not shown:
        return caption
    if _Ranges.DEVIATIONS in shown:
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


def _stretched(columns: Sequence[Column], sizes: Sequence[int], natural: Sequence[int],
               width: int) -> list[int]:
    """Return the widths of columns after columns of texts were widened by the unused width."""
    found = list(sizes)
    for index, column in enumerate(columns):
        if not column.numeric:
            found[index] += max(min(natural[index] - found[index], width - _total(found)), 0)
    return found


def fitted(table: Table, width: int) -> Fitted:
    """Return a table that fits ``width`` characters, if its columns of rank 0 do."""
    fitter = _Fitter(table)
    for plan in fitter.plans():
        places, ranges, wrapped = plan
        sizes = [fitter.size(place, ranges[place], wrapped) for place in places]
        if _total(sizes) <= width:
            break
    natural = [fitter.size(place, ranges[place], 10**6) for place in places]
    columns = [table.columns[place] for place in places]
    return fitter.show(places, ranges, _stretched(columns, sizes, natural, width))


def divided(table: Table, width: int) -> list[Fitted]:
    """Return parts of a table that have all its columns; each fits ``width`` characters if it can.

    Each part has the columns that identify rows, and some of the others.
    """
    fitter = _Fitter(table)
    keys = [place for place in fitter.places if table.columns[place].key]
    others = [place for place in fitter.places if place not in keys]
    ranges = dict.fromkeys(fitter.places, _Ranges.ENDS)

    def parts(wrapped: int) -> list[list[int]]:
        found: list[list[int]] = [[]]
        for place in others:
            sizes = [fitter.size(each, ranges[each], wrapped)
                     for each in (*keys, *found[-1], place)]
            if found[-1] and _total(sizes) > width:
                found.append([])
            found[-1].append(place)
        return found

    chosen = min((_WRAPPED, 10**6), key=lambda wrapped: len(parts(wrapped)))
    shown = []
    for part in parts(chosen):
        places = [*keys, *part]
        sizes, natural = ([fitter.size(place, ranges[place], wrapped) for place in places]
                          for wrapped in (chosen, 10**6))
        columns = [table.columns[place] for place in places]
        shown.append(fitter.show(places, ranges, _stretched(columns, sizes, natural, width)))
    return shown
