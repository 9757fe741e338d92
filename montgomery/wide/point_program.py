"""Multiples of points: listings, and the order in which they are done."""

import functools

from ..blocks.program import Flow, Loop, Step
from ..core import ceil_div
from ..curves import CURVES
from ..points.listing import parse
from ..points.microcode import Index, Place, Segment
from ..points.weierstrass import ADD, DOUBLE_SOON, ON_CURVE, formulas
from . import affine
from .affine import POINT
from .engine_program import EngineProgram, timing
from .multiples import CONSTANTS, ENTER, LAST, LOAD, NEXT, OTHER
from .scalar_digits import WINDOW, ScalarDigits

__all__ = ["build"]

#: Multiples of the point in the memory: 0 to 16.
_MULTIPLES = (1 << WINDOW - 1) + 1
#: Entries of the memory: the multiples, constants, the point as it comes, and the quotient.
_ENTRIES = _MULTIPLES + 3

_CONSTANTS, _INPUTS, _QUOTIENT = range(_MULTIPLES, _ENTRIES)
#: Numbers in the memory. Entry 0 is the point at infinity, (0 : 1 : 0).
_PLACES = {"one": Place(1)}
_PLACES |= {f"last_{part}": Place(index, _MULTIPLES - 1) for index, part in enumerate("xyz")}
_PLACES |= {f"multiple_{part}": Place(index, index=Index.TURN) for index, part in enumerate("xyz")}
_PLACES |= {f"digit_{part}": Place(index, index=Index.DIGIT) for index, part in enumerate("xyz")}
_PLACES |= {name: Place(index, _CONSTANTS)
           for index, name in enumerate(("b", "b3", "square", "unit"))}
_PLACES["quotient"] = Place(0, _QUOTIENT)
_PLACES |= {f"in_{part}": Place(index, _INPUTS) for index, part in enumerate("xy")}


def _segments(doublings):
    point = POINT | CONSTANTS

    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    late = ScalarDigits.LATENCY
    digit = LOAD.format(place="digit", X="X", Y="Y", Z="Z")
    other = LOAD.format(place="digit", X="P", Y="Q", Z="R")
    yield of("enter", ENTER, {}, point | OTHER)
    yield of("next", NEXT, point | OTHER, point | OTHER)
    yield of("first", LAST + digit, point, point, loads_from=late)
    yield of("window", doublings + other + ADD, point, point, loads_from=late, late=True)
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
    loops = {"multiple": Loop(range(1, _MULTIPLES - 1)),
             "window": Loop(range(1, ceil_div(prime.width, WINDOW)))}
    # Jacobian coordinates take fewer products, and a longer way.
    doublings = (DOUBLE_SOON * WINDOW if quick else
                 formulas(CURVES[prime.name]).doublings(WINDOW))
    return EngineProgram(list(_segments(doublings)), list(_steps(prime)), loops,
                         timing(interval, latency, digits=prime.digits, quick=quick), _PLACES,
                         _ENTRIES)
