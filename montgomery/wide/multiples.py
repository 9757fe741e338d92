"""Multiples of a point, among which digits of a scalar choose: listings that make them."""

import re

from ..points.weierstrass import ADD_AFFINE, ON_CURVE
from .affine import POINT

__all__ = ["CONSTANTS", "ENTER", "LAST", "LOAD", "NEXT", "OTHER", "stores", "sum_of"]


def stores(name):
    """Return what stores a multiple."""
    return "".join(f"[{name}_{part}] = {part.upper()}\n" for part in "xyz")


#: Registers of constants; and of the point itself, which stays from one multiple to the next one.
CONSTANTS, OTHER = {"b3": POINT["b3"], "b": 12}, {"P": 13, "Q": 14}
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
NEXT, LAST = stores("multiple") + ADD_AFFINE, stores("last")
#: Load a multiple.
LOAD = "{X} = [{place}_x]\n{Y} = [{place}_y] signed\n{Z} = [{place}_z]\n"


def sum_of(add):
    """Return what adds (U : V : W) to (P : Q : R), of a listing that adds (P : Q : R) to
    (X : Y : Z).

    Where two multiples are added to a point, their sum is there by the time the point was doubled.
    """
    names = dict(zip("XYZPQR", "PQRUVW", strict=True))
    return re.sub(rf"\b[{''.join(names)}]\b", lambda found: names[found[0]], add)
