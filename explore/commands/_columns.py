"""Lines of text in columns."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable

__all__ = ["columns", "on_terminal", "terminal_width"]

_ENDLESS = 10**6


def columns(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with the cells of each column below each other."""
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(
        cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in rows]


def on_terminal(lines: Iterable[str]) -> list[str]:
    """Return lines that fit the terminal, if there is one; commands stay as they are, to be copied.

    What does not fit goes on in the next line, which begins further to the right.
    """
    return [part for line in lines for part in _parts(line, terminal_width())]


def terminal_width() -> int:
    """Return the width of the terminal; where there is none, lines have no end."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or line.lstrip().startswith("montgomery "):
        return [line]
    begin = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, width, subsequent_indent=begin, break_on_hyphens=False,
                         break_long_words=False)
