"""The formats of tables: text for a terminal, Markdown, LaTeX and comma-separated values."""

from __future__ import annotations

import csv
import io
import re
import shutil
import textwrap
from collections.abc import Sequence

from .fitting import GAP, Fitted, fitted
from .model import DASH, Cell, Head, Range, Table, one_line, text

__all__ = ["as_text", "comma_separated", "latex", "markdown", "markdown_text",
           "terminal"]

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
