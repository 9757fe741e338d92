"""Complete formulas for short Weierstrass curves of prime order with a = -3.

Renes, Costello, Batina: Complete addition formulas for prime order elliptic curves, EUROCRYPT 2016.
A point is (X : Y : Z), with x = X / Z and y = Y / Z, and Z = 0 for the point at infinity. There is
no exception: the same lines add any two points.
"""

__all__ = ["ADD", "DOUBLE", "ON_CURVE"]

#: (X : Y : Z) = 2 (X : Y : Z), Algorithm 6.
DOUBLE = """
t0 = X * X
t1 = Y * Y
t2 = Z * Z
xz = X * Z
u = b * t2
v = b * xz
xy = X * Y
yz = Y * Z
u = 2xz - u         # minus the y of the paper
u = 2u + u
p = t1 + u
q = t1 - u
t2 = 2t2 + t2
v = 2v - t2
v = v - t0
v = 2v + v
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
u = b * t2
g = g - t0
g = g - t2
v = b * g
u = g - u
u = 2u + u
c = c - t0
c = c - t1
e = e - t1
e = e - t2
p = t1 + u
q = t1 - u
t2 = 2t2 + t2
v = v - t2
v = v - t0
v = 2v + v
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
d = d - x
f = 2x
d = d - f
d = d + b
e = e - d
"""
