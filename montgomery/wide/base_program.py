"""Multiples of the base point of P-256, from tables: listings, and their order."""

import functools

from ..blocks.program import Flow, Loop, Step
from ..points.listing import parse
from ..points.microcode import Index, Place, Segment
from ..points.weierstrass import ADD_AFFINE, DOUBLE, ON_CURVE
from . import affine
from .affine import POINT
from .engine_program import EngineProgram, timing
from .ranges import BASE
from .scalar_digits import TEETH, CombDigits

__all__ = ["ENTRIES", "HALVES", "LOOPS", "PLACES", "SUMS", "build", "steps", "sum_name"]

#: Sums of multiples of the base point, for each half of the words of a scalar.
SUMS = 1 << TEETH - 1
HALVES = ("upper", "lower")


def sum_name(half, magnitude):
    """Return the name of a sum, to which that of a coordinate is added for its place."""
    return f"{half}_{magnitude}"


#: Numbers in the memory: two affine points in an entry, and after them constants, and the quotient.
PLACES = {f"{sum_name(half, entry)}_{part}": Place(2 * at + index, entry)
           for at, half in enumerate(HALVES) for entry in range(SUMS)
           for index, part in enumerate("xy")}
PLACES |= {f"{half}_{part}": Place(2 * at + index, index=Index.DIGIT)
            for at, half in enumerate(HALVES) for index, part in enumerate("xy")}
PLACES |= {name: Place(index % 4, SUMS + index // 4) for index, name in enumerate(
    ("b", "b3", "one", "unit", "start_x", "start_y", "square"))}
PLACES["quotient"] = Place(0, SUMS + 2)
#: Entries of the memory.
ENTRIES = SUMS + 3
LOOPS = {"column": Loop(range(BASE))}

_ENTER = """
X = [start_x]
Y = [start_y]
Z = [one]
b3 = [b3]
"""
_LOAD = "P = [{half}_x]\nQ = [{half}_y] signed\n"
#: What is added next.
_OTHER = {"P": 4, "Q": 5}


def _segments():
    # Each segment loads what the next one adds.
    upper, lower = (_LOAD.format(half=half) for half in HALVES)
    both = POINT | _OTHER
    for name, text, inputs in (("enter", _ENTER + upper, {}),
                               ("upper", DOUBLE + ADD_AFFINE + lower, both),
                               ("lower", ADD_AFFINE + upper, both)):
        yield Segment(name, parse(text), inputs, both, loads_from=CombDigits.LATENCY)
    yield from affine.segments(ON_CURVE, scaled=True)


def steps(prime):
    """Yield the steps of a program with these segments."""
    def step(name, **flow):
        return Step(fields={"segment": name, "digit": 1}, **flow)

    yield step("enter")
    yield step("upper", label="column")
    yield step("lower", flow=Flow.REPEAT, loop="column", to="column")
    yield from affine.steps(prime)


@functools.cache
def build(prime, interval, latency, *, quick=False):
    """Return the :class:`~.engine_program.EngineProgram` for a :class:`~.primes.Prime` of 256 bits;
    see :func:`~.engine_program.timing`.
    """
    return EngineProgram(list(_segments()), list(steps(prime)), LOOPS,
                         timing(interval, latency, quick=quick), PLACES, ENTRIES)
