"""Whether figures that depend on the seed differ: the one verdict of all commands.

A figure of one seed says little, so two points are compared by all their seeds. The logarithms of
the figures are compared by Student's t test:

- If both sides have six seeds or more in common, their differences seed by seed are tested; else
  the means of both sides.
- A few seeds of one point say little of its spread. So where means are compared, the spread within
  other points counts as well, like four further seeds.
- Where many pairs are tested at once, their p values are corrected for their number (Holm).
- Where pairs are added until a difference is sure, each look may only use a part of the allowed
  error, so that all looks together use all of it.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..lookup import known
from .labels import present

__all__ = ["COLUMNS", "CONFIDENCE", "PRIOR", "Comparison", "Difference", "Spread", "compare",
           "difference", "holm", "looks", "mean_of", "student_p"]


#: Probability that equal sides are not called different, where a command does not say another one.
CONFIDENCE = 0.98
#: Seeds in common from which on their differences are tested.
_PAIRED = 6
#: The spread of other points counts like this many degrees of freedom.
PRIOR = 4
#: An error below this is rounding.
_LEAST_ERROR = 1e-6
#: Pairs at the first look, fewer of which hardly tell anything, and between two looks.
_FIRST_PAIRS, _STEP = 8, 2


def student_p(t: float, freedom: int) -> float:
    """Return the p value of a t test (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan2(abs(t), math.sqrt(freedom))
    odd = freedom % 2
    cosine = math.cos(angle)
    total, term = 0.0, cosine if odd else 1.0
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= cosine**2 * power / (power + 1)
    inside = math.sin(angle) * total
    return max(1 - (2 / math.pi * (angle + inside) if odd else inside), 0.0)


def holm(values: Sequence[float]) -> list[float]:
    """Return p values that are corrected for their number, by Holm's procedure.

    If a difference is claimed wherever a corrected value is below some level, the probability of
    any false claim at all is below that level.
    """
    found = [1.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, values[index] * (len(values) - rank)))
        found[index] = largest
    return found


def looks(most: int, level: float) -> list[tuple[int, float]]:
    """Return the numbers of pairs at which to look, and the level of the test at each.

    No look leaves a single pair for the last one. The levels add up to ``level``, so that the
    probability of a false claim at any look is at most that, whatever was seen before.
    """
    counts = [*range(_FIRST_PAIRS, most - 1, _STEP), most]
    return [(count, level * (count**2 - before**2) / most**2)
            for before, count in zip([0, *counts], counts, strict=False)]


@dataclasses.dataclass(frozen=True)
class Spread:
    """How far seeds differ within points: the sum of the squares of the deviations from the mean of
    each point, and its degrees of freedom.
    """

    squares: float = 0.0
    freedom: int = 0

    @classmethod
    def of(cls, figures: Iterable[float]) -> Spread:
        """Return the spread of the logarithms of the figures of one point."""
        return cls._within([math.log(figure) for figure in figures])

    @classmethod
    def _within(cls, logs: Sequence[float]) -> Spread:
        mean = statistics.fmean(logs)
        return cls(sum((each - mean) ** 2 for each in logs), len(logs) - 1)

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.squares + other.squares, self.freedom + other.freedom)

    def __sub__(self, other: Spread) -> Spread:
        # What is left of equal sums may be just below 0.
        return Spread(max(self.squares - other.squares, 0.0), self.freedom - other.freedom)


_UNKNOWN = Spread()


@dataclasses.dataclass(frozen=True)
class Difference:
    """An estimate of the logarithm of a ratio of two figures, with its variance.

    There are no degrees of freedom if the spread is unknown, so that nothing can be said.
    """

    value: float
    variance: float
    freedom: int

    @property
    def relative(self) -> float:
        """The ratio less 1."""
        return math.expm1(self.value)

    @property
    def p(self) -> float:
        """The probability of a difference as large as this, or larger, between equal sides."""
        if self.value == 0 or not self.freedom:
            return 1.0
        return student_p(self.value / max(math.sqrt(self.variance), _LEAST_ERROR), self.freedom)

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """Return the ends of a confidence interval of :attr:`relative`."""
        if not self.freedom:
            return None
        # The p value falls with t, which is looked up to three digits behind the point.
        t = bisect.bisect(range(10**8), confidence - 1,
                          key=lambda step: -student_p(step / 1000, self.freedom)) / 1000
        half = t * math.sqrt(self.variance)
        return math.expm1(self.value - half), math.expm1(self.value + half)


def difference(first: Mapping[int, float], second: Mapping[int, float],
               others: Spread = _UNKNOWN) -> Difference:
    """Return the difference of two points, each a mapping from one seed or more to figures above 0.

    ``others`` is the spread within other points.
    """
    common = first.keys() & second.keys()
    if len(common) >= _PAIRED:
        # Their own spread is known, and may be far from that of placements.
        logs = [math.log(second[seed] / first[seed]) for seed in sorted(common)]
        own = Spread._within(logs)
        return Difference(statistics.fmean(logs), own.squares / own.freedom / len(logs),
                          own.freedom)
    sides = [[math.log(figure) for figure in side.values()] for side in (first, second)]
    means = [statistics.fmean(side) for side in sides]
    own = Spread._within(sides[0]) + Spread._within(sides[1])
    prior = min(PRIOR, others.freedom)
    squares = own.squares + (prior * others.squares / others.freedom if prior else 0.0)
    freedom = own.freedom + prior
    variance = squares / freedom * (1 / len(first) + 1 / len(second)) if freedom else 0.0
    return Difference(means[1] - means[0], variance, freedom)


def mean_of(differences: Sequence[Difference]) -> Difference:
    """Return the mean of differences that do not depend on each other."""
    return Difference(statistics.fmean(each.value for each in differences),
                      sum(each.variance for each in differences) / len(differences) ** 2,
                      sum(each.freedom for each in differences))


#: The columns that can be compared; whether less is better.
COLUMNS = {"latency_us": True, "fmax_mhz": False, "fmax_usable_mhz": False,
           "throughput_mbps": False, "throughput_pipelined_mbps": False, "lut_us": True}

_Rows = Sequence[Mapping[str, Any]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of two sides, seed by seed, with the rows of both.

    ``relative`` is the mean of B to A less 1, None without pairs, and ``low`` and ``high`` are its
    confidence interval, None with fewer than two pairs. ``is_sure`` says whether there is a
    difference: the probability that this is said of equal sides is at most 1 - confidence, however
    many looks were taken.
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
    """Compare two sides by one of :data:`COLUMNS`.

    ``measure`` returns the rows of both sides with the seeds 1 to a number, of which earlier ones
    were measured before. With ``until_sure``, the comparison looks after a few seeds each, up to
    ``seeds``, and stops once a difference is sure.
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
