"""Tables of measurements for a terminal, Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["FORMATS", "Cell", "Column", "Range", "Table", "as_text", "from_text", "markdown_text",
           "render"]

#: A spreadsheet takes a cell that begins so for a formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")

_DASH = "\N{EN DASH}"


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
    """

    name: str
    title: str
    unit: str = ""
    numeric: bool = True

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
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


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
        return _DASH
    if isinstance(cell, str):
        return one_line(cell)
    if isinstance(cell, Range):
        middle, low, high = map(number, cell)
        return middle if low == middle == high else f"{middle} ({low}{_DASH}{high})"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return number(cell)


def _texts(table: Table, escape: Callable[[str], str] = str) -> list[list[str]]:
    """Return the texts of each column, the header first."""
    bodies = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    return [[escape(one_line(column.header)), *(escape(text(cell)) for cell in body)]
            for column, body in zip(table.columns, bodies, strict=True)]


def _sizes(columns: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in columns]


def _aligned(columns: Sequence[Sequence[str]], sizes: Sequence[int], table: Table,
             between: str) -> list[str]:
    """Return the lines of columns of texts."""
    parts = [[each.rjust(size) if column.numeric else each.ljust(size) for each in texts]
             for texts, size, column in zip(columns, sizes, table.columns, strict=True)]
    return list(map(between.join, zip(*parts, strict=True)))


def terminal(table: Table) -> str:
    """Columns of text under a rule, units below titles."""
    columns = [[one_line(column.title), one_line(column.unit), *texts[1:]]
               for column, texts in zip(table.columns, _texts(table), strict=True)]
    sizes = _sizes(columns)
    lines = [line.rstrip() for line in _aligned(columns, sizes, table, "  ")]
    rule = "  ".join("─" * size for size in sizes)
    return "\n".join([one_line(table.caption), "", *lines[:2], rule, *lines[2:]]) + "\n"


#: What Markdown reads as markup: HTML, links, code, emphasis, formulas, and the ends of cells. An
#: underscore is none within a word.
_MARKUP = re.compile(r"[\\|`*\[\]~$]|(?<!\w)_|_(?!\w)")


def as_text(value: str) -> str:
    """Return a text as a cell of CSV that no spreadsheet takes for a formula."""
    return f"'{value}" if _FORMULA.match(value) else value


def from_text(cell: str) -> str:
    """Return the text that :func:`as_text` made a cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def markdown_text(value: str) -> str:
    """Return ``value`` as a line of Markdown that shows it as it is."""
    value = one_line(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", value)


def markdown(table: Table) -> str:
    """A pipe table, aligned in its source too."""
    columns = _texts(table, markdown_text)
    sizes = [max(size, 3) for size in _sizes(columns)]
    lines = [f"| {line} |" for line in _aligned(columns, sizes, table, " | ")]
    rule = ["-" * (size - 1) + ":" if column.numeric else "-" * size
            for size, column in zip(sizes, table.columns, strict=True)]
    return "\n".join([markdown_text(table.caption), "", lines[0], "| " + " | ".join(rule) + " |",
                      *lines[1:]]) + "\n"


def comma_separated(table: Table) -> str:
    """CSV for machines: plain names, unrounded numbers, and no caption.

    A quantity that has a range anywhere takes three columns, ``name``, ``name_min`` and
    ``name_max``. A text that a spreadsheet would take for a formula has an apostrophe in front.
    """
    ranged = [any(isinstance(row[index], Range) for row in table.rows)
              for index in range(len(table.columns))]
    header = []
    for column, has_range in zip(table.columns, ranged, strict=True):
        name = as_text(one_line(column.name))
        header += [name, f"{name}_min", f"{name}_max"] if has_range else [name]
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(header)
    for row in table.rows:
        values: list[Cell] = []
        for cell, has_range in zip(row, ranged, strict=True):
            if isinstance(cell, Range):
                values += [cell.median, cell.low, cell.high]
            else:
                values += [cell] * (3 if has_range else 1)
        # A column of counts in which one is missing consists of floating-point numbers.
        writer.writerow([int(value) if isinstance(value, float) and value.is_integer() else
                         as_text(one_line(value)) if isinstance(value, str) else value
                         for value in values])
    return output.getvalue()


_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
    # After the end of a row these would be an option of it.
    "[": "{[}", "*": "{*}", _DASH: "--", "µ": r"\textmu{}", "·": r"$\cdot$",
})


def latex(table: Table) -> str:
    """A table environment for the package booktabs."""
    def escape(value: str) -> str:
        return one_line(value).translate(_LATEX)

    columns = _texts(table, escape)
    lines = [f"  {line.rstrip()} \\\\" for line in
             _aligned(columns, _sizes(columns), table, " & ")]
    spec = "".join("r" if column.numeric else "l" for column in table.columns)
    return "\n".join([
        r"\begin{table}", r"  \centering", rf"  \caption{{{escape(table.caption)}}}",
        rf"  \begin{{tabular}}{{@{{}}{spec}@{{}}}}", r"  \toprule", lines[0], r"  \midrule",
        *lines[1:], r"  \bottomrule", r"  \end{tabular}", r"\end{table}"]) + "\n"


#: Renderers by name; each takes a :class:`Table` and returns text that ends in a newline.
FORMATS: dict[str, Callable[[Table], str]] = {
    "terminal": terminal, "markdown": markdown, "csv": comma_separated, "latex": latex}


def render(table: Table, format: str) -> str:
    """Return ``table`` in one of :data:`FORMATS`."""
    return FORMATS[format](table)
