"""Doublings of points of short Weierstrass curves in Jacobian coordinates, without exceptions."""

__all__ = ["DOUBLE_JACOBIAN", "DOUBLE_TO_JACOBIAN", "TO_PROJECTIVE"]

#: From a point (X : Y : Z) with a = -3 to its double in Jacobian coordinates, x = X / Z² and
#: y = Y / Z³. The new Z is 2 Y (X - Z). On a curve of odd order without a point at x = 1 it is 0 at
#: the point at infinity alone; and then X and Y are not. The usual way, by a factor of Z, would
#: make (0, 0, 0) of that point.
#: With W = Y² + 3 X Z - b Z², which is X³ / Z on the curve, A = X (X - Z)² / Z is W + X Z - 2 X²,
#: and B = (X - Z)³ / Z is A + 2 X Z - X² - Z². That is the point (A, Y B, X - Z), which is doubled
#: as by :data:`DOUBLE_JACOBIAN`, divided by B: S is 3 (X + Z) (X - Z)² / Z.
DOUBLE_TO_JACOBIAN = """
zz = Z * Z
xz = X * Z
xx = X * X
yy = Y * Y
bz = b * zz
e = 2xz - xx
k = 2e + yy
A = bz - k          # -A
f = e - zz
k = k + f
B = k - bz
k = e + zz
k = k + yy
s = bz - k
s = 2s + s          # -S
y2 = 2yy
y4 = 2y2
h = y2 * y4         # 8 Y⁴
m = X - Z
ym = Y * m
b4 = A * y4
a2 = s * s
h = B * h
X = 2b4 + a2
u = b4 + X
v = s * u
Y = v - h
Z = 2ym
"""
#: (X, Y, Z) = 2 (X, Y, Z) in Jacobian coordinates with a = -3, on a curve of odd order; also of the
#: point at infinity, with any X that is not 0. Bernstein: dbl-2001-b, in the Explicit-Formulas
#: Database; with -4 X as a factor one sum less follows another.
DOUBLE_JACOBIAN = """
d = Z * Z
g = Y * Y
k = 2X + X
k = X - k
k = 2k              # -4 X
m = d - X
n = d + X
t = m * n
b4 = k * g
yz = Y * Z
g2 = 2g
g4 = 2g2
h = g2 * g4
al = 2t + t
a2 = al * al
X = 2b4 + a2
u = b4 + X
v = al * u
Y = v - h
Z = 2yz
"""
#: From Jacobian coordinates to (X : Y : Z).
TO_PROJECTIVE = """
zz = Z * Z
X = X * Z
Z = zz * Z
"""
