"""Elliptic curves, and their arithmetic by Python's own integers."""

import dataclasses

__all__ = ["CURVES", "Curve", "Point"]

#: A point as its coordinates x and y; None is the point at infinity.
Point = tuple[int, int] | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curve:
    """The curve y² = x³ + a x + b modulo a prime, all of whose points are multiples of one.

    Attributes
    ----------
    name : :class:`str`
    p : :class:`int`
        The prime.
    a, b : :class:`int`
        Coefficients, below p. The curve has no point (0, 0): b is not 0.
    n : :class:`int`
        Number of points, a prime; the point at infinity is one of them.
    gx, gy : :class:`int`
        Coordinates of the base point.
    """

    name: str
    p: int
    a: int
    b: int
    n: int
    gx: int
    gy: int

    @property
    def width(self) -> int:
        """Bits of a coordinate."""
        return self.p.bit_length()

    @property
    def base(self) -> tuple[int, int]:
        """The base point."""
        return self.gx, self.gy

    def contains(self, x: int, y: int) -> bool:
        """Return whether numbers are the coordinates of a point, both from 0 to p - 1."""
        return (0 <= x < self.p and 0 <= y < self.p
                and (y * y - (x * x + self.a) * x - self.b) % self.p == 0)

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


#: From name to :class:`Curve`.
CURVES = {curve.name: curve for curve in (
    # FIPS 186-4, D.1.2.3.
    Curve(name="P-256",
          p=2**256 - 2**224 + 2**192 + 2**96 - 1,
          a=2**256 - 2**224 + 2**192 + 2**96 - 4,
          b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
          n=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
          gx=0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
          gy=0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5),
)}
