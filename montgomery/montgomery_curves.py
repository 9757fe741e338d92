"""Elliptic curves in Montgomery's form, of which first coordinates alone are computed."""

import dataclasses

__all__ = ["MONTGOMERY_CURVES", "MontgomeryCurve", "curve_of"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class MontgomeryCurve:
    """The curve v² = u³ + a u² + u modulo a prime; RFC 7748, sections 4 and 5.

    Each u is the first coordinate of a point, of the curve or of its twist.

    Attributes
    ----------
    name : :class:`str`
    p : :class:`int`
        The prime.
    a : :class:`int`
        Coefficient; (a - 2) / 4 is an integer.
    n : :class:`int`
        Number of points that are multiples of the base point, a prime.
    cofactor_bits : :class:`int`
        Points of small order are those whose multiple by two to this power is infinity.
    u : :class:`int`
        First coordinate of the base point.
    """

    name: str
    p: int
    a: int
    n: int
    cofactor_bits: int
    u: int

    @property
    def width(self) -> int:
        """Bits of a coordinate."""
        return self.p.bit_length()

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


#: From name to :class:`MontgomeryCurve`.
MONTGOMERY_CURVES = {curve.name: curve for curve in (
    # RFC 7748, 4.1.
    MontgomeryCurve(name="Curve25519", p=2**255 - 19, a=486662,
                    n=2**252 + 0x14DEF9DEA2F79CD65812631A5CF5D3ED, cofactor_bits=3, u=9),
    # RFC 7748, 4.2.
    MontgomeryCurve(name="Curve448", p=2**448 - 2**224 - 1, a=156326,
                    n=2**446 - 0x8335DC163BB124B65129C96FDE933D8D723A70AADC873D6D54A7BB0D,
                    cofactor_bits=2, u=5),
    # For experiments: few bits, and nothing secret. The twist has four times a prime of points.
    MontgomeryCurve(name="toy-15", p=32749, a=362, n=4129, cofactor_bits=3, u=3),
)}


def curve_of(name: str, width: int) -> MontgomeryCurve:
    """Return the curve of a name; where that is empty, the one of a width, or Curve25519."""
    fitting = (curve for curve in MONTGOMERY_CURVES.values() if curve.width == width)
    return MONTGOMERY_CURVES[name] if name else next(fitting, MONTGOMERY_CURVES["Curve25519"])
