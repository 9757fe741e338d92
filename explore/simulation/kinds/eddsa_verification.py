"""Verifications of EdDSA signatures: signatures to try."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

from montgomery.numbers.curves import EdwardsCurve

from . import rare
from .base import Vector
from .ecdsa_verification import Verdicts
from .scalar_multiplication import scalars

__all__ = ["Adapter"]

_Affine = tuple[int, int]


def _x(curve: EdwardsCurve, y: int) -> int | None:
    """Return an even first coordinate of the points with a second one; None if there is none."""
    p = curve.p
    square = (y * y - 1) * pow(curve.d * y * y + 1, -1, p) % p
    x = rare.root(square, p)
    return min(x, p - x, key=lambda each: each & 1) if x else x


def _sum(curve: EdwardsCurve, first: _Affine, second: _Affine) -> _Affine:
    """Return the sum of two points, by the formula of the definition."""
    p, (x, y), (other_x, other_y) = curve.p, first, second
    cross = curve.d * x * other_x * y * other_y
    return ((x * other_y + other_x * y) * pow(1 + cross, -1, p) % p,
            (y * other_y + x * other_x) * pow(1 - cross, -1, p) % p)


@functools.cache
def _small(curve: EdwardsCurve) -> list[_Affine]:
    """Return the eight points of small order."""
    for y in itertools.count(2):
        x = _x(curve, y)
        if x is not None:
            point = curve.multiply(curve.n, (x, y))
            found = [curve.multiply(times, point) for times in range(8)]
            if len(set(found)) == 8:
                return found
    raise AssertionError("One of two points has a part of order 8")


class Adapter(Verdicts):
    """The operations of a core for EdDSA verification."""

    @property
    def _sign(self) -> int:
        """The bit that is the sign of x, above y."""
        return 1 << self.curve.width

    def _encoded(self, point: _Affine) -> int:
        return point[1] | (point[0] & 1) * self._sign

    def _decoded(self, encoded: int) -> _Affine | None:
        """Return a point, as RFC 8032, 5.1.3, says; None if there is none."""
        sign, y = divmod(encoded, self._sign)
        x = _x(self.curve, y) if y < self.curve.p else None
        if x is None or (sign and x == 0):
            return None
        return (self.curve.p - x if sign else x), y

    def golden(self, k: int, s: int, a: int, r: int) -> int:
        key = self._decoded(a)
        return int(key is not None and s < self.curve.n and r == self._of(k, s, key))

    def _of(self, k: int, s: int, key: _Affine) -> int:
        """Return s B - k A, as a number of octets."""
        curve, (x, y) = self.curve, key
        return self._encoded(_sum(curve, curve.multiply(s, curve.base),
                                  curve.multiply(k, (-x % curve.p, y))))

    def longest(self) -> Vector:
        return self._valid(2 * self._sign - 1, self.curve.n - 1, self.curve.n - 2)

    def _with(self, k: int, s: int, key: _Affine) -> Vector:
        """Return the valid signature that has two scalars."""
        return k, s, self._encoded(key), self._of(k, s, key)

    def _valid(self, k: int, s: int, key: int) -> Vector:
        """Return the same for the multiple of the base point by a number."""
        return self._with(k, s, self.curve.multiply(key, self.curve.base))

    def _of_no_key(self, s: int, encoded: int) -> Vector:
        """Return what is a signature for any key, if the encoding were that of one."""
        return 0, s, encoded, self._encoded(self.curve.multiply(s, self.curve.base))

    def edges(self) -> list[Vector]:
        """Signatures with the smallest and the largest scalars, whose multiples are equal, opposite
        or (0, 1); keys and sums of small order; s from the order on; and keys and R that are no
        shortest encodings of points, where all else is right.
        """
        curve, sign = self.curve, self._sign
        n, p, most = curve.n, curve.p, 2 * sign - 1
        valid = self._valid(5, 7, 3)
        k, s, a, r = valid
        pairs: list[tuple[int, int]] = [
            (0, 0), (0, 1), (1, 0), (1, 1), (n - 1, n - 1), (n, 1), (most, n - 1), (16, 15),
            (sign, sign >> 4), (n - 1, 1)]
        small, key = _small(curve), curve.multiply(1985, curve.base)
        torsion = [self._with(*pair, point) for point in small for pair in ((1, 0), (8, 3), (9, 5))]
        mixed = [self._with(7, 9, _sum(curve, key, point)) for point in small]
        wrong = [(k, s, a ^ sign, r), (k, s, a, r ^ sign), (k, s, r, a), (s, k, a, r),
                 (k, s, a, 0), (k, s, a, most), (k, s, 0, r), (k, s, most, r), (0, 0, 1, most)]
        above = [(k, each, a, r) for each in (s + n, n, most, s + sign, s + 2 * n)]
        # At (0, 1), and (0, -1), x has no sign.
        keys = [1 + sign, p - 1 + sign, *(y + bit for y in range(p, sign) for bit in (0, sign)),
                *(y for y in range(2, 40) if _x(curve, y) is None)]
        ends = [(k, s, a, each) for k, s, a, r in (self._valid(0, 0, 1), *(
            self._with(1, 0, point) for point in small[1:])) for each in (
            r ^ sign, (r + p) & most, (r + p ^ sign) & most)]
        return [valid, *(self._valid(*pair, 5) for pair in pairs), *torsion, *mixed, *wrong,
                *above, *(self._of_no_key(11, each) for each in keys), *ends]

    def solved(self) -> list[Vector]:
        """Multiples whose last digits are equal, opposite and 0, of the base point, its opposite,
        and others.
        """
        n = self.curve.n
        return [self._valid(of_base + 32 * more, scalar, key)
                for of_base, scalar in ((32, 32), (32, n - 32), (33, 1), (16, 16), (15, n - 15))
                for more, key in ((0, 1), (n // 3, n - 1), (1, 1234567))]

    def _near(self, values: Iterable[int]) -> _Affine:
        """Return the first point with one of some second coordinates, of the prime order or not."""
        p = self.curve.p
        return next((x, y % p) for y in values if (x := _x(self.curve, y % p)) is not None)

    def _failures(self, every: int) -> Iterator[int]:
        """Yield second coordinates of no point, for which v x² - u is a power of two or minus one
        for the number x that the way to a root gives.
        """
        p, d = self.curve.p, self.curve.d
        for place in range(0, self.curve.width, every):
            for sign in (1, -1):
                for times in (1, pow(3, -1, p)):
                    square = (1 + sign * times * (1 << place)) % p
                    y = rare.root(square, p)
                    if y is not None and _x(self.curve, y) is None and d:
                        yield y

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Valid signatures whose scalars have digits of all values, or of which keys and sums are
        near powers of two and the prime; and what is not valid only because one bit of s, of the
        key, of R, or of what a key must fulfil is wrong.
        """
        curve, bits, word = self.curve, self.curve.width + 1, self.params.word_width
        n, p = curve.n, curve.p
        rng = random.Random(f"{self.params!r} rare")
        given = scalars(curve, bits, every)
        vectors = [self._valid(k, s % n, rng.randrange(1, n))
                   for k, s in zip(given, given[::-1], strict=True)]
        near = rare.around(p, curve.width, word, every)
        points = [self._near(itertools.count(each, 1 if 2 * each < p else -1)) for each in near]
        vectors += [self._with(rng.randrange(n), rng.randrange(n), point) for point in points]
        # The key is the only summand, so that the sum is it.
        vectors += [self._with(n - 1, 0, point) for point in points]
        # One bit decides whether s is below n, and y of a key below p.
        for sign, place, _ in list(rare.by_one_bit(n, bits, word))[::every]:
            s = n + sign * ((1 << place) - 1)
            k, _, a, r = self._valid(rng.randrange(n), s % n, rng.randrange(1, n))
            vectors.append((k, s, a, r))
        vectors += [(k, s, a, r ^ 1 << place) for place in range(0, bits, every)
                    for k, s, a, r in [self._valid(rng.randrange(n), rng.randrange(n), 3 + place)]]
        return vectors + [self._of_no_key(rng.randrange(n), y) for y in self._failures(every)]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        """Half of the signatures are valid, and in the others one bit of one number is wrong."""
        n, bits = self.curve.n, self.curve.width + 1
        k = rng.getrandbits(rng.randint(1, bits) if shorter else bits)
        numbers = list(self._valid(k, rng.randrange(n), rng.randrange(1, n)))
        if rng.getrandbits(1):
            numbers[rng.randrange(len(numbers))] ^= 1 << rng.randrange(bits)
        return tuple(numbers)
