"""Multiples of a point, among which digits of a scalar choose: listings that make them."""

from ..points.weierstrass import ADD_AFFINE, ON_CURVE

__all__ = ["ENTER", "LAST", "LOAD", "NEXT", "OTHER"]


def _stores(name):
    return "".join(f"[{name}_{part}] = {part.upper()}\n" for part in "xyz")


#: Registers of the point itself, which stay from one multiple to the next one.
OTHER = {"P": 13, "Q": 14}
#: Take a point, which must be on the curve.
ENTER = f"""
x = [in_x]
y = [in_y]
s = [square]
b = [b]
b3 = [b3]
x = x * s
y = y * s
Z = [one]
{ON_CURVE}
e = e * Z
zero e              # a product, of which 0 is the only multiple of p
X = x
Y = y
P = X
Q = Y
"""
#: From a multiple to the next one, and what is done with the last one.
NEXT, LAST = _stores("multiple") + ADD_AFFINE, _stores("last")
#: Load a multiple.
LOAD = "{X} = [{place}_x]\n{Y} = [{place}_y] signed\n{Z} = [{place}_z]\n"
