"""The measurements that come with the package: the grid of the committed comparison."""

from __future__ import annotations

from pathlib import Path

__all__ = ["DATASET", "PROGRAM", "rows_path"]

#: The file of rows, in the folder ``results`` beside this package.
DATASET = Path(__file__).parents[2] / "results" / "rows.jsonl"
#: What commands call it.
PROGRAM = "program"


def rows_path(name: str) -> Path:
    """Return the path of rows, of which those that come with the program have a name."""
    return DATASET if name == PROGRAM else Path(name)
