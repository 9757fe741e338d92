"""Multiples of the base point: scalars to try, and what documents say."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

from montgomery.numbers.curves import EdwardsCurve

from . import rare, scalar_multiplication
from .base import Document, Vector

__all__ = ["Adapter"]

#: Distance of the bits of a scalar that are taken together by a comb, and how many there are.
_APART, _TEETH = 16, 8

_USAGE = '''\
def point(result):
    """Return the coordinates x and y of a result."""
    if result == 2**(2 * {bits}) - 1:
        raise ValueError("The product was no point")
    return result % 2**{bits}, result >> {bits}
'''


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

    def _equation(self) -> str:
        curve = self.curve
        if isinstance(curve, EdwardsCurve):
            return f"y² - x² = 1 + d x² y² modulo p, with d = {curve.d:#x}"
        return super()._equation()

    def document(self) -> Document:
        curve, of_points = self.curve, super().document()
        neutral = "Both are 0 if the product is the point at infinity:"
        of_key, usage = "The product of a private key is its public key.", of_points.usage
        if isinstance(curve, EdwardsCurve):
            neutral, usage = "The product is (0, 1)", _USAGE.format(bits=self._bits)
            of_key = ("The scalar of a private key comes from its SHA-512, as RFC 8032, 5.1.5, "
                      "says, and its product is the public key.")
        rules = dict(of_points.rules)
        del rules["x and y"]
        return dataclasses.replace(
            of_points,
            result=f"The coordinates of scalar · G on the curve {curve.name}, both below p. "
                   f"{neutral} where the scalar is a multiple of n. If what was computed is no "
                   "point, all bits of the result are 1.",
            rules=[*rules.items(), ("G", f"({curve.gx:#x}, {curve.gy:#x})")],
            conversion="There is nothing to convert: coordinates and scalar are ordinary numbers. "
                       f"{of_key}",
            usage=usage,
            timed="every multiplication",
            illegal="The hardware takes any scalar.")
