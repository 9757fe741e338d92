"""Compares two sides of which each was measured with the same seeds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..lookup import known
from .labels import present
from .verdict import CONFIDENCE, difference, looks

__all__ = ["COLUMNS", "Comparison", "compare"]

#: The columns that can be compared; whether less is better.
COLUMNS = {"latency_us": True, "fmax_mhz": False, "fmax_usable_mhz": False,
           "throughput_mbps": False, "throughput_pipelined_mbps": False, "lut_us": True}

_Rows = Sequence[Mapping[str, Any]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of two sides.

    Attributes
    ----------
    column : str
    rows : tuple of sequence of dict
        The rows of both sides.
    seeds : tuple of int
        The seeds of which both sides have the column.
    relative : float or None
        The mean of B to A less 1, seed by seed; None without pairs.
    low, high : float or None
        Its confidence interval; None with fewer than two pairs.
    confidence : float
    is_sure : bool
        Whether there is a difference. The probability that this is said of equal sides is at most
        1 - confidence, however many looks were taken.
    """

    column: str
    rows: tuple[_Rows, _Rows]
    seeds: tuple[int, ...]
    relative: float | None
    low: float | None
    high: float | None
    confidence: float
    is_sure: bool

    @property
    def better(self) -> str | None:
        """The side that is better, A or B; None if that is not sure."""
        if not self.is_sure or not self.relative:
            return None
        return "B" if (self.relative < 0) == COLUMNS[self.column] else "A"

    @property
    def is_same(self) -> bool:
        """Whether every seed gave both sides the same, since both were the same for the tools."""
        first, second = self.rows
        return self.relative == 0 and (
            {row.get("design") for row in first} == {row.get("design") for row in second})


def compare(measure: Callable[[int], tuple[_Rows, _Rows]], *, seeds: int,
            until_sure: bool = False, column: str = "latency_us", confidence: float = CONFIDENCE
            ) -> Comparison:
    """Compare two sides.

    Parameters
    ----------
    measure : callable
        Returns the rows of both sides with the seeds 1 to a number, of which earlier ones were
        measured before.
    seeds : int
        The number of seeds; with ``until_sure`` the largest one.
    until_sure : bool
        Whether to look after a few seeds each, and to stop once a difference is sure.
    column : str
        One of :data:`COLUMNS`.

    Raises
    ------
    UnknownName
        If there is no such column.
    """
    known("column", column, COLUMNS)
    for taken, level in (looks(seeds, 1 - confidence) if until_sure else
                         [(seeds, 1 - confidence)]):
        rows = measure(taken)
        first, second = _pairs(rows, column)
        if not first:
            return Comparison(column=column, rows=rows, seeds=(), relative=None, low=None,
                              high=None, confidence=confidence, is_sure=False)
        found = difference(first, second)
        if sure := found.p < level:
            break
    low, high = found.interval(confidence) or (None, None)
    return Comparison(column=column, rows=rows, seeds=tuple(first), relative=found.relative,
                      low=low, high=high, confidence=confidence, is_sure=sure)


def _pairs(rows: tuple[_Rows, _Rows], column: str) -> list[dict[int, float]]:
    """Return the values of each side, by seed, of the seeds with which both were measured."""
    first, second = ({row["seed"]: float(row[column]) for row in side if present(row[column])}
                     for side in rows)
    common = sorted(first.keys() & second.keys())
    return [{seed: side[seed] for seed in common} for side in (first, second)]
