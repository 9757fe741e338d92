"""Verifications of ECDSA signatures: signatures to try."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from montgomery.numbers.curves import Point, WeierstrassCurve

from . import rare
from .base import OfCurve, Vector
from .scalar_multiplication import at_x, differences, marked, near_prime, scalars

__all__ = ["Adapter", "Verdicts"]

_Affine = tuple[int, int]


def _sum(curve: WeierstrassCurve, first: Point, second: Point) -> Point:
    """Return the sum of two points, by the rules of textbooks."""
    if first is None or second is None:
        return first or second
    p, (x, y), (other_x, other_y) = curve.p, first, second
    if x == other_x and (y + other_y) % p == 0:
        return None
    rise, run = (3 * x * x + curve.a, 2 * y) if first == second else (other_y - y, other_x - x)
    slope = rise * pow(run, -1, p) % p
    third = (slope * slope - x - other_x) % p
    return third, (slope * (x - third) - y) % p


class Verdicts(OfCurve):
    """The operations of a core that verifies signatures."""

    def contradiction(self, result: int, *inputs: int) -> str:
        golden = self.golden(*inputs)
        return "" if result == golden else f"the signature is {self.told(golden)}"

    def told(self, result: int) -> str:
        return "valid" if result == 1 else "not valid" if result == 0 else f"{result:#x}"


class Adapter(Verdicts):
    """The operations of a core for ECDSA verification."""

    @property
    def _most(self) -> int:
        """The largest number that fits in its words."""
        return (1 << self.params.width) - 1

    def golden(self, z: int, r: int, s: int, x: int, y: int) -> int:
        curve = self.curve
        n = curve.n
        if not (0 < r < n and 0 < s < n and curve.contains(x, y)):
            return 0
        inverse = pow(s, -1, n)
        point = _sum(curve, curve.multiply(z * inverse, curve.base),
                     curve.multiply(r * inverse, (x, y)))
        return int(point is not None and point[0] % n == r)

    def longest(self) -> Vector:
        return self._signature(self._most, self.curve.n - 1, self.curve.n - 2)

    def _signature(self, z: int, key: int, nonce: int) -> Vector:
        """Return the signature of a digest."""
        curve, n = self.curve, self.curve.n
        point, public = (curve.multiply(each, curve.base) for each in (nonce, key))
        assert point is not None
        assert public is not None
        r = point[0] % n
        return z, r, pow(nonce, -1, n) * (z + r * key) % n, *public

    def _signed(self, of_base: int, scalar: int, key: int) -> Vector:
        """Return a signature by a key, of which the point is of_base G + scalar (x, y)."""
        curve, n = self.curve, self.curve.n
        point = curve.multiply(of_base + scalar * key, curve.base)
        # At infinity there is none, and any r does.
        r = 1985 if point is None else point[0] % n
        return self._with(of_base, scalar, r, curve.multiply(key, curve.base))

    def _with(self, of_base: int, scalar: int, r: int, key: Point) -> Vector:
        """Return what gives two scalars for some r."""
        assert key is not None
        s = r * pow(scalar, -1, self.curve.n) % self.curve.n
        return of_base * s % self.curve.n, r, s, *key

    def _of_point(self, rng: random.Random, r: int, point: _Affine, s: int = 0,
                  z: int | None = None) -> Vector:
        """Return what gives a point, under a key that is found for it; with any s, if it is 0, and
        any z, if there is none.
        """
        curve, n = self.curve, self.curve.n
        z, s = rng.randrange(n) if z is None else z, s or rng.randrange(1, n)
        key = _sum(curve, curve.multiply(s, point), curve.multiply(n - z, curve.base))
        public = curve.multiply(pow(r, -1, n), key)
        assert public is not None
        return z, r, s, *public

    def _point_at(self, values: Iterable[int]) -> _Affine:
        """Return the first point with one of some first coordinates."""
        return next(filter(None, (at_x(self.curve, x) for x in values)))

    def edges(self) -> list[Vector]:
        """Signatures with the smallest and the largest digests and scalars, whose multiples are
        equal, opposite or the point at infinity; numbers out of their range in a valid signature;
        and keys that are no points.
        """
        n, p, half = self.curve.n, self.curve.p, self._most + 1 >> 1
        valid = self._signed(5, 7, 3)
        z, r, s, x, y = valid
        digests = [self._signature(digest, 2, 3) for digest in (0, n, n + 1, self._most)]
        scalars: list[tuple[int, int]] = [(0, 1), (0, n - 1), (1, 1), (n - 1, n - 1),
                                          (16, 15), (half, half >> 5)]
        wrong = [(0, r, s, x, y), (z, s, r, x, y), (z, r, s, y, x), (z, r, s, x, p - y)]
        outside = [(z, wrong, s, x, y) for wrong in (0, n, n + r, self._most, n - 1, 1)]
        outside += [(z, r, wrong, x, y) for wrong in (0, n, n + s, self._most, n - 1, 1)]
        keys = ((0, 0), (x, y + 1), (x + 1, y), (p, y), (x, p), (self._most, self._most),
                (p - 1, p - 1))
        return [valid, *digests, *(self._signed(*pair, 5) for pair in scalars),
                self._signed(7, 7, 1), self._signed(7, n - 7, 1), self._signed(0, 1, 1),
                *wrong, *(each for each in outside if max(each) <= self._most),
                *((z, r, s, *key) for key in keys)]

    def solved(self) -> list[Vector]:
        """Points whose first coordinate is not below the order, as which r is refused; points for
        which r is the first coordinate plus the prime, less the order; multiples whose last digits
        are equal, opposite and 0; and a valid signature, to whose numbers the order is added.
        """
        rng = random.Random(f"{self.params!r} solved")
        n, p = self.curve.n, self.curve.p
        vectors: list[Vector] = []
        for start in (n, n + (p - n) // 2):
            x, y = self._point_at(itertools.count(start + 1))
            vectors += [self._of_point(rng, x - n, (x, y)), self._of_point(rng, x - n, (x, p - y)),
                        self._of_point(rng, x, (x, y))]
        x, y = self._point_at(itertools.count(p - 1, -1))
        vectors.append(self._of_point(rng, x - n, (x, y)))
        for start in (0, 1 << 40):
            point = self._point_at(itertools.count(start))
            vectors.append(self._of_point(rng, point[0] + p - n, point))
        for of_base, scalar in ((32, 32), (32, n - 32), (33, 1), (16, 16), (15, n - 15)):
            vectors += [self._signed(of_base + 32 * more, scalar, key)
                        for more, key in ((0, 1), (n // 3, n - 1), (1, rng.randrange(n)))]
        # Numbers so small that there is room for another n.
        point = self._point_at(itertools.count(1 << 40))
        z, r, s, x, y = self._of_point(rng, point[0], point, s=12345)
        return [*vectors, (z, r, s, x, y), (z, r, s + n, x, y), (z, r + n, s, x, y)]

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Valid signatures whose scalars have digits of all values, or whose numbers are near
        powers of two, the order or the prime; and what is not valid only because one number is not
        below its limit, or because one bit of what a point must fulfil is wrong.
        """
        curve, bits, word = self.curve, self.params.width, self.params.word_width
        n, p, top = curve.n, curve.p, 1 << bits
        rng = random.Random(f"{self.params!r} rare")
        given = [scalar % n or 1 for scalar in scalars(curve, bits, every)]
        vectors = [self._signed(of_base, scalar, rng.randrange(1, n))
                   for of_base, scalar in zip(given[::-1], given, strict=True)]
        points, near = marked(curve, word, every), rare.around(n, bits, word, every)
        inside = [each for each in near if 0 < each < n]
        for s, z, point in zip(inside, near[::-1], itertools.cycle(points), strict=False):
            if point[0] % n:
                vectors.append(self._of_point(rng, point[0] % n, point, s, z))
        for x, y in points:
            z, r, s, *key = self._of_point(rng, x % n or 1, (x, y), x % n or 1)
            vectors += [each for each in ((z, r + n, s, *key), (z, r, s + n, *key))
                        if max(each) < top]
        # One bit decides whether s is below n, and whether r + n is below p.
        for (sign, place, _), point in zip(list(rare.by_one_bit(n, bits, word))[::every],
                                           itertools.cycle(points), strict=False):
            s = sign * ((1 << place) - 1) % n
            z, r, _, *key = self._of_point(rng, point[0] % n or 1, point, s)
            sent = n + s if sign == 1 else s
            vectors += [(z, r, sent, *key)] if sent < top else []
        for sign, more in ((1, p - n), (-1, -n)):
            vectors += [self._of_point(rng, x + more, (x, y)) for x, y in
                        near_prime(curve, bits, word, sign, n)[::every] if 0 < x + more < n]
        # If z is 0, and r is s, the point of the signature is the key.
        above = near_prime(curve, bits, word, 1)[::every]
        keys = near_prime(curve, bits, word, -1)[::every] + [
            each for x, y in points + above for each in ((x + p, y), (x, y + p))
            if max(each) < top]
        # A multiple of the prime may be added to what must be 0, and hides half of the bits.
        for scale, times in ((1, 1), (pow(2, bits, p), 8)):
            keys += list(differences(curve, scale, bits, word,
                                     times * max(word, self.params.field_words)))[::every]
        return vectors + [(0, x % n, x % n, x, y) for x, y in keys if x % n]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        """Half of the signatures are valid, and in the others one bit of one number is wrong."""
        n, width = self.curve.n, self.params.width
        z = rng.getrandbits(rng.randint(1, width) if shorter else width)
        numbers = list(self._signature(z, rng.randrange(1, n), rng.randrange(1, n)))
        if rng.getrandbits(1):
            numbers[rng.randrange(len(numbers))] ^= 1 << rng.randrange(width)
        return tuple(numbers)
