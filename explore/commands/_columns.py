"""Lines of text in columns."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["columns"]


def columns(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with the cells of each column below each other."""
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(
        cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in rows]
