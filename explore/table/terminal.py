"""Tables for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

from .fitting import GAP, Fitted, fitted
from .model import Table, one_line

__all__ = ["terminal"]

_NARROWEST = 20


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
        padded = [each.rjust(size) if column.numeric else each.ljust(size)
                  for each, size, column in zip(texts, part.sizes, part.columns, strict=True)]
        return (" " * GAP).join(padded).rstrip()

    lines = [*map(line, part.heads), (" " * GAP).join("─" * size for size in part.sizes)]
    for above, rows in part.groups:
        if above is not None:
            lines += [*([""] if above != part.groups[0][0] else []), above]
        lines += [line(texts) for row in rows for texts in row]
    return "".join(f"{each}\n" for each in lines)
