"""Elliptic curves of all forms, and their arithmetic by Python's own integers."""

import dataclasses

__all__ = ["Curve", "EdwardsCurve", "MontgomeryCurve", "Point", "WeierstrassCurve"]

#: A point as its coordinates x and y; None is the point at infinity.
Point = tuple[int, int] | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curve:
    """What curves of all forms have."""

    name: str
    aliases: tuple[str, ...] = ()  # other names that are in use
    p: int  # the prime
    n: int  # number of multiples of the base point, a prime; the neutral point is one of them

    @property
    def width(self) -> int:
        """Bits of a coordinate."""
        return self.p.bit_length()


@dataclasses.dataclass(frozen=True, kw_only=True)
class _WithBase(Curve):
    """A curve of which both coordinates of points are computed."""

    # Coordinates of the base point.
    gx: int
    gy: int

    @property
    def base(self) -> tuple[int, int]:
        """The base point."""
        return self.gx, self.gy

    def contains(self, x: int, y: int) -> bool:
        """Return whether numbers are the coordinates of a point, both from 0 to p - 1."""
        return 0 <= x < self.p and 0 <= y < self.p and self._difference(x, y) % self.p == 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class WeierstrassCurve(_WithBase):
    """The curve y² = x³ + a x + b modulo a prime, all of whose points are multiples of one."""

    # Coefficients, below p. The curve has no point (0, 0): b is not 0.
    a: int
    b: int

    def _difference(self, x, y):
        return y * y - (x * x + self.a) * x - self.b

    def multiply(self, scalar: int, point: Point) -> Point:
        """Return a multiple of a point, by doubling and adding from the highest bit on."""
        if point is None:
            return None
        total = 1, 1, 0
        for bit in f"{scalar % self.n:b}":
            total = self._double(*total)
            if bit == "1":
                total = self._add(*total, *point)
        x, y, z = total
        if z == 0:
            return None
        inverse = pow(z, -1, self.p)
        return x * inverse**2 % self.p, y * inverse**3 % self.p

    # Jacobian coordinates: (x, y, z) stands for (x / z², y / z³), and z = 0 for infinity.

    def _double(self, x, y, z):
        p = self.p
        square = y * y % p
        middle = 4 * x * square % p
        slope = (3 * x * x + self.a * pow(z, 4, p)) % p
        x = (slope * slope - 2 * middle) % p
        return x, (slope * (middle - x) - 8 * square * square) % p, 2 * y * z % p

    def _add(self, x, y, z, other_x, other_y):
        """Return a sum with a point whose z is 1."""
        p = self.p
        if z == 0:
            return other_x, other_y, 1
        square = z * z % p
        run = (other_x * square - x) % p
        rise = (other_y * square * z - y) % p
        if run == 0:
            return self._double(x, y, z) if rise == 0 else (1, 1, 0)
        square = run * run % p
        middle, cube = x * square % p, run * square % p
        x = (rise * rise - cube - 2 * middle) % p
        return x, (rise * (middle - x) - y * cube) % p, z * run % p


@dataclasses.dataclass(frozen=True, kw_only=True)
class EdwardsCurve(_WithBase):
    """The curve y² - x² = 1 + d x² y² modulo a prime, of which -1 is a square and d is none.

    Its addition has no exceptions. The neutral point is (0, 1); points whose order is a prime are
    the multiples of one.
    """

    d: int  # coefficient, below p

    def _difference(self, x, y):
        return y * y - x * x - 1 - self.d * x * x * y * y

    def multiply(self, scalar: int, point: tuple[int, int]) -> tuple[int, int]:
        """Return a multiple of a point, by doubling and adding from the highest bit on."""
        p, (other_x, other_y) = self.p, point
        x, y, z = 0, 1, 1
        for bit in f"{scalar:b}":
            x, y, z = self._add((x, y, z), (x, y, z))
            if bit == "1":
                x, y, z = self._add((x, y, z), (other_x, other_y, 1))
        inverse = pow(z, -1, p)
        return x * inverse % p, y * inverse % p

    def _add(self, first, second):
        """Return a sum; (x, y, z) stands for (x / z, y / z)."""
        (a, b, c), (d, e, f), p = first, second, self.p
        square = c * f * c * f % p
        cross = self.d * a * b * d * e % p
        less, more = (square - cross) % p, (square + cross) % p
        return (c * f * less * (a * e + b * d) % p, c * f * more * (b * e + a * d) % p,
                less * more % p)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MontgomeryCurve(Curve):
    """The curve v² = u³ + a u² + u modulo a prime; RFC 7748, sections 4 and 5.

    Each u is the first coordinate of a point, of the curve or of its twist.
    """

    a: int  # coefficient; (a - 2) / 4 is an integer
    # Points of small order are those whose multiple by two to this power is infinity.
    cofactor_bits: int
    u: int  # first coordinate of the base point

    @property
    def function(self) -> str:
        """Name of the function that multiplies a point, X25519 for Curve25519."""
        return f"X{self.name.removeprefix('Curve')}"

    @property
    def octets(self) -> int:
        """Octets of a coordinate or a scalar."""
        return -(-self.width // 8)

    def clamped(self, scalar: int) -> int:
        """Return what a scalar counts as: a multiple of the cofactor, of all bits of the prime."""
        low = 1 << self.cofactor_bits
        return scalar % (1 << self.width) // low * low | 1 << self.width - 1

    def coordinate(self, u: int) -> int:
        """Return what a coordinate counts as: without bits above the prime's, modulo the prime."""
        return u % (1 << self.width) % self.p

    def is_small(self, u: int) -> bool:
        """Return whether a coordinate is that of points of small order."""
        return self.multiply(1 << self.cofactor_bits, self.coordinate(u)) == 0

    def agree(self, scalar: int, u: int) -> int:
        """Return the result of :attr:`function` for two numbers of all octets."""
        return self.multiply(self.clamped(scalar), self.coordinate(u))

    def multiply(self, scalar: int, u: int) -> int:
        """Return the coordinate of a multiple of a point, by a ladder; 0 for infinity."""
        p = self.p
        (x2, z2), (x3, z3) = (1, 0), (u, 1)
        for bit in f"{scalar:b}":
            if bit == "1":
                x2, z2, x3, z3 = x3, z3, x2, z2
            total, difference = (x2 + z2) ** 2, (x2 - z2) ** 2
            one, other = (x2 + z2) * (x3 - z3), (x2 - z2) * (x3 + z3)
            x2, z2 = (total * difference % p, (total - difference) * (
                total + (self.a - 2) // 4 * (total - difference)) % p)
            x3, z3 = (one + other) ** 2 % p, u * (one - other) ** 2 % p
            if bit == "1":
                x2, z2, x3, z3 = x3, z3, x2, z2
        return x2 * pow(z2, p - 2, p) % p
