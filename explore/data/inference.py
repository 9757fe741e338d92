"""Statistics of measured differences: p values of Student's t, Holm's correction, and bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["bootstrap_median", "holm", "student_p"]

_RESAMPLES = 10_000
#: The same differences always get the same interval.
_SEED = 0


def student_p(t: float, freedom: float) -> float:
    """Return the probability that \\|T\\| >= \\|t\\| for Student's T, the p value of a t test.

    Parameters
    ----------
    t : float
        May be infinite.
    freedom : float
        Degrees of freedom, above 0.
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x)) / a
    # Lentz's algorithm.
    value, above, below = 1.0, 1.0, 0.0
    for step in range(500):
        half = step // 2
        if step == 0:
            factor = 1.0
        elif step % 2 == 0:
            factor = half * (b - half) * x / ((a + step - 1) * (a + step))
        else:
            factor = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        below = 1 / _not_zero(1 + factor * below)
        above = _not_zero(1 + factor / above)
        value *= above * below
        if abs(above * below - 1) < 1e-12:
            break
    return min(1.0, front * (value - 1))


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def holm(values: Sequence[float]) -> list[float]:
    """Return p values that are corrected for their number, by Holm's procedure.

    If a difference is claimed wherever a corrected value is below some level, the probability of
    any false claim at all is below that level.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [1.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, values[index] * (len(values) - rank)))
        found[index] = largest
    return found


def bootstrap_median(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return a confidence interval of the median, from percentiles of resampled medians.

    Parameters
    ----------
    values : sequence of float
        One or more.
    confidence : float
        Such as 0.95.
    """
    import numpy

    known = numpy.asarray(values, dtype=float)
    chosen = numpy.random.default_rng(_SEED).integers(len(known), size=(_RESAMPLES, len(known)))
    medians = numpy.median(known[chosen], axis=1)
    low, high = numpy.quantile(medians, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
