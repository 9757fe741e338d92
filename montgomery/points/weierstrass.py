"""Complete formulas for short Weierstrass curves of prime order with a = -3.

Renes, Costello, Batina: Complete addition formulas for prime order elliptic curves, EUROCRYPT 2016.
A point is (X : Y : Z), with x = X / Z and y = Y / Z, and Z = 0 for the point at infinity. There is
no exception: the same lines add any two points.

Products by 3b stand in place of products by b whose multiple by 3 is taken, so that fewer sums
follow one another. ``b3`` is 3b.
"""

__all__ = ["ADD", "DOUBLE", "ON_CURVE"]

#: (X : Y : Z) = 2 (X : Y : Z), Algorithm 6.
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

#: (X : Y : Z) = (X : Y : Z) + (P : Q : R), Algorithm 4.
ADD = """
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

#: e = 0 if (x, y) is on the curve.
ON_CURVE = """
e = y * y
d = x * x
d = d * x
f = 2x + x
f = f - b
d = d - f
e = e - d
"""
