"""What a table is, and its cells as texts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["DASH", "SPREAD", "Cell", "Column", "Range", "Table", "number", "one_line", "text"]

DASH = "\N{EN DASH}"

#: What a caption says of ranges; a narrow table says something else in its place.
SPREAD = f"(smallest{DASH}largest)"


class Range(NamedTuple):
    """A measured quantity: the median over the seeds, with the smallest and the largest."""

    median: float
    low: float
    high: float


Cell = str | bool | int | float | Range | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Column:
    """How one quantity is shown.

    Attributes
    ----------
    name : str
        As in the rows of a sweep, for ``--columns`` and the header of CSV.
    title, unit : str
        Of the header elsewhere; no unit for a name or a count.
    numeric : bool
        Aligned to the right, and three values (median, min, max) in CSV where it is a
        :class:`Range`.
    spread : bool
        Three values in CSV even where no cell is a :class:`Range`.
    key : bool
        Tells rows apart: a table that is divided has the column in each of its parts.
    heading : bool
        Rows are sorted by the column, and a terminal shows its values above the rows that have
        them.
    rank : int
        A table that is too wide leaves out the columns with the highest rank first, and those of
        rank 0 never.
    """

    name: str
    title: str
    unit: str = ""
    numeric: bool = True
    spread: bool = False
    key: bool = False
    heading: bool = False
    rank: int = 0

    @property
    def header(self) -> str:
        """Title and unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """Cells, not yet in any format.

    Attributes
    ----------
    caption : str
        One line: what the numbers are, and what all rows have in common.
    columns : sequence of :class:`Column`
    rows : sequence of sequence of :data:`Cell`
        ``None`` is a value that there is not.
    whole : bool
        Nothing may be left out or shortened where the table is too wide: it is divided then.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    whole: bool = False


def number(value: float) -> str:
    """Return ``value`` with three significant digits, and all digits before the point."""
    size = abs(value)
    if size >= 100 or value == round(value):
        return f"{value:.0f}"
    if size >= 1e-4:
        return f"{value:#.3g}".removesuffix(".")
    # Rounding first: what is just below a power of ten has one place less after it.
    rounded = float(f"{value:.2e}")
    return f"{rounded:.{2 - math.floor(math.log10(abs(rounded)))}f}"


def one_line(value: str) -> str:
    """Return ``value`` without line breaks, and without characters that a terminal obeys."""
    if value.isprintable():
        return value
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else
                   "\N{REPLACEMENT CHARACTER}" for letter in value)


def text(cell: Cell) -> str:
    """Return ``cell`` for a reader: a range where seeds differ, a dash for nothing."""
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
