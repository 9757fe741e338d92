"""Sums of points of twisted Edwards curves with a = -1, and square roots modulo 2^255 - 19.

Hisil, Wong, Carter, Dawson: Twisted Edwards curves revisited, ASIACRYPT 2008, as RFC 8032, 5.1.4,
has them. A point is (X : Y : Z : T), with x = X / Z, y = Y / Z and x y = T / Z. The same lines add
any two points. A doubling does not need T, so that what comes before it leaves T out.
"""

__all__ = ["ADD", "ADD_AFFINE", "DOUBLE", "ON_CURVE", "POWER", "ROOT", "SQUARE", "T"]

#: (X : Y : Z) = 2 (X : Y : Z), and T.
DOUBLE = """
a = X * X
b = Y * Y
s = X + Y
c = Z * Z
s = s * s
h = a + b
g = a - b
e = h - s
f = 2c + g
Y = g * h
T = e * h
Z = f * g
X = e * f
"""
#: What a sum, or a doubling, has as T.
T = "T = e * h\n"
_SUM = """
u = Y - X
v = Q - P
c = S * T
a = u * v
u = Y + X
v = Q + P
b = u * v
f = 2Z - c
g = 2Z + c
e = b - a
h = b + a
Z = f * g
X = e * f
Y = g * h
"""
#: (X : Y : Z) = (X : Y : Z : T) + (P : Q : 1 : P Q). b3 is 2 d.
ADD_AFFINE = """
S = P * Q
S = b3 * S
""" + _SUM
#: (X : Y : Z) = (X : Y : Z : T) + (P : Q : R : S / 2 d).
ADD = "Z = Z * R\n" + _SUM
#: e = 0 if (x, y) is on the curve. b is d.
ON_CURVE = """
i = [one]
e = y * y
f = x * x
g = e * f
g = b * g
e = e - f
e = e - i
e = e - g
"""

#: x² is u / v, with u = y² - 1 and v = d y² + 1. Of t = u v⁷ the power (p - 5) / 8 is taken.
SQUARE = """
s = y * y
v = b * s
u = s - i
v = v + i
w = v * v
w = w * v
m = u * w
n = w * v
n = m * n
t = n
"""
#: How to raise t = n to (p - 5) / 8 = 2**252 - 3: how often t is squared, what it is multiplied by,
#: and what it is kept as, if it is.
POWER = ((1, "n", "l"), (2, "l", ""), (1, "n", "l"), (5, "l", "k"), (10, "k", "l"), (20, "l", ""),
         (10, "k", "k"), (50, "k", "l"), (100, "l", ""), (50, "k", ""), (2, "n", ""))
#: With s = t² n, x = u v³ t or x = u v³ t √-1 if s is 1 or -1, and other s are those of no x: as
#: one product by c + e s, where c is (1 + √-1) / 2 and e is (1 - √-1) / 2. Zero, if it is x.
ROOT = """
s = t * t
t = t * m
s = s * n
s = s * e
s = s + c
X = t * s
e = X * X
e = e * v
e = e - u
e = e * i
"""
