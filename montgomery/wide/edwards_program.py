"""Multiples of the base point of a curve in Edwards's form: listings, and their order.

Hisil, Wong, Carter, Dawson: Twisted Edwards curves revisited, ASIACRYPT 2008, as RFC 8032, 5.1.4,
has them. A point is (X : Y : Z : T), with x = X / Z, y = Y / Z and x y = T / Z. The same lines add
any two points. A doubling does not need T, so that an addition before it leaves T out.
"""

import dataclasses
import functools

from ..points.listing import parse
from ..points.microcode import Segment
from . import affine, base_program
from .affine import POINT
from .base_program import HALVES
from .engine_program import EngineProgram, timing
from .reduced import ReducedNumber
from .scalar_digits import CombDigits

__all__ = ["build"]

#: (X : Y : Z : T) = 2 (X : Y : Z).
_DOUBLE = """
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
#: (X : Y : Z) = (X : Y : Z : T) + (P : Q : 1 : P Q).
_ADD = """
t = P * Q
t = b3 * t          # b3 is 2 d
u = Y - X
v = Q - P
c = t * T
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
_T = "T = e * h\n"
_ENTER = """
X = [start_x]
Y = [start_y]
Z = [one]
b3 = [b3]
"""
#: The opposite point has the opposite x.
_LOAD = "P = [{half}_x] signed\nQ = [{half}_y]\n"
#: e = 0 if (x, y) is on the curve. b is d.
_ON_CURVE = """
i = [one]
e = y * y
f = x * x
g = e * f
g = b * g
e = e - f
e = e - i
e = e - g
"""
#: What is added next, and T.
_OTHER = {"P": 4, "Q": 5, "T": 6}


def _segments():
    # Each segment loads what the next one adds.
    upper, lower = (_LOAD.format(half=half) for half in HALVES)
    both = POINT | _OTHER
    for name, text, inputs in (("enter", _ENTER + "T = X * Y\n" + upper, {}),
                               ("upper", _DOUBLE + _ADD + _T + lower, both),
                               ("lower", _ADD + upper, both)):
        yield Segment(name, parse(text), inputs, both, loads_from=CombDigits.LATENCY)
    yield from affine.segments(_ON_CURVE, scaled=False)


@functools.cache
def build(prime, pace):
    """Return the :class:`~.engine_program.EngineProgram` for a
    :class:`~.folding_model.FoldedPrime`, at a :class:`~.folding_model.FoldingPace`.
    """
    clocks = timing(pace.interval, pace.latency, quick=True, short=pace.short)
    return EngineProgram(
        list(_segments()), list(base_program.steps(prime)), base_program.LOOPS,
        dataclasses.replace(clocks, zero=1 + ReducedNumber.COMPARED),
        base_program.PLACES, base_program.ENTRIES)
