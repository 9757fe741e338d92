"""A step of Montgomery's ladder, RFC 7748, section 5.

``(X2 : Z2)`` and ``(X3 : Z3)`` stand for first coordinates of two points whose difference is the
point with the coordinate ``u``. Which one is doubled is chosen where it is read: what the other one
is made of stays the same if both change places. ``AA - BB`` of the RFC is ``4 X Z``, so that the
product by its constant begins one product earlier; ``k4`` is four times ``a24``. Lines are in the
order in which they go.
"""

__all__ = ["LADDER"]

LADDER = """
m = X2|X3 * Z2|Z3
a = X2 + Z2
s = X2|X3 + Z2|Z3
g = k4 * m short
c = X3 + Z3
aa = s * s
b = X2 - Z2
h = aa + g
e = 2m
e = 2e              # AA - BB
d = X3 - Z3
bb = aa - e
cb = c * b
da = d * a
X2 = aa * bb
Z2 = e * h
r = da - cb
rr = r * r
t = da + cb
Z3 = rr * u
X3 = t * t
"""
