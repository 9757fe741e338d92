"""Complete formulas for short Weierstrass curves of prime order.

Renes, Costello, Batina: Complete addition formulas for prime order elliptic curves, EUROCRYPT 2016.
A point is (X : Y : Z), with x = X / Z and y = Y / Z, and Z = 0 for the point at infinity. There is
no exception: the same lines add any two points.

Products by 3b stand in place of products by b whose multiple by 3 is taken, so that fewer sums
follow one another. ``b3`` is 3b.
"""

import dataclasses

from .jacobian import DOUBLE_JACOBIAN, DOUBLE_TO_JACOBIAN, TO_PROJECTIVE

__all__ = ["ADD", "ADD_AFFINE", "DOUBLE", "DOUBLE_SOON", "ON_CURVE", "Formulas", "formulas",
           "has_point_at"]

#: (X : Y : Z) = 2 (X : Y : Z) with a = -3, Algorithm 6.
DOUBLE = """
t0 = X * X
t1 = Y * Y
t2 = Z * Z
xz = X * Z
xy = X * Y
yz = Y * Z
u = b3 * t2
v = b3 * xz
xz = 2xz + xz
u = 2xz - u         # 3 (2 X Z - b Z²)
p = t1 + u
q = t1 - u
t2 = 2t2 + t2
h = t0 + t2
h = 2h + h
v = 2v - h          # 3 (2 b X Z - 3 Z² - X²)
t0 = 2t0 + t0
t0 = t0 - t2
xy = 2xy
yz = 2yz
s = t0 * v
pq = p * q
r = yz * v
w = yz * t1
p = p * xy
Y = pq + s
X = p - r
w = 2w
Z = 2w
"""

# What the three additions begin and end with.
_CROSS = """
t0 = X * P
t1 = Y * Q
t2 = Z * R
c = X + Y
d = P + Q
e = Y + Z
f = Q + R
g = X + Z
h = P + R
g = g * h
c = c * d
e = e * f
d = t0 + t1
f = t1 + t2
h = t0 + t2
c = c - d           # X Q + Y P
e = e - f           # Y R + Z Q
g = g - h           # X R + Z P
"""
_JOIN = """
k = e * v
l = t0 * v
m = p * q
n = c * p
r = e * q
s = c * t0
Y = m + l
X = n - k
Z = r + s
"""

# What both additions with a = -3 end with.
_JOIN_3 = f"""
u = b3 * t2
v = b3 * g
g = 2g + g
u = g - u
p = t1 + u
q = t1 - u
t2 = 2t2 + t2
h = t0 + t2
h = 2h + h
v = v - h
t0 = 2t0 + t0
t0 = t0 - t2
{_JOIN}"""

#: (X : Y : Z) = (X : Y : Z) + (P : Q : R) with a = -3, Algorithm 4.
ADD = _CROSS + _JOIN_3

# What the two additions of an affine point begin with.
_CROSS_AFFINE = """
t0 = X * P
t1 = Y * Q
t2 = Z
e = Q * Z
g = P * Z
c = X + Y
d = P + Q
c = c * d
d = t0 + t1
e = e + Y
g = g + X
c = c - d
"""

#: (X : Y : Z) = (X : Y : Z) + (P : Q : 1) with a = -3, Algorithm 5.
ADD_AFFINE = f"{_CROSS_AFFINE}{_JOIN_3}"

#: :data:`DOUBLE` on shorter ways: numbers are multiplied by 3 before they are needed, and X Z, of
#: which multiples are taken, is no product of its own.
DOUBLE_SOON = """
z = 2Z + Z
t2 = Z * Z
k = b * Z
n = 2t2 + t2
w = 2X - k
k = 2k
t0 = X * X
v = X * k
u = z * w           # 3 (2 X Z - b Z²)
t1 = Y * Y
yz = Y * Z
xy = X * Y
n = t0 + n
v = v - n           # 2 b X Z - 3 Z² - X²
p = t1 + u
q = t1 - u
a = t0 - t2
a = 2a + a
a = 2a + a          # 9 (X² - Z²)
xy = 2xy
yz = 2yz
y = 2yz + yz
t1 = 2t1
s = a * v
r = y * v
pq = p * q
w = yz * t1
p = p * xy
Y = pq + s
X = p - r
Z = 2w
"""

#: e = 0 if (x, y) is on the curve with a = -3.
ON_CURVE = """
e = y * y
d = x * x
d = d * x
f = 2x + x
f = f - b
d = d - f
e = e - d
"""

#: The same with a = 0: Algorithms 9 and 7.
_DOUBLE_0 = """
t0 = Y * Y
t1 = Y * Z
t2 = Z * Z
xy = X * Y
t2 = b3 * t2
z = 2t0
z = 2z
z = 2z              # 8 Y²
s = t0 + t2
t3 = 2t2 + t2
t0 = t0 - t3        # Y² - 9 b Z²
x = t2 * z
y = t0 * s
w = t0 * xy
Z = t1 * z
Y = x + y
X = 2w
"""
_JOIN_0 = f"""
u = b3 * t2
v = b3 * g
q = t1 + u
p = t1 - u
t0 = 2t0 + t0
{_JOIN}"""
_ADD_0 = _CROSS + _JOIN_0
#: Algorithm 8.
_ADD_AFFINE_0 = _CROSS_AFFINE + _JOIN_0
_ON_CURVE_0 = """
e = y * y
d = x * x
d = d * x
d = d + b
e = e - d
"""

#: The same with any a: Algorithms 3 and 1.
_DOUBLE_ANY = """
t0 = X * X
t1 = Y * Y
t2 = Z * Z
xy = X * Y
xz = X * Z
yz = Y * Z
xy = 2xy
xz = 2xz
yz = 2yz
u = a * xz
v = b3 * t2
w = b3 * xz
t2 = a * t2
u = u + v           # 2 a X Z + 3 b Z²
p = t1 - u
q = t1 + u
v = t0 - t2
v = a * v
v = v + w
t0 = 2t0 + t0
t0 = t0 + t2
pq = p * q
s = t0 * v
p = xy * p
r = yz * v
w = yz * t1
Y = pq + s
X = p - r
w = 2w
Z = 2w
"""
_ADD_ANY = f"""{_CROSS}
u = a * g
v = b3 * t2
w = b3 * g
t2 = a * t2
u = u + v           # a (X R + Z P) + 3 b Z R
q = t1 + u
p = t1 - u
v = t0 - t2
v = a * v
v = v + w
t0 = 2t0 + t0
t0 = t0 + t2
{_JOIN}"""
_ON_CURVE_ANY = """
e = y * y
d = x * x
d = d + a
d = d * x
d = d + b
e = e - d
"""


@dataclasses.dataclass(frozen=True)
class Formulas:
    """The listings for a curve."""

    # What ADD and ON_CURVE are for curves with a = -3.
    add: str
    on_curve: str
    # What doubles a point, what doubles it again, and what then makes (X : Y : Z) of it.
    double: str
    again: str
    last: str = ""
    constants: tuple[str, ...] = ("b", "b3")  # names of constants in them
    add_affine: str = ""  # what ADD_AFFINE is for curves with a = -3; empty for curves of any a

    def doublings(self, times):
        """Return what doubles a point so often, at least once."""
        return self.double + self.again * (times - 1) + self.last


def formulas(curve):
    """Return the :class:`Formulas` of a curve."""
    if curve.a == curve.p - 3:
        if has_point_at(curve, 1):
            return Formulas(ADD, ON_CURVE, DOUBLE, DOUBLE, add_affine=ADD_AFFINE)
        return Formulas(ADD, ON_CURVE, DOUBLE_TO_JACOBIAN, DOUBLE_JACOBIAN, TO_PROJECTIVE,
                        add_affine=ADD_AFFINE)
    if curve.a == 0:
        return Formulas(_ADD_0, _ON_CURVE_0, _DOUBLE_0, _DOUBLE_0, add_affine=_ADD_AFFINE_0)
    return Formulas(_ADD_ANY, _ON_CURVE_ANY, _DOUBLE_ANY, _DOUBLE_ANY,
                    constants=("a", "b", "b3"))


def has_point_at(curve, x):
    """Return whether a curve has a point with a coordinate x."""
    square = (x**3 + curve.a * x + curve.b) % curve.p
    return pow(square, (curve.p - 1) // 2, curve.p) != curve.p - 1
