"""Sums of two multiples, of a point and of the base point, and whether their x is a given one."""

import functools

from ...blocks.program import END, Loop
from ...core import ceil_div
from ...numbers.catalogue import WEIERSTRASS
from ...points.microcode import Index, Place
from ...points.weierstrass import ADD, ADD_AFFINE, DOUBLE_SOON, ON_CURVE, formulas
from ..units.joint_digits import BASE_WINDOW, JointDigits, base_place, first_of_base
from ..units.scalar_digits import WINDOW
from . import affine
from .affine import CONSTANTS, ENTER, LAST, MULTIPLES, OTHER, POINT, load, row, stores, sum_of
from .engine_program import (
    SUFFIXES,
    EngineProgram,
    Slots,
    Until,
    of_slot,
    repeated,
    segment,
    step,
    timing,
)

__all__ = ["BASE_MULTIPLES", "INPUTS", "LEAVE", "base_places", "build", "multiple_name"]

#: Multiples of the base point in the memory: 0 to 512.
BASE_MULTIPLES = (1 << BASE_WINDOW - 1) + 1
#: Entries of an operation: multiples of its point; of the first one, constants; and its inputs.
_CONSTANTS, INPUTS = MULTIPLES, MULTIPLES + 1
_CURVE = ("b", "b3", "square", "unit")
_SHARED = (*_CURVE, "none")


def multiple_name(magnitude):
    """Return the name of a multiple of the base point, to which that of a coordinate is added."""
    return f"base_{magnitude}"


def base_places(count, slots=1):
    """Return the places of so many multiples of the base point."""
    found = {}
    for magnitude in range(count):
        for part, name in enumerate("xy"):
            entry, place = base_place(magnitude, part, slots)
            found[f"{multiple_name(magnitude)}_{name}"] = Place(place, entry)
    return found


def _places(slots):
    """Return the numbers in the memory."""
    found = {"none": Place(0)} | row(_CONSTANTS, _CURVE) | base_places(BASE_MULTIPLES, slots)
    for slot in range(slots):
        places = affine.places({"multiple": Index.TURN, "digit": Index.DIGIT,
                                "second": Index.SECOND}, slot)
        places |= row((slot << WINDOW) + INPUTS, ("in_x", "in_y", "in_r", "in_d"))
        found |= {name + SUFFIXES[slot]: place for name, place in places.items()}
    return found


#: Registers of an operation; of its point, and of what is left of that.
_REGISTERS = 16
_POINT, _ONLY = {name: POINT[name] for name in "XYZ"}, {"Z": POINT["Z"]}

_NONE = "X = [none]\nY = [one]\nZ = [none]\n"
_OF_DIGIT = load("digit", "PQR")
_OF_BOTH = _OF_DIGIT + load("second", "UVW") + sum_of(ADD)

#: X / Z is r, or r + d. Z goes out, which is 0 at infinity.
LEAVE = """
r = [in_r]
d = [in_d]
s = [square]
u = [unit]
d = d + r
r = r * s
d = d * s
r = r * Z
d = d * Z
r = X - r
d = X - d
e = r * d
zero e
Z = Z * u
"""


def _segments(slots, window, odd):
    """Yield the segments.

    ``window`` doubles as often as a digit has bits; with ``odd`` there is a digit for the base
    point with the first one for the point.
    """
    names = Slots(slots, _REGISTERS, _SHARED)
    point, late = _POINT | CONSTANTS, JointDigits.LATENCY
    start = LAST + (_NONE if slots > 1 else load("digit"))
    if odd:
        start += load("second", "PQR") + ADD
    for slot in range(slots):
        yield from names.segments(slot, (
            segment("enter", ENTER.format(on_curve=ON_CURVE), {}, point | OTHER),
            segment("next", stores("multiple") + ADD_AFFINE, point | OTHER, point | OTHER),
            # The last multiple is stored before digits are there, which may choose it.
            segment("first", start, point, point, loads_from=late, late=not odd),
            segment("leave", LEAVE, POINT, _ONLY),
            segment("send", "send Z", _ONLY, {})), _POINT)
    points = names.of_all(point)
    for name, added in (("window", _OF_DIGIT), ("both", _OF_BOTH)):
        yield names.together(name, window + added + ADD, points, loads_from=late,
                             in_order=name == "both", late=True)
    yield segment("wait", "", {}, {})


def _steps(slots, odd):
    """Yield the steps: for each operation those of the turn in which it comes. Where there are two,
    the other one has the second half of its windows in this turn, and is sent.
    """
    begins = [step("enter", "enter"), repeated("next", "multiple")]
    if slots > 1 or odd:
        begins += [step("first", digit=int(odd)), step("window", "pair", digit=1),
                   repeated("both", "pair", "pair", digit=1)]
    else:
        begins += [step("first", digit=1), step("both", "pair", digit=1),
                   repeated("window", "pair", "pair", digit=1), step("both", digit=1)]
    ends = [step("leave"), step("send"), step("wait", until=Until.IDLE)]
    for slot in range(slots):
        yield from of_slot(begins, slot, slots, shared=["window", "both"])
        yield from of_slot(ends, slots - 1 - slot, slots, shared=["wait"])
        if slot < slots - 1:
            yield END


@functools.cache
def build(flow, slots=1):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.Prime`, for one operation at a time, or
    two.
    """
    prime = flow.prime
    quick, odd = flow.per_clock > 2, ceil_div(prime.width, WINDOW) % 2 == 1
    # Jacobian coordinates take fewer products, and a longer way.
    window = (DOUBLE_SOON * WINDOW if quick and slots == 1 else
              formulas(WEIERSTRASS[prime.name]).doublings(WINDOW))
    pairs = ceil_div(prime.width, BASE_WINDOW) // slots
    # One alone begins with its first digit, and not with the point at infinity.
    loops = {"multiple": Loop(range(1, MULTIPLES - 1)),
             "pair": Loop(range(slots == 1, pairs))}
    clocks = timing(flow, quick=quick, fetch=int(slots > 1), far=True,
                    registers=slots * _REGISTERS)
    return EngineProgram(flow, _segments(slots, window, odd), _steps(slots, odd), loops, clocks,
                         _places(slots), first_of_base(slots) + ceil_div(BASE_MULTIPLES, 2),
                         second=base_place)
