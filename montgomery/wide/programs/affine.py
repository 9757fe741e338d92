"""What programs for points begin and end with: multiples of a point, and affine coordinates."""

import re

from ...core import ceil_div
from ...points.microcode import FETCH, Place
from ..units.inverter import DigitInverter
from ..units.scalar_digits import WINDOW
from .engine_program import Until, segment, step

__all__ = ["CHECK", "CONSTANTS", "ENTER", "LAST", "MULTIPLES", "OTHER", "POINT", "coordinates",
           "division", "load", "places", "row", "segments", "short_products", "steps", "stores",
           "sum_of"]

#: Registers of the numbers that the segments begin with, and that programs keep there.
POINT = {"X": 0, "Y": 1, "Z": 2, "b3": 3}
_QUOTIENT = {"t": 4}

_LEAVE = """
t = t * t           # of which the sign does not matter
t = t * Z
{constants}
x = X * t
y = Y * t
{on_curve}
"""
_CHECK = """
e = e * Z           # at infinity, (0, 0) is not on the curve
zero e
"""
_UNSCALED = """
u = [unit]
X = x * u
Y = y * u
"""


def segments(on_curve, *, scaled):
    """Yield the segments that turn (X : Y : Z) into two numbers, and send these.

    ``on_curve`` is a listing for which e is 0 if (x, y) is on the curve; empty if nothing is to be
    checked. If numbers are ``scaled``, products are divided by a power of two, R, and ``[square]``
    is its square; numbers are R times those that are sent. Else ``[one]`` is 1.
    """
    # R² / (R Z) has the factor R, as the square and product that follow.
    yield segment("begin", f"s = [{'square' if scaled else 'one'}]\ndivide s by Z", POINT, POINT)
    yield segment("turn", "", POINT, POINT)
    # Until the division has ended its number would be part of whatever else is loaded.
    yield segment("take", "t = [quotient]", POINT, POINT | _QUOTIENT)
    leave = _LEAVE.format(constants="b = [b]" if on_curve else "",
                          on_curve=on_curve and on_curve + _CHECK)
    leave += _UNSCALED if scaled else "X = x\nY = y"
    yield segment("leave", leave, POINT | _QUOTIENT, {"X": 0, "Y": 1})
    yield segment("send x", "send X", {"X": 0, "Y": 1}, {"Y": 1})
    yield segment("send y", "send Y", {"Y": 1}, {})
    yield segment("wait", "", {"Y": 1}, {"Y": 1})


def division(prime):
    """Yield the steps from a division, in the segment ``begin``, to its quotient, which ``take``
    loads after turns of the empty segment ``turn``.
    """
    yield step("begin")
    yield step("turn", turns=ceil_div(DigitInverter.latency(prime), FETCH + 1))
    yield step("take")


def steps(prime):
    """Yield the steps of these segments."""
    yield from division(prime)
    yield step("leave")
    for name in ("send x", "send y"):
        yield step(name)
        yield step("wait", until=Until.IDLE)


#: Multiples of a point in the memory: 0 to 16.
MULTIPLES = (1 << WINDOW - 1) + 1


def row(entry, names):
    """Return the places of the numbers of an entry."""
    return {name: Place(part, entry) for part, name in enumerate(names)}


def coordinates(points, modulus, scale=1):
    """Return the coordinates of points by name, times a factor, by the names of their places."""
    return {f"{name}_{part}": number * scale % modulus for name, point in points.items()
            for part, number in zip("xy", point, strict=True)}


def places(indices, slot=0):
    """Return the places of the multiples of a point, and of 1, which is in the point at infinity,
    (0 : 1 : 0), multiple 0.

    ``indices`` say by what multiples of some names are chosen. Multiples of each operation,
    ``slot``, begin at a power of two.
    """
    first = slot << WINDOW
    found = {"one": Place(1, first)}
    for part, name in enumerate("xyz"):
        found |= {f"none_{name}": Place(part, first),
                  f"last_{name}": Place(part, first + MULTIPLES - 1)}
        found |= {f"{which}_{name}": Place(part, index=index, slot=slot)
                  for which, index in indices.items()}
    return found


def stores(name):
    """Return what stores a multiple."""
    return "".join(f"[{name}_{part}] = {part.upper()}\n" for part in "xyz")


#: Registers of constants; and of the point itself, which stays from one multiple to the next one.
CONSTANTS, OTHER = {"b3": POINT["b3"], "b": 12}, {"P": 13, "Q": 14}
#: After e was found: (x, y) must be on the curve, and becomes both points.
CHECK = """
e = e * Z
zero e              # a product, of which 0 is the only multiple of p
X = x
Y = y
P = X
Q = Y
"""
#: Take a point, which must be on the curve.
ENTER = """
x = [in_x]
y = [in_y]
s = [square]
b = [b]
b3 = [b3]
x = x * s
y = y * s
Z = [one]
{on_curve}""" + CHECK
#: What is done with the last multiple.
LAST = stores("last")


def load(place, names="XYZ"):
    """Return what loads a multiple."""
    x, y, z = names
    return f"{x} = [{place}_x]\n{y} = [{place}_y] signed\n{z} = [{place}_z]\n"


def short_products(listing):
    """Return a listing of which products by 3b, a small number, are short."""
    return re.sub("(= b3 [*].*)", r"\1 short", listing)


def sum_of(add):
    """Return what adds (U : V : W) to (P : Q : R), of a listing that adds (P : Q : R) to
    (X : Y : Z).

    Where two multiples are added to a point, their sum is there by the time the point was doubled.
    """
    names = dict(zip("XYZPQR", "PQRUVW", strict=True))
    return re.sub(rf"\b[{''.join(names)}]\b", lambda found: names[found[0]], add)
