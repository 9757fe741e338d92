"""The formats of tables: text for a terminal, Markdown, LaTeX and comma-separated values.

To fit a width, texts are wrapped, ranges are shortened, and columns are left out, in this order.
Columns of rank 0 always stay, so a table may remain too wide.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence

from .model import DASH, SPREAD, Cell, Head, Range, Table, number, one_line, text

__all__ = ["GAP", "Fitted", "as_text", "comma_separated", "fitted", "latex", "markdown",
           "markdown_text", "terminal"]


_NARROWEST = 20
#: Characters that Markdown reads as markup: links, code, emphasis, formulas, and ends of cells. An
#: underscore within a word is not markup.
_MARKUP = re.compile(r"[\\|`*\[\]~$]|(?<!\w)_|_(?!\w)")
#: Width of a page in characters.
_PAGE = 90
#: Lines on a page, below the caption.
_PAGE_LINES = 45
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
    # After the command that ends a row, these would be an argument of it.
    "[": "{[}", "*": "{*}", DASH: "--", "µ": r"\textmu{}", "·": r"$\cdot$", "±": r"$\pm$",
    "†": r"\dag{}", "‡": r"\ddag{}",
})
#: Beginning of a cell that a spreadsheet takes for a formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def terminal(table: Table, width: int | None = None) -> str:
    """Columns of text under a rule, units below titles, in the width of the terminal.

    Columns that do not fit are left out, and named below the table.
    """
    width = width or shutil.get_terminal_size((80, 24)).columns
    part = fitted(table, width)
    texts = [_paragraph(part.caption, width), _body(part)]
    if part.left_out:
        *others, last = (column.name for column in part.left_out)
        names = f"{', '.join(others)} and {last}" if others else last
        texts.append(_paragraph(
            f"There is no room for {names}; widen the terminal, or use 'montgomery table' with "
            "--columns or --format csv.", width))
    return "\n".join(texts)


def _paragraph(value: str, width: int) -> str:
    lines = textwrap.wrap(one_line(value), max(width, _NARROWEST), break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines)


def _body(part: Fitted) -> str:
    def line(texts: Sequence[str]) -> str:
        return (" " * GAP).join(_padded(texts, part.sizes, part.columns)).rstrip()

    lines = [*map(line, part.heads), (" " * GAP).join("─" * size for size in part.sizes)]
    for above, rows in part.groups:
        if above is not None:
            lines += [*([""] if above != part.groups[0][0] else []), above]
        lines += map(line, rows)
    return "".join(f"{each}\n" for each in lines)


def _padded(texts: Sequence[str], sizes: Sequence[int], columns: Sequence[Head]) -> list[str]:
    """Return the texts of a line, each as wide as its column."""
    return [each.rjust(size) if column.numeric else each.ljust(size)
            for each, size, column in zip(texts, sizes, columns, strict=True)]


def markdown_text(value: str) -> str:
    """Return a line of Markdown that shows ``value`` unchanged."""
    value = one_line(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", value)


def markdown(table: Table) -> str:
    """A pipe table, aligned in its source too."""
    lines = [[markdown_text(column.header) for column in table.columns],
             *([markdown_text(text(cell)) for cell in row] for row in table.rows)]
    sizes = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * (size - 1) + ":" if column.numeric else "-" * size
            for size, column in zip(sizes, table.columns, strict=True)]
    head, *body = (_padded(line, sizes, table.columns) for line in lines)
    return "\n".join([markdown_text(table.caption), "",
                      *(f"| {' | '.join(line)} |" for line in (head, rule, *body))]) + "\n"


def _escaped(value: str) -> str:
    return one_line(value).translate(_LATEX)


def latex(table: Table) -> str:
    """A table environment for the package booktabs, no wider than a page.

    If it is longer than a page, it is a longtable of the package longtable. Columns that do not
    fit are left out, but for those of rank 0.
    """
    part = fitted(table, _PAGE)

    def line(texts: Sequence[str]) -> str:
        shown = [rf"\quad {_escaped(each.strip())}" if each.startswith(" ") and not column.numeric
                 else _escaped(each.rstrip())
                 for each, column in zip(texts, part.columns, strict=True)]
        return f"  {' & '.join(shown).rstrip()} \\\\"

    lines = []
    for above, rows in part.groups:
        if above is not None:
            lines.append(rf"  \multicolumn{{{len(part.columns)}}}{{@{{}}l}}"
                         rf"{{{_escaped(above)}}} \\")
        lines += map(line, rows)
    spec = "".join("r" if column.numeric else "l" for column in part.columns)
    heads = [r"  \toprule", *map(line, part.heads), r"  \midrule"]
    if len(lines) > _PAGE_LINES:
        return "\n".join([
            rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}",
            rf"  \caption{{{_escaped(part.caption)}}} \\", *heads, r"  \endhead",
            r"  \bottomrule", r"  \endfoot", *lines, r"\end{longtable}"]) + "\n"
    return "\n".join([
        r"\begin{table}", r"  \centering", rf"  \caption{{{_escaped(part.caption)}}}",
        rf"  \begin{{tabular}}{{@{{}}{spec}@{{}}}}", *heads, *lines, r"  \bottomrule",
        r"  \end{tabular}", r"\end{table}"]) + "\n"


def as_text(value: str) -> str:
    """Return a text as a cell of CSV that no spreadsheet takes for a formula."""
    return f"'{value}" if _FORMULA.match(value) else value


def comma_separated(table: Table) -> str:
    """CSV for machines: plain names, unrounded numbers, and no caption.

    A quantity with ranges takes three columns: ``name``, ``name_min`` and ``name_max``. A text that
    a spreadsheet would take for a formula begins with an apostrophe.
    """
    ranged = [column.spread or any(isinstance(row[index], Range) for row in table.rows)
              for index, column in enumerate(table.columns)]
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
        # If a count is missing, pandas turns all counts of the column into floating-point numbers.
        writer.writerow([int(value) if isinstance(value, float) and value.is_integer() else
                         as_text(one_line(value)) if isinstance(value, str) else value
                         for value in values])
    return output.getvalue()


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

    ``heads`` are the lines of the header, with one text per column, and ``groups`` each value of
    the column of headings, with the lines below it. The caption is changed to fit the form of the
    ranges.
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
