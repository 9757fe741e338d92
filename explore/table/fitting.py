"""Makes tables fit a width: wraps texts, shortens ranges, and leaves columns out.

The order of these steps is fixed. Columns of rank 0 always stay, so a table may remain too wide.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence

from .model import SPREAD, Cell, Head, Range, Table, number, one_line, text

__all__ = ["GAP", "Fitted", "fitted"]

#: Characters between two columns.
GAP = 2
#: Width in characters to which texts are wrapped before a column is left out, and at the end.
_WRAPPED, _NARROWEST = 28, 12
#: Takes the place of :data:`SPREAD` in a caption.
_DEVIATIONS = "(± is the largest deviation of a seed)"
#: The texts of each column that is shown, by its place in the table.
_Texts = dict[int, list[str]]


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A table that fits a width.

    Attributes
    ----------
    caption : str
        Caption, changed to fit the form of the ranges.
    columns : list of :class:`Head`
        Columns that are shown.
    heads : list of list of str
        Lines of the header, with one text per column.
    groups : list of (str or None, list of list of str)
        Each value of the column of headings, with the lines below it, of one text per column.
    sizes : list of int
        Width of each column in characters.
    left_out : list of :class:`Head`
        Columns that do not fit.
    """

    caption: str
    columns: list[Head]
    heads: list[list[str]]
    groups: list[tuple[str | None, list[list[str]]]]
    sizes: list[int]
    left_out: list[Head]


def fitted(table: Table, width: int) -> Fitted:
    """Return a table that fits ``width`` characters, if its columns of rank 0 do."""
    for plan in _plans(table):
        caption, texts, wrapped = plan
        columns = [table.columns[place] for place in texts]
        sizes = list(map(_size, columns, texts.values(), itertools.repeat(wrapped)))
        if _total(sizes) <= width:
            break
    for index, (column, own) in enumerate(zip(columns, texts.values(), strict=True)):
        # Texts take the room that is left.
        if not column.numeric:
            more = _size(column, own, 10**6) - sizes[index]
            sizes[index] += max(min(more, width - _total(sizes)), 0)
    cells = [[[each] if column.numeric else _lines(each, size) for each in own]
             for column, size, own in zip(columns, sizes, texts.values(), strict=True)]
    groups: dict[str | None, list[list[str]]] = {}
    heading = next((place for place, each in enumerate(table.columns) if each.heading), None)
    for index, row in enumerate(table.rows):
        above = None if heading is None else text(row[heading])
        groups.setdefault(above, []).extend(_side_by_side([own[index] for own in cells]))
    return Fitted(
        caption=caption, columns=columns, heads=_heads(columns, sizes), sizes=sizes,
        groups=list(groups.items()),
        left_out=[column for place, column in enumerate(table.columns)
                  if not column.heading and place not in texts])


def _plans(table: Table) -> Iterator[tuple[str, _Texts, int]]:
    """Yield plans, the widest first: caption, texts, and the width to which they are wrapped."""
    cells = {place: [row[place] for row in table.rows]
             for place, column in enumerate(table.columns) if not column.heading}
    yield table.caption, {place: list(map(text, own)) for place, own in cells.items()}, _WRAPPED
    medians = {place: [_median(cell)[0] for cell in own] for place, own in cells.items()}
    # All other quantities with ranges follow from the clock frequency, and deviate as it does.
    first = next((place for place, own in cells.items()
                  if any(isinstance(cell, Range) for cell in own)), None)
    left = medians if first is None else medians | {first: _with_deviations(cells[first])}
    caption = table.caption.replace(SPREAD, _DEVIATIONS)
    yield caption, left, _WRAPPED
    for place in sorted(cells, key=lambda place: -table.columns[place].rank):
        if table.columns[place].rank:
            left = {other: texts for other, texts in left.items() if other != place}
            yield caption, left, _WRAPPED
    left = {place: medians[place] for place in left}
    for wrapped in (_WRAPPED, _NARROWEST):
        yield table.caption.replace(f" {SPREAD}", ""), left, wrapped


def _median(cell: Cell) -> tuple[str, str]:
    """Return texts of the median and of the largest deviation; the latter may be empty."""
    if not isinstance(cell, Range):
        return text(cell), ""
    middle, low, high = cell
    if not middle or number(low) == number(middle) == number(high):
        return number(middle), ""
    deviation = 100 * max(high - middle, middle - low) / abs(middle)
    return number(middle), f" ±{max(round(deviation), 1)}%"


def _with_deviations(cells: Sequence[Cell]) -> list[str]:
    pairs = list(map(_median, cells))
    size = max(len(deviation) for _, deviation in pairs)
    return [middle if isinstance(cell, str) else middle + deviation.ljust(size)
            for cell, (middle, deviation) in zip(cells, pairs, strict=True)]


def _size(column: Head, texts: Sequence[str], wrapped: int) -> int:
    """Return the width of a column in characters, if texts are wrapped to some width."""
    longest = max(map(len, texts), default=0)
    words = one_line(column.title).split(" ")
    # The title takes two lines or one.
    title = min(max(len(" ".join(words[:cut])), len(" ".join(words[cut:])))
                for cut in range(1, len(words) + 1))
    return max(longest if column.numeric else min(longest, wrapped), title,
               len(one_line(column.unit)))


def _heads(columns: Sequence[Head], sizes: Sequence[int]) -> list[list[str]]:
    """Return the lines of the header: titles, which end in the same line, and units."""
    titles = [textwrap.wrap(one_line(column.title), size, break_on_hyphens=False) or [""]
              for column, size in zip(columns, sizes, strict=True)]
    heads = _side_by_side([lines[::-1] for lines in titles])[::-1]
    units = [one_line(column.unit) for column in columns]
    return [*heads, units] if any(units) else heads


def _side_by_side(cells: Sequence[list[str]]) -> list[list[str]]:
    return list(map(list, itertools.zip_longest(*cells, fillvalue="")))


def _lines(value: str, size: int) -> list[str]:
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
