"""How many division steps end with 0, for numbers of some bits, of either sign.

    python tests/montgomery/helpers/division_steps.py 257

Real numbers f and g, with 0 <= f <= 1 and -1 <= g <= 1, stand for all integers in this proportion.
After each step they are within a convex hull for each delta, if a number may be odd or even at
will. As small as g has become for sure, so large could the numbers have been, and g would be 0.

Prints the bits of the numbers for which each number of steps is enough, and fails where
:func:`montgomery.arithmetic.division_steps`, and two more, are fewer for a larger number.

Source: Wuille, Maxwell: Bounds on divsteps iterations in safegcd. 257 bits take five minutes.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator

from montgomery.arithmetic import division_steps
from montgomery.wide.units.inverter import NEGATIVE

Point = tuple[int, int]


def hull(points: set[Point]) -> list[Point]:
    """Return the corners of the convex hull of some points."""
    def half(ordered: list[Point]) -> list[Point]:
        corners: list[Point] = []
        for x, y in ordered:
            while len(corners) > 1:
                (x0, y0), (x1, y1) = corners[-2:]
                if (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0):
                    break
                corners.pop()
            corners.append((x, y))
        return corners[:-1]

    ordered = sorted(points)
    return half(ordered) + half(ordered[::-1])


def bits() -> Iterator[tuple[int, float]]:
    """Yield numbers of steps, and the bits of the numbers for which so many are enough."""
    # By twice delta: corners times 2**steps, and what g was at least once, at most.
    state = {1: ([(0, -1), (1, -1), (1, 1), (0, 1)], 1)}
    for steps in itertools.count(1):
        found: dict[int, tuple[set[Point], int]] = {}
        for delta, (corners, least) in state.items():
            odd = ([(2 * g, g - f) for f, g in corners] if delta > 0
                   else [(2 * f, g + f) for f, g in corners])
            for follows, moved in ((2 - delta if delta > 0 else 2 + delta, odd),
                                   (2 + delta, [(2 * f, g) for f, g in corners])):
                points, most = found.get(follows, (set(), 0))
                found[follows] = points | set(moved), max(most, 2 * least)
        state = {delta: (corners := hull(points), min(most, max(abs(g) for _, g in corners)))
                 for delta, (points, most) in found.items()}
        size = ((1 << steps) - 1) // max(least for _, least in state.values())
        yield steps, math.log2(size) if size else 0


def check(most: int) -> None:
    """Print steps and bits, up to some bits."""
    smaller = 0.0
    for steps, size in bits():
        if smaller and (given := division_steps(smaller) + NEGATIVE) < steps:
            raise SystemExit(f"Numbers above {smaller:.3f} bits need {steps} steps, not "
                             f"{given}; mend division_steps")
        smaller = size
        print(f"{steps} steps: {size:.3f} bits", flush=True)
        if size >= most:
            break


if __name__ == "__main__":
    check(int(sys.argv[1]))
