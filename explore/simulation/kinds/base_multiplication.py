"""Multiples of the base point: scalars to try."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from montgomery.numbers.curves import EdwardsCurve

from . import rare, scalar_multiplication
from .base import Vector

__all__ = ["Adapter"]

#: Distance of the bits of a scalar that are taken together by a comb, and how many there are.
_APART, _TEETH = 16, 8


class Adapter(scalar_multiplication.Adapter):
    """The operations of a core for multiples of the base point."""

    def longest(self) -> Vector:
        return (1 << self.params.width) - 1,

    def edges(self) -> list[Vector]:
        """The smallest scalars, those around the order and its half, powers of two and runs of
        ones.
        """
        return [(scalar,) for scalar in self._scalars()]

    def solved(self) -> list[Vector]:
        """Scalars of which eight bits, each 16 places from the next one, take all values."""
        teeth = range(0, self.params.width, _APART)
        return [(sum((value + place >> tooth % _TEETH & 1) << place + at
                     for place in range(_APART) for tooth, at in enumerate(teeth)),)
                for value in range(0, 1 << _TEETH, _APART)]

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Scalars of which digits have all values, among them those of a comb at each place, and
        which are near powers of two or the order.
        """
        width, teeth = self.params.width, range(0, self.params.width, _APART)
        combs = [sum((37 * place + 59 * (tooth // _TEETH) + value >> tooth % _TEETH & 1)
                     << place + at for place in range(_APART) for tooth, at in enumerate(teeth))
                 for value in range(1 << _TEETH)]
        return [(scalar,) for scalar in (
            *combs[::every], *scalar_multiplication.scalars(self.curve, width, every),
            *rare.around(self.curve.n, width, self.params.word_width, every))]

    def narrowly_refused(self, every: int = 1) -> Sequence[tuple[Vector, list[int]]]:
        return []

    def refused(self, rng: random.Random) -> list[tuple[Vector, list[int]]]:
        return []

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        width = self.params.width
        return rng.getrandbits(rng.randint(1, width) if shorter else width),

    def words(self) -> dict[str, Any]:
        is_edwards = isinstance(self.curve, EdwardsCurve)
        return {**super().words(), "is_edwards": is_edwards, "is_weierstrass": not is_edwards}
