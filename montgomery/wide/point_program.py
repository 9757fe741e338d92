"""Multiples of points: listings, and the order in which they are done."""

import functools

from ..blocks.program import Flow, Loop, Step
from ..core import ceil_div
from ..points.listing import parse
from ..points.microcode import Index, Place, Segment
from ..points.weierstrass import ADD, DOUBLE, DOUBLE_SOON, ON_CURVE
from . import affine
from .affine import POINT
from .engine_program import EngineProgram, timing
from .scalar_digits import WINDOW, ScalarDigits

__all__ = ["build"]

#: Multiples of the point in the memory: 0 to 16.
_MULTIPLES = (1 << WINDOW - 1) + 1
#: Entries of the memory: the multiples, constants, the point as it comes, and the quotient.
_ENTRIES = _MULTIPLES + 3

_CONSTANTS, _INPUTS, _QUOTIENT = range(_MULTIPLES, _ENTRIES)
#: Numbers in the memory. Entry 0 is the point at infinity, (0 : 1 : 0).
_PLACES = {"one": Place(1)}
_PLACES |= {f"first_{part}": Place(index, 1) for index, part in enumerate("xyz")}
_PLACES |= {f"multiple_{part}": Place(index, index=Index.TURN) for index, part in enumerate("xyz")}
_PLACES |= {f"digit_{part}": Place(index, index=Index.DIGIT) for index, part in enumerate("xyz")}
_PLACES |= {name: Place(index, _CONSTANTS)
           for index, name in enumerate(("b", "b3", "square", "unit"))}
_PLACES["quotient"] = Place(0, _QUOTIENT)
_PLACES |= {f"in_{part}": Place(index, _INPUTS) for index, part in enumerate("xy")}

#: Registers of the other point, which stays from one segment to another.
_OTHER = {"P": 13, "Q": 14, "R": 15}

_ENTER = f"""
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
[first_x] = X
[first_y] = Y
[first_z] = Z
P = X
Q = Y
R = Z
"""
_STORE = "".join(f"[multiple_{part}] = {part.upper()}\n" for part in "xyz")
_LOAD_DIGIT = "{X} = [digit_x]\n{Y} = [digit_y] signed\n{Z} = [digit_z]\n"


def _segments(quick):
    double, constants = ((DOUBLE_SOON, {"b3": POINT["b3"], "b": 12}) if quick else
                         (DOUBLE, {"b3": POINT["b3"]}))
    point = POINT | constants

    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    late = ScalarDigits.LATENCY
    digit = _LOAD_DIGIT.format(**{name: name for name in "XYZ"})
    other = _LOAD_DIGIT.format(X="P", Y="Q", Z="R")
    yield of("enter", _ENTER, {}, point | _OTHER)
    yield of("next", ADD + _STORE, point | _OTHER, point | _OTHER)
    yield of("first", digit, constants, point, loads_from=late)
    yield of("window", double * WINDOW + other + ADD, point, point, loads_from=late,
             late=quick)
    yield from affine.segments(ON_CURVE, scaled=True)


def _steps(prime):
    def step(name, digit=0, **flow):
        return Step(fields={"segment": name, "digit": digit}, **flow)

    yield step("enter")
    yield step("next", label="next", flow=Flow.REPEAT, loop="multiple", to="next")
    yield step("first", digit=1)
    yield step("window", digit=1, label="window", flow=Flow.REPEAT, loop="window", to="window")
    yield from affine.steps(prime)


@functools.cache
def build(prime, interval, latency, *, quick=False):
    """Return the :class:`~.engine_program.EngineProgram` for a :class:`~.primes.Prime`; see
    :func:`~.engine_program.timing`.
    """
    loops = {"multiple": Loop(range(2, _MULTIPLES)),
             "window": Loop(range(1, ceil_div(prime.width, WINDOW)))}
    return EngineProgram(list(_segments(quick)), list(_steps(prime)), loops,
                         timing(interval, latency, digits=prime.digits, quick=quick), _PLACES,
                         _ENTRIES)
