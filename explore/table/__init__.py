"""Tables of measurements for a terminal, Markdown, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Callable

from .formats import comma_separated, latex, markdown, markdown_text, terminal
from .model import SPREAD, Cell, Head, Range, Table, heads, number, plain_table, text

__all__ = ["FORMATS", "SPREAD", "Cell", "Head", "Range", "Table",
           "heads", "markdown_text", "number", "plain_table", "render", "text"]

#: From the name of a format to a function from a :class:`Table` to a text that ends in a newline.
FORMATS: dict[str, Callable[[Table], str]] = {
    "terminal": terminal, "markdown": markdown, "csv": comma_separated, "latex": latex}


def render(table: Table, format: str, *, width: int | None = None) -> str:
    """Return ``table`` in one of :data:`FORMATS`.

    Parameters
    ----------
    width : int or None
        Width of the terminal in characters. If None, it is the value of the environment variable
        COLUMNS, or else the width of the terminal to which the program writes, or else 80.
    """
    return terminal(table, width) if format == "terminal" else FORMATS[format](table)
