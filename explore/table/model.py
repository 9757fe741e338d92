"""Tables of cells without a format, and the texts of cells."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["DASH", "SPREAD", "Cell", "Head", "Range", "Table", "heads", "number", "one_line",
           "plain_table", "text"]

DASH = "\N{EN DASH}"

#: Explanation of ranges in a caption; a narrow table replaces it.
SPREAD = f"(smallest{DASH}largest)"


class Range(NamedTuple):
    """A measured quantity: the median over the seeds, with the smallest and the largest."""

    median: float
    low: float
    high: float


Cell = str | bool | int | float | Range | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Head:
    """A column of a table.

    ``name`` is that in the rows of a sweep, which ``--columns`` and the header of CSV use; all
    other formats have the title and the unit. A numeric column is aligned to the right, and one
    with a ``spread`` takes three columns of CSV (median, smallest, largest) even if no cell is a
    :class:`Range`. A terminal shows the values of a ``heading`` above the rows that have them. If a
    table is too wide, the columns with the highest rank are left out first; those of rank 0 stay.
    """

    name: str
    title: str
    unit: str = ""
    numeric: bool = True
    spread: bool = False
    heading: bool = False
    rank: int = 0

    @property
    def header(self) -> str:
        """The title and the unit, as one text."""
        return f"{self.title}, {self.unit}" if self.unit else self.title


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """A table of cells without a format: a caption of one line, columns, and rows.

    A missing value is None.
    """

    caption: str
    columns: Sequence[Head]
    rows: Sequence[Sequence[Cell]]


def heads(columns: Mapping[str, str], *, texts: str, heading: str = "",
          ranks: Mapping[str, int] = MappingProxyType({})) -> list[Head]:
    """Return columns from their names and headers, ``TITLE`` or ``TITLE, UNIT``.

    ``texts`` are the names of those that are not numeric, and ``heading`` the one of headings.
    """
    found = {name: header.partition(", ") for name, header in columns.items()}
    return [Head(name=name, title=title, unit=unit, numeric=name not in texts.split(),
                 heading=name == heading, rank=ranks.get(name, 0))
            for name, (title, _, unit) in found.items()]


def plain_table(caption: str, titles: Mapping[str, str], rows: Sequence[Sequence[Cell]]) -> Table:
    """Return a table from its titles, each with its unit; texts are aligned to the left."""
    texts = {place for row in rows for place, cell in enumerate(row) if isinstance(cell, str)}
    return Table(caption=caption, rows=rows, columns=[
        Head(name=title.lower(), title=title, unit=unit, numeric=place not in texts)
        for place, (title, unit) in enumerate(titles.items())])


def number(value: float) -> str:
    """Return ``value`` with three significant digits, or all digits of its integer part if more."""
    size = abs(value)
    if size >= 100 or value == round(value):
        return f"{value:.0f}"
    if size >= 1e-4:
        return f"{value:#.3g}".removesuffix(".")
    # Round first: a value just below a power of ten becomes that power, with one place fewer.
    rounded = float(f"{value:.2e}")
    return f"{rounded:.{2 - math.floor(math.log10(abs(rounded)))}f}"


def one_line(value: str) -> str:
    """Return ``value`` without line breaks and without control characters of terminals."""
    if value.isprintable():
        return value
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else
                   "\N{REPLACEMENT CHARACTER}" for letter in value)


def text(cell: Cell) -> str:
    """Return the text of a cell: a dash for a missing value, and a range if seeds differ."""
    if cell is None:
        return DASH
    if isinstance(cell, str):
        return one_line(cell)
    if isinstance(cell, Range):
        middle, low, high = map(number, cell)
        return middle if low == middle == high else f"{middle} ({low}{DASH}{high})"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return number(cell)
