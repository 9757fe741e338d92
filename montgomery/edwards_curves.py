"""Elliptic curves in Edwards's form, and their arithmetic by Python's own integers."""

import dataclasses

__all__ = ["EDWARDS_CURVES", "EdwardsCurve"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EdwardsCurve:
    """The curve y² - x² = 1 + d x² y² modulo a prime, of which -1 is a square and d is none.

    Its addition has no exceptions. The neutral point is (0, 1); points whose order is a prime are
    the multiples of one.

    Attributes
    ----------
    name : :class:`str`
    p : :class:`int`
        The prime.
    d : :class:`int`
        Coefficient, below p.
    n : :class:`int`
        Number of multiples of the base point, a prime.
    gx, gy : :class:`int`
        Coordinates of the base point.
    """

    name: str
    p: int
    d: int
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
        p, squares = self.p, (x * x, y * y)
        return (0 <= x < p and 0 <= y < p
                and (squares[1] - squares[0] - 1 - self.d * squares[0] * squares[1]) % p == 0)

    def multiply(self, scalar: int, point: tuple[int, int]) -> tuple[int, int]:
        """Return a multiple of a point, by doubling and adding from the highest bit on."""
        p, (other_x, other_y) = self.p, point
        x, y, z = 0, 1, 1
        for bit in f"{scalar % self.n:b}":
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


#: From name to :class:`EdwardsCurve`.
EDWARDS_CURVES = {curve.name: curve for curve in (
    # RFC 8032, 5.1.
    EdwardsCurve(name="Ed25519", p=2**255 - 19,
                 d=0x52036CEE2B6FFE738CC740797779E89800700A4D4141D8AB75EB4DCA135978A3,
                 n=2**252 + 0x14DEF9DEA2F79CD65812631A5CF5D3ED,
                 gx=0x216936D3CD6E53FEC0A4E231FDD6DC5C692CC7609525A7B2C9562D608F25D51A,
                 gy=0x6666666666666666666666666666666666666666666666666666666666666658),
)}
