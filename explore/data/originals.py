"""Rows as they were written, without what later versions add to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from ..store import Store
from .rowfiles import read

__all__ = ["originals"]


def originals(paths: Iterable[Path], seals: Collection[str]) -> list[dict[str, Any]]:
    """Return the rows of places that carry one of some seals, each once.

    Parameters
    ----------
    paths : iterable of Path
        See :func:`explore.data.frame.load`.

    Raises
    ------
    StoreError, ResultsError
        If there are no measurements.
    """
    return list({row["seal"]: row for path in paths for row in _rows(path)
                 if row.get("seal") in seals}.values())


def _rows(path: Path) -> list[dict[str, Any]]:
    if path.is_file():
        return read(path)
    if not Store(path).exists and (files := sorted(path.rglob("rows.jsonl"))):
        return [row for file in files for row in read(file)]
    with Store(path).open(create=False, writable=False) as store:
        rows = store.rows()
        # Whoever chose the seals read the rows before, and has told of damage.
        store.remarks()
        return rows
