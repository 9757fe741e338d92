"""Multiples by first coordinates alone: listings, and the order in which they are done."""

import functools

from ..blocks.program import Flow, Loop, Step
from ..points.ladder import LADDER
from ..points.listing import parse
from ..points.microcode import Place, Segment
from . import affine
from .engine_program import EngineProgram, Until, timing

__all__ = ["build"]

#: Numbers in the memory: constants, the coordinate as it comes, and the quotient.
_PLACES = {name: Place(index) for index, name in enumerate(("zero", "one", "k4"))}
_PLACES |= {"in_x": Place(1, 1), "quotient": Place(0, 2)}
_ENTRIES = 3

#: Registers of numbers that stay from one segment to another. One of the two is chosen where
#: numbers differ in the lowest bit.
_POINTS = {"X2": 0, "X3": 1, "Z2": 2, "Z3": 3}
_GIVEN = {"u": 4, "k4": 5}

_ENTER = """
X2 = [one]
Z2 = [zero]
X3 = [in_x]
Z3 = [one]
u = [in_x]
k4 = [k4]
"""
_LEAVE = """
t = t * t           # of which the sign does not matter
t = t * Z2
x = X2 * t
"""


def _segments():
    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    yield of("enter", _ENTER, {}, _POINTS | _GIVEN)
    yield of("step", LADDER, _POINTS | _GIVEN, _POINTS | _GIVEN, in_order=True)
    yield of("begin", "s = [one]\ndivide s by Z2", _POINTS, _POINTS)
    yield of("turn", "", _POINTS, _POINTS)
    yield of("take", "t = [quotient]", _POINTS, _POINTS | {"t": 4})
    yield of("leave", _LEAVE, _POINTS | {"t": 4}, {"x": 0})
    yield of("send", "send x", {"x": 0}, {})
    yield of("wait", "", {}, {})


def _steps(prime):
    def step(name, **fields):
        return Step(fields={"segment": name} | fields)

    yield step("enter")
    yield Step(fields={"segment": "step", "digit": 1}, label="step", flow=Flow.REPEAT, loop="bit",
               to="step")
    yield from affine.division(prime)
    yield step("leave")
    yield step("send")
    yield step("wait", until=Until.IDLE)


@functools.cache
def build(prime, pace):
    """Return the :class:`~.engine_program.EngineProgram` for scalars as long as a
    :class:`~.folding_model.FoldedPrime`, at a :class:`~.folding_model.FoldingPace`.
    """
    return EngineProgram(list(_segments()), list(_steps(prime)), {"bit": Loop(range(prime.bits))},
                         timing(pace.interval, pace.latency, quick=True, short=pace.short),
                         _PLACES, _ENTRIES)
