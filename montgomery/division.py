"""Division steps, by which inverses are computed."""

from __future__ import annotations

__all__ = ["division_steps"]


def division_steps(bits: float) -> int:
    """Return how many division steps, of which the first has a delta of 1/2, end with g = 0, for f
    and g of so many bits that are not negative.

    Source: Wuille, Maxwell: Bounds on divsteps iterations in safegcd, generic formula for
    hddivsteps.
    """
    return int((45907 * bits + 30179) // 19929)
