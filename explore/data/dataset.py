"""The measurements that come with the package: the grid of the committed comparison."""

from __future__ import annotations

from pathlib import Path

__all__ = ["DATASET"]

#: The file of rows, in the folder ``results`` beside this package.
DATASET = Path(__file__).parents[2] / "results" / "rows.jsonl"
