"""Multiples of the base point of a curve, from tables: listings, and their order.

For Ed25519 they are those of Hisil, Wong, Carter, Dawson: Twisted Edwards curves revisited,
ASIACRYPT 2008, as RFC 8032, 5.1.4, has them. A point is (X : Y : Z : T), with x = X / Z, y = Y / Z
and x y = T / Z. The same lines add any two points. A doubling does not need T, so that an addition
before it leaves T out.
"""

import dataclasses
import functools

from ...blocks.program import Flow, Loop, Step
from ...points.listing import parse
from ...points.microcode import Index, Place, Segment
from ...points.weierstrass import ADD_AFFINE, DOUBLE, ON_CURVE
from ..datapath.ranges import BASE
from ..units.reduced import ReducedNumber
from ..units.scalar_digits import TEETH, CombDigits
from . import affine
from .affine import POINT
from .engine_program import EngineProgram, timing

__all__ = ["HALVES", "SUMS", "build", "build_edwards", "sum_name"]

#: Sums of multiples of the base point, for each half of the words of a scalar.
SUMS = 1 << TEETH - 1
HALVES = ("upper", "lower")


def sum_name(half, magnitude):
    """Return the first part of the names of places: ``upper_3`` of ``upper_3_x``."""
    return f"{half}_{magnitude}"


#: Numbers in the memory: two affine points in an entry, and after them constants, and the quotient.
_PLACES = {f"{sum_name(half, entry)}_{part}": Place(2 * at + index, entry)
            for at, half in enumerate(HALVES) for entry in range(SUMS)
            for index, part in enumerate("xy")}
_PLACES |= {f"{half}_{part}": Place(2 * at + index, index=Index.DIGIT)
            for at, half in enumerate(HALVES) for index, part in enumerate("xy")}
_PLACES |= {name: Place(index % 4, SUMS + index // 4) for index, name in enumerate(
    ("b", "b3", "one", "unit", "start_x", "start_y", "square"))}
_PLACES["quotient"] = Place(0, SUMS + 2)
#: Entries of the memory.
_ENTRIES = SUMS + 3
_LOOPS = {"column": Loop(range(BASE))}

_ENTER = """
X = [start_x]
Y = [start_y]
Z = [one]
b3 = [b3]
"""
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


def _segments(enter, upper, lower, load, other, on_curve, *, scaled):
    """Yield the segments.

    Parameters
    ----------
    enter, upper, lower : :class:`str`
        What follows the first lines, and what adds points of each half.
    load, other : :class:`str`, :class:`dict`
        What loads a point of a half, and registers of what stays beside a point.
    on_curve, scaled : see :func:`~.affine.segments`
    """
    # Each segment loads what the next one adds.
    first, second = (load.format(half=half) for half in HALVES)
    both = POINT | other
    for name, text, inputs in (("enter", _ENTER + enter + first, {}),
                               ("upper", upper + second, both), ("lower", lower + first, both)):
        yield Segment(name, parse(text), inputs, both, loads_from=CombDigits.LATENCY)
    yield from affine.segments(on_curve, scaled=scaled)


def _steps(prime):
    """Yield the steps of a program with these segments."""
    def step(name, **flow):
        return Step(fields={"segment": name, "digit": 1}, **flow)

    yield step("enter")
    yield step("upper", label="column")
    yield step("lower", flow=Flow.REPEAT, loop="column", to="column")
    yield from affine.steps(prime)


@functools.cache
def build(prime, pace):
    """Return the :class:`~.engine_program.EngineProgram` for a :class:`~.primes.Prime` of 256 bits
    and a :class:`~.model.Pace`.
    """
    segments = _segments("", DOUBLE + ADD_AFFINE, ADD_AFFINE,
                         "P = [{half}_x]\nQ = [{half}_y] signed\n", {"P": 4, "Q": 5}, ON_CURVE,
                         scaled=True)
    return EngineProgram(list(segments), list(_steps(prime)), _LOOPS,
                         timing(pace, quick=pace.per_clock > 2), _PLACES, _ENTRIES)


@functools.cache
def build_edwards(prime, pace):
    """Return the :class:`~.engine_program.EngineProgram` of an Edwards curve, for a
    :class:`~.primes.FoldedPrime` and a :class:`~.folding_model.FoldingPace`.
    """
    # The opposite point has the opposite x.
    segments = _segments("T = X * Y\n", _DOUBLE + _ADD + _T, _ADD,
                         "P = [{half}_x] signed\nQ = [{half}_y]\n", {"P": 4, "Q": 5, "T": 6},
                         _ON_CURVE, scaled=False)
    clocks = dataclasses.replace(timing(pace, quick=True), zero=1 + ReducedNumber.COMPARED)
    return EngineProgram(list(segments), list(_steps(prime)), _LOOPS, clocks, _PLACES, _ENTRIES,
                         first=ReducedNumber.REDUCED + 1)
