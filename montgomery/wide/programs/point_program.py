"""Multiples of points: listings, and the order in which they are done."""

import dataclasses
import functools

from ...blocks.program import END, Loop
from ...core import ceil_div
from ...numbers.catalogue import WEIERSTRASS
from ...points.listing import parse
from ...points.microcode import Index, Place
from ...points.weierstrass import ADD, ADD_AFFINE, DOUBLE_SOON, ON_CURVE, formulas
from ..units.scalar_digits import WINDOW, ScalarDigits
from . import affine
from .affine import CONSTANTS, ENTER, LAST, MULTIPLES, OTHER, POINT, load, row, stores
from .engine_program import (
    SUFFIXES,
    EngineProgram,
    Slots,
    of_slot,
    repeated,
    segment,
    step,
    timing,
)

__all__ = ["build"]

#: Entries of the memory behind the first multiples: constants, the points as they come, and the
#: quotient. Multiples of the point of a second operation begin at a power of two.
_CONSTANTS, _INPUTS, _QUOTIENT = range(MULTIPLES, MULTIPLES + 3)
_SHARED = ("b", "b3", "square", "unit", "quotient")
#: Registers of an operation; of its point.
_REGISTERS = 16
_POINT = {name: POINT[name] for name in "XYZ"}


def _places(slots):
    """Return the numbers in the memory."""
    found = row(_CONSTANTS, _SHARED[:-1]) | {"quotient": Place(0, _QUOTIENT)}
    for slot in range(slots):
        places = affine.places({"multiple": Index.TURN, "digit": Index.DIGIT}, slot)
        places |= {f"in_{name}": Place(2 * slot + part, _INPUTS) for part, name in enumerate("xy")}
        found |= {name + SUFFIXES[slot]: place for name, place in places.items()}
    return found


def _segments(slots, quick, doublings):
    """Yield the segments of each operation, and that of a window of all."""
    names = Slots(slots, _REGISTERS, _SHARED)
    point, late = _POINT | CONSTANTS, ScalarDigits.LATENCY
    # One alone begins with its first digit, and not with the point at infinity.
    first = LAST + load("none" if slots > 1 else "digit")

    for slot in range(slots):
        yield from names.segments(slot, (
            segment("enter", ENTER.format(on_curve=ON_CURVE), {}, point | OTHER),
            segment("next", stores("multiple") + ADD_AFFINE, point | OTHER, point | OTHER),
            segment("first", first, point, point, loads_from=late)), _POINT)
    points = names.of_all(point)
    # Where products follow one another closely, the order of two listings takes fewer clocks.
    yield names.together("window", doublings + load("digit", "PQR") + ADD, points, loads_from=late,
                         in_order=quick and slots > 1, late=True)
    # A dividend that is read in two clocks must be there for one more.
    ends = [dataclasses.replace(each, lines=[*each.lines, *parse("s = s")])
            if slots > 1 and each.name == "begin" else each
            for each in affine.segments(ON_CURVE, scaled=True)]
    for slot in range(slots):
        yield from names.segments(slot, ends, _POINT)


def _steps(prime, slots):
    """Yield the steps: for each operation those of the turn in which it comes. Where there are two,
    the other one has the second half of its windows in this turn, and is divided and sent.
    """
    begins = [step("enter", "enter"), repeated("next", "multiple"),
              step("first", digit=int(slots == 1)), repeated("window", "window", digit=1)]
    for slot in range(slots):
        yield from of_slot(begins, slot, slots, shared=["window"])
        yield from of_slot(affine.steps(prime), slots - 1 - slot, slots)
        if slot < slots - 1:
            yield END


@functools.cache
def build(flow, slots=1):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.Prime`, for one operation at a time, or
    two where the number of digits is even.
    """
    prime = flow.prime
    quick = flow.per_clock > 2
    loops = {"multiple": Loop(range(1, MULTIPLES - 1)),
             "window": Loop(range(slots == 1, ceil_div(prime.width, WINDOW) // slots))}
    # Jacobian coordinates take fewer products, and a longer way.
    doublings = (DOUBLE_SOON * WINDOW if quick and slots == 1 else
                 formulas(WEIERSTRASS[prime.name]).doublings(WINDOW))
    clocks = timing(flow, quick=quick, fetch=int(slots > 1), registers=slots * _REGISTERS)
    return EngineProgram(flow, _segments(slots, quick, doublings), _steps(prime, slots), loops,
                         clocks, _places(slots), (slots - 1 << WINDOW) + _QUOTIENT + 1)
