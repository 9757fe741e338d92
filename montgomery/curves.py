"""Elliptic curves, and their arithmetic by Python's own integers."""

import dataclasses

__all__ = ["CURVES", "Curve", "Point", "curve_of"]

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


def _hex(digits):
    return int(digits, 16)


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
    # FIPS 186-4, D.1.2.4 and D.1.2.5.
    Curve(name="P-384",
          p=2**384 - 2**128 - 2**96 + 2**32 - 1,
          a=2**384 - 2**128 - 2**96 + 2**32 - 4,
          b=_hex("B3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875A"
                 "C656398D8A2ED19D2A85C8EDD3EC2AEF"),
          n=_hex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF"
                 "581A0DB248B0A77AECEC196ACCC52973"),
          gx=_hex("AA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A38"
                  "5502F25DBF55296C3A545E3872760AB7"),
          gy=_hex("3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C0"
                  "0A60B1CE1D7E819D7A431D7C90EA0E5F")),
    Curve(name="P-521",
          p=2**521 - 1,
          a=2**521 - 4,
          b=_hex("0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF1"
                 "09E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B50"
                 "3F00"),
          n=_hex("1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
                 "FFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386"
                 "409"),
          gx=_hex("00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D"
                  "3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5"
                  "BD66"),
          gy=_hex("011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E"
                  "662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD1"
                  "6650")),
    # SEC 2, 2.4.1.
    Curve(name="secp256k1",
          p=2**256 - 2**32 - 977, a=0, b=7,
          n=0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
          gx=0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
          gy=0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8),
    # RFC 5639, 3.4.
    Curve(name="brainpoolP256r1",
          p=0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377,
          a=0x7D5A0975FC2C3057EEF67530417AFFE7FB8055C126DC5C6CE94A4B44F330B5D9,
          b=0x26DC5C6CE94A4B44F330B5D9BBD77CBF958416295CF7E1CE6BCCDC18FF8C07B6,
          n=0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7,
          gx=0x8BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262,
          gy=0x547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997),
    # For experiments: few bits, and nothing secret.
    Curve(name="toy-16", p=64951, a=64948, b=111, n=65129, gx=3, gy=12786),
)}


def curve_of(name: str, width: int) -> Curve:
    """Return the curve of a name; where that is empty, the first one of a width, or P-256."""
    fitting = (curve for curve in CURVES.values() if curve.width == width)
    return CURVES[name] if name else next(fitting, CURVES["P-256"])
