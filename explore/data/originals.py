"""Rows as they were written, without what later versions add to them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..store import Store
from .rowfiles import read

__all__ = ["originals"]


def originals(path: Path, seals: Collection[str]) -> list[dict[str, Any]]:
    """Return the rows of a place that carry one of some seals, each once.

    Parameters
    ----------
    path : Path
        See :func:`explore.data.frame.load`.

    Raises
    ------
    StoreError, ResultsError
        If there are no measurements.
    """
    if path.is_file():
        rows = read(path)
    elif not Store(path).exists and (files := sorted(path.rglob("rows.jsonl"))):
        rows = [row for file in files for row in read(file)]
    else:
        with Store(path).open(create=False, writable=False) as store:
            rows = store.rows()
            # Whoever chose the seals read the rows before, and has told of damage.
            store.remarks()
    return list({row["seal"]: row for row in rows if row.get("seal") in seals}.values())
