"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .model import Table, one_line, text

__all__ = ["markdown", "markdown_text"]

#: Characters that Markdown reads as markup: links, code, emphasis, formulas, and ends of cells. An
#: underscore within a word is not markup.
_MARKUP = re.compile(r"[\\|`*\[\]~$]|(?<!\w)_|_(?!\w)")


def markdown_text(value: str) -> str:
    """Return a line of Markdown that shows ``value`` unchanged."""
    value = one_line(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", value)


def _texts(table: Table, escape: Callable[[str], str]) -> list[list[str]]:
    """Return the texts of each column, beginning with its header."""
    bodies = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    return [[escape(one_line(column.header)), *(escape(text(cell)) for cell in body)]
            for column, body in zip(table.columns, bodies, strict=True)]


def _aligned(columns: Sequence[Sequence[str]], sizes: Sequence[int], table: Table) -> list[str]:
    """Return the lines of columns of texts."""
    parts = [[each.rjust(size) if column.numeric else each.ljust(size) for each in texts]
             for texts, size, column in zip(columns, sizes, table.columns, strict=True)]
    return [f"| {' | '.join(line)} |" for line in zip(*parts, strict=True)]


def markdown(table: Table) -> str:
    """A pipe table, aligned in its source too."""
    columns = _texts(table, markdown_text)
    sizes = [max(3, *map(len, column)) for column in columns]
    head, *body = _aligned(columns, sizes, table)
    rule = ["-" * (size - 1) + ":" if column.numeric else "-" * size
            for size, column in zip(sizes, table.columns, strict=True)]
    return "\n".join([markdown_text(table.caption), "", head, f"| {' | '.join(rule)} |",
                      *body]) + "\n"
