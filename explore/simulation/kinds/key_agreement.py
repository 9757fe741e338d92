"""Key agreements: scalars and coordinates to try."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Sequence
from typing import Any

from montgomery.numbers.curves import MontgomeryCurve

from . import rare
from .base import OfCurve, Vector

__all__ = ["Adapter"]


def _halves(curve: MontgomeryCurve, double: int) -> list[int]:
    """Return the coordinates whose points have the double with a coordinate."""
    # (u² - 1)² = 4 d u (u² + a u + 1). With w = u + 1/u it is w² - 4 = 4 d (w + a).
    p, found = curve.p, []
    root = rare.root(4 * double * double + 4 * double * curve.a + 4, p)
    for sign in (1, -1):
        w = (2 * double + sign * root) % p if root is not None else 0
        other = rare.root(w * w - 4, p)
        if root is not None and other is not None:
            found += [(w + each * other) * pow(2, -1, p) % p for each in (1, -1)]
    return found


#: Numbers that are tried for a product of a form; one of sixteen has the prime order.
_TRIES = 100


@functools.cache
def _small(curve: MontgomeryCurve) -> list[int]:
    """Return the coordinates of points of small order, of the curve and of its twist."""
    found = {0}
    for _ in range(curve.cofactor_bits):
        found |= {half for double in found for half in _halves(curve, double)}
    return sorted(u for u in found if curve.is_small(u))


class Adapter(OfCurve):
    """The operations of a core for key agreement."""

    @property
    def _most(self) -> int:
        """The largest number of all octets."""
        return (1 << 8 * self.curve.octets) - 1

    def golden(self, scalar: int, u: int) -> int:
        return self.curve.agree(scalar, u)

    def longest(self) -> Vector:
        return self._most, self.curve.u

    def edges(self) -> list[Vector]:
        """The smallest and largest scalars, powers of two and runs of ones; the base point, the
        smallest and the largest coordinates, and those that are not below the prime.
        """
        curve, most, half = self.curve, self._most, self.curve.width // 2
        p, top = curve.p, 1 << curve.width
        scalars = (0, 1, 7, 8, most, most - 7, top - 1, top, top >> 1, (top >> 1) - 1, 1 << half,
                   (1 << half) - 1, most - (1 << half), curve.n, 8 * curve.n)
        others = (2, 3, p - 2, p - 3, p + 2, p + 18, top + 2, top + p + 2, most, 1 << half,
                  most // 3, most // 3 << 1)
        found = [*((scalar, curve.u) for scalar in scalars),
                 *((scalar, u) for scalar, u in zip(itertools.cycle((0, most, curve.n)), others,
                                                    strict=False) if not curve.is_small(u))]
        return [vector for vector in found if max(vector) <= most]

    def solved(self) -> list[Vector]:
        """Products with the smallest and the largest coordinates."""
        rng = random.Random(f"{self.params!r} solved")
        curve = self.curve
        products = itertools.chain(range(2, 80), range(curve.p - 2, curve.p - 80, -1))
        return list(filter(None, (self._with_product(rng, each) for each in products)))

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Scalars near powers of two, and runs of equal bits; coordinates near powers of two and
        near the prime, on either side; and such products, and those whose words have one bit alone.
        """
        curve, bits, word = self.curve, 8 * self.curve.octets, self.params.word_width
        rng = random.Random(f"{self.params!r} rare")
        given = [*rare.around(curve.n, bits, word, every), *rare.recoded(bits, 2, everywhere=True)]
        near = [u for u in rare.around(curve.p, bits, word, every) if not curve.is_small(u)]
        vectors: list[Vector] = list(zip(given, itertools.cycle(near), strict=False))
        found = (self._with_product(rng, product % curve.p) for product in near)
        vectors += [vector for vector in found if vector]
        for bit in range(word)[::every]:
            ones = sum(1 << low + bit for low in range(0, curve.width - bit, word))
            tries = (self._with_product(rng, ones & rng.getrandbits(curve.width))
                     for _ in range(_TRIES))
            vectors += list(itertools.islice(filter(None, tries), 1))
        return vectors

    def _with_product(self, rng: random.Random, product: int) -> Vector | None:
        """Return an operation with a product; None if no point of the prime order has it."""
        curve, scalar = self.curve, rng.getrandbits(self.curve.width)
        if curve.is_small(product):
            return None
        u = curve.multiply(pow(curve.clamped(scalar), -1, curve.n), product)
        return (scalar, u) if curve.agree(scalar, u) == product else None

    def refused(self, rng: random.Random) -> list[tuple[Vector, list[int]]]:
        """The coordinates of small order, of the curve and of its twist, as they are, with the
        highest bit, and with the prime added.
        """
        curve, operands = self.curve, self.params.operands
        top = 1 << curve.width
        coordinates = [wrong for u in _small(curve) for wrong in
                       (u, u + curve.p, u + top, u + curve.p + top)
                       if wrong <= self._most and curve.coordinate(wrong) == u]
        scalars = itertools.cycle((rng.getrandbits(curve.width), 0, self._most, curve.n))
        return [(self.sample(rng), operands.encode({"scalar": scalar, "u": u}))
                for scalar, u in zip(scalars, coordinates, strict=False)]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        """Points of the curve and of its twist; a scalar is as long as any other."""
        bits = 8 * self.curve.octets
        return rng.getrandbits(bits), rng.getrandbits(bits)

    def words(self) -> dict[str, Any]:
        width = self.curve.width
        return {**super().words(), "highest": width - 1,
                "has_more_bits": width < 8 * self.curve.octets}
