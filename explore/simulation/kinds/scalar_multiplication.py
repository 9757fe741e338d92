"""Scalar multiplications: scalars and points to try."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Sequence

from montgomery.numbers.curves import Curve, WeierstrassCurve

from . import rare
from .base import OfCurve, Vector

__all__ = ["Adapter", "at_x", "differences", "marked", "near_prime", "scalars"]

#: Values of the last digits of a scalar, of windows of up to five bits.
_DIGITS = (4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33)

_Affine = tuple[int, int]


def _cubic(curve: WeierstrassCurve, x: int) -> int:
    return (pow(x, 3, curve.p) + curve.a * x + curve.b) % curve.p


def at_x(curve: WeierstrassCurve, x: int) -> _Affine | None:
    """Return a point with a first coordinate; None if there is none."""
    y = rare.root(_cubic(curve, x), curve.p)
    return None if y is None else (x, y)


def _at_y(curve: WeierstrassCurve, y: int) -> _Affine | None:
    """Return a point with a second coordinate; None if there is none, or no simple way to it."""
    p = curve.p
    if curve.a == 0 and p % 9 == 7:
        # There are three or none, since p - 1 is a multiple of 3. One is this power of x**3.
        x = pow(y * y - curve.b, (p + 2) // 9, p)
        return (x, y) if curve.contains(x, y) else None
    # If there is just one: x**p modulo f = x**3 + a x + c, by its coefficients of 1, x and x**2.
    a, c = curve.a, curve.b - y * y
    low, middle, high = 0, 1, 0
    for bit in f"{p:b}"[1:]:
        cube, fourth = 2 * middle * high, high * high
        low, middle, high = ((low * low - c * cube) % p,
                             (2 * low * middle - a * cube - c * fourth) % p,
                             (2 * low * high + middle * middle - a * fourth) % p)
        if bit == "1":
            low, middle, high = -c * high % p, (low - a * high) % p, middle
    # If f has one root r modulo p, x**p is the third root s' = -r - s at either other root s. So
    # x**p + x + r is a multiple of (x - s) (x - s') = x**2 + r x + s s'.
    if high == 0:
        return None
    x = (middle + 1) * pow(high, -1, p) % p
    return (x, y) if curve.contains(x, y) else None


@functools.cache
def _extremes(curve: WeierstrassCurve) -> list[_Affine]:
    """Return the points with the smallest and the largest coordinates, or nearly so."""
    found = []
    for at in (at_x, _at_y):
        for values in (itertools.count(0), itertools.count(curve.p - 1, -1)):
            found.append(next(point for point in map(functools.partial(at, curve), values)
                              if point))
    return found


@functools.cache
def marked(curve: WeierstrassCurve, word: int, every: int = 1) -> list[_Affine]:
    """Return points of which a coordinate is as near as there are to a power of two at the end of a
    word, from above, or to the prime less such a power, from below.
    """
    found = []
    for place in rare.places(curve.width, word, 2 * every):
        for values in (itertools.count(1 << place), itertools.count(curve.p - (1 << place), -1)):
            for at in (at_x, _at_y):
                points = (at(curve, value) for value in itertools.islice(values, 60))
                found.append(next((point for point in points if point), None))
    return [point for point in dict.fromkeys(found) if point and curve.contains(*point)]


@functools.cache
def near_prime(curve: WeierstrassCurve, bits: int, word: int, sign: int, offset: int = 0
               ) -> list[_Affine]:
    """Return points of which a coordinate, or that plus the prime, differs from the prime as
    :func:`rare.by_one_bit` says: above the prime for a sign of 1, and below it for -1.

    The limit is the prime less an offset, and the first coordinate alone counts if there is one.
    """
    found = []
    for wanted, place, most in rare.by_one_bit(curve.p - offset, bits, word):
        if wanted == sign:
            for at in (at_x,) if offset else (at_x, _at_y):
                points = (at(curve, (sign * (1 << place) - sign * less) % curve.p)
                          for less in range(1, min(most, 60) + 1))
                found.append(next((point for point in points if point), None))
    return [point for point in dict.fromkeys(found) if point and curve.contains(*point)]


def scalars(curve: Curve, bits: int, every: int = 1) -> list[int]:
    """Return scalars of so many bits whose digits have all values, at each place or at one."""
    found = [scalar for window in range(2, min(max(5, bits // 25), 10) + 1)
             for scalar in rare.recoded(bits, window, everywhere=window in (4, 5))]
    if isinstance(curve, WeierstrassCurve) and curve.a == 0:
        found += rare.halved(curve.n)
    return found[::every]


def _apart(curve: WeierstrassCurve, rng: random.Random, difference: int) -> _Affine:
    """Return coordinates of which y² is more than that of a point by a difference."""
    while True:
        x = rng.randrange(curve.p)
        y = rare.root(_cubic(curve, x) + difference, curve.p)
        if y is not None:
            return x, y


def differences(curve: WeierstrassCurve, scale: int, bits: int, word: int, count: int
                ) -> Iterator[_Affine]:
    """Yield numbers that are no point: of which y² is more than that of a point by a power of two,
    divided by a scale. If there are enough, each bit of a word is among them, and of each word one.
    """
    rng = random.Random(f"{curve.name} {scale}")
    inverse, words = pow(scale, -1, curve.p), -(-bits // word)
    for number in range(count):
        place = number % words * word + (number + number // max(word, words)) % word
        if place >= curve.width:
            continue
        yield _apart(curve, rng, inverse << place)


class Adapter(OfCurve):
    """The operations of a core for scalar multiplication."""

    @property
    def _bits(self) -> int:
        """Bits of the words of a number."""
        return self.params.word_width * self.params.field_words

    def golden(self, scalar: int, *point: int) -> int:
        x, y = point or self.curve.base
        product = self.curve.multiply(scalar, (x, y))
        return 0 if product is None else product[0] + (product[1] << self._bits)

    def told(self, result: int) -> str:
        if result == 0:
            return "the point at infinity"
        return f"x {result % 2**self._bits:#x}, y {result >> self._bits:#x}"

    def longest(self) -> Vector:
        return (1 << self.params.width) - 1, *self.curve.base

    def edges(self) -> list[Vector]:
        """The smallest scalars, those around the order and its half, powers of two and runs of
        ones; the base point and its opposite, and the points with the smallest and the largest
        coordinates.
        """
        curve = self.curve
        n, opposite = curve.n, (curve.gx, curve.p - curve.gy)
        return [*((scalar, *curve.base) for scalar in self._scalars()),
                *((scalar, *opposite) for scalar in (1, n - 2)),
                *((scalar, *point) for scalar, point in zip(
                    (1, n - 1, 2, n - 2), _extremes(curve), strict=True))]

    def _scalars(self) -> tuple[int, ...]:
        n, width = self.curve.n, self.params.width
        half = width // 2
        return (0, 1, 2, 3, (n - 1) // 2, (n + 1) // 2, n - 2, n - 1, n, n + 1, (1 << width) - 1,
                1 << width - 1, 1 << half, (1 << width - 1) - 1, (1 << width) - (1 << half))

    def solved(self) -> list[Vector]:
        """Products with the smallest and the largest coordinates, and scalars whose last digit, of
        a window of up to five bits, adds a point to itself, to its opposite or to infinity.
        """
        rng = random.Random(f"{self.params!r} solved")
        curve = self.curve
        vectors: list[Vector] = []
        for x, y in _extremes(curve):
            for product in ((x, y), (x, curve.p - y)):
                scalar = rng.randrange(1, curve.n)
                vectors.append((scalar, *self._multiple(pow(scalar, -1, curve.n), product)))
        for digit in _DIGITS:
            point = self._point(rng)
            vectors += [(scalar, *point) for scalar in (digit, curve.n - digit, curve.n + digit)
                        if 0 <= scalar < 1 << self.params.width]
        return vectors

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Scalars of which digits have all values, or which are near powers of two or the order;
        points and products near powers of two or the prime; and products whose last denominator is
        a power of two, which is the second coordinate of the point where the scalar is 1.
        """
        curve, bits, word = self.curve, self.params.width, self.params.word_width
        points = (marked(curve, word, every)
                  + near_prime(curve, self._bits, word, -1)[::every])
        vectors = [(scalar, *point) for scalar, point in zip(
            scalars(curve, bits, every), itertools.cycle(points), strict=False)]
        for scalar, point in zip(rare.around(curve.n, bits, word, every),
                                 itertools.cycle(points), strict=False):
            if scalar % curve.n:
                point = self._multiple(pow(scalar, -1, curve.n), point)
            vectors.append((scalar, *point))
        for number, place in enumerate(rare.places(curve.width, word, 2 * every)):
            for base, power in itertools.product((1, curve.p), (0, 1)):
                denominator = (base - (1 << place)) * pow(2, power * self._bits, curve.p)
                point = _at_y(curve, denominator % curve.p)
                vectors += [((1, curve.n - 1)[number % 2], *point)] if point else []
        return vectors

    def narrowly_refused(self, every: int = 1) -> Sequence[tuple[Vector, list[int]]]:
        curve, bits, word = self.curve, self._bits, self.params.word_width
        rng = random.Random(f"{self.params!r} refused")
        off = list(differences(curve, self.params._difference_scale, bits, word,
                               2 * max(word, self.params.field_words)))
        off += [each for x, y in marked(curve, word, every) + near_prime(curve, bits, word, 1)
                for each in ((x + curve.p, y), (x, y + curve.p)) if max(each) < 1 << bits]
        right = [self.sample(rng) for _ in range(3)]
        return [(vector, self.params.operands.encode({"scalar": vector[0], "x": x, "y": y}))
                for vector, (x, y) in zip(itertools.cycle(right), off[::every], strict=False)]

    def _multiple(self, scalar: int, point: _Affine) -> _Affine:
        """Return a multiple that is not the point at infinity."""
        product = self.curve.multiply(scalar, point)
        assert product is not None
        return product

    def _point(self, rng: random.Random) -> _Affine:
        return self._multiple(rng.randrange(1, self.curve.n), self.curve.base)

    def refused(self, rng: random.Random) -> list[tuple[Vector, list[int]]]:
        """Coordinates that are not below p, but are those of a point modulo p, or without their
        highest bits; numbers near a point, in the wrong order or both 0; a point of the twist;
        numbers for which what must be 0 has one bit; and scalars whose result would be infinity or
        the point itself.
        """
        curve, operands = self.curve, self.params.operands
        p, bits = curve.p, self._bits
        x, y = self._point(rng)
        off = [(x, y + 1), (x + 1, y), (y, x), (x, 0), (0, y), (0, 0), (p - 1, p - 1),
               ((1 << bits) - 1, (1 << bits) - 1), self._of_twist(rng)]
        scale = pow(self.params._difference_scale, -1, p)
        off += [_apart(curve, rng, sign * scale << place)
                for sign in (1, -1) for place in (0, 17, bits // 2, curve.width - 1)]
        off += [wrong for x, y in (*_extremes(curve), (x, y)) for more in (p, 1 << curve.width)
                for wrong in ((x + more, y), (x, y + more)) if max(wrong) < 1 << bits]
        scalars = itertools.cycle((rng.randrange(curve.n), 0, 1, curve.n))
        return [((rng.randrange(curve.n), *self._point(rng)),
                 operands.encode({"scalar": scalar, "x": x, "y": y}))
                for scalar, (x, y) in zip(scalars, off, strict=False) if not curve.contains(x, y)]

    def _of_twist(self, rng: random.Random) -> _Affine:
        """Return numbers that are a point of the curve with -y² in place of y²."""
        while True:
            x = rng.randrange(self.curve.p)
            y = rare.root(-_cubic(self.curve, x), self.curve.p)
            if y:
                return x, y

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        width = self.params.width
        return rng.getrandbits(rng.randint(1, width) if shorter else width), *self._point(rng)
