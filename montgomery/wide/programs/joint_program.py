"""Sums of two multiples, of a point and of the base point, and whether their x is a given one."""

import dataclasses
import functools
import itertools

from ...blocks.program import END, Flow, Loop, Step
from ...core import ceil_div
from ...numbers.catalogue import WEIERSTRASS
from ...points.listing import parse
from ...points.microcode import Index, Place, Segment
from ...points.weierstrass import ADD, ADD_AFFINE, DOUBLE_SOON, ON_CURVE, formulas
from ..units.joint_digits import BASE_WINDOW, JointDigits, base_place, first_of_base
from ..units.scalar_digits import WINDOW
from . import affine
from .affine import CONSTANTS, ENTER, LAST, LOAD, MULTIPLES, OTHER, POINT, stores, sum_of
from .engine_program import SUFFIXES, TURNS, EngineProgram, Memory, Slots, Until, timing

__all__ = ["BASE_MULTIPLES", "INPUTS", "LEAVE", "JointMemory", "build", "late_memory",
           "multiple_name"]

#: Multiples of the base point in the memory: 0 to 512.
BASE_MULTIPLES = (1 << BASE_WINDOW - 1) + 1
#: Entries of an operation: multiples of its point; of the first one, constants; and its inputs.
_CONSTANTS, INPUTS = MULTIPLES, MULTIPLES + 1
_CURVE = ("b", "b3", "square", "unit")
_SHARED = (*_CURVE, "none")


def multiple_name(magnitude):
    """Return the name of a multiple of the base point, to which that of a coordinate is added."""
    return f"base_{magnitude}"


def _places(slots):
    """Return the numbers in the memory."""
    found = {"none": Place(0)} | {name: Place(part, _CONSTANTS)
                                  for part, name in enumerate(_CURVE)}
    for slot in range(slots):
        places = affine.places({"multiple": Index.TURN, "digit": Index.DIGIT,
                                "second": Index.SECOND}, slot)
        places |= {f"in_{name}": Place(part, (slot << WINDOW) + INPUTS)
                   for part, name in enumerate("xyrd")}
        found |= {name + SUFFIXES[slot]: place for name, place in places.items()}
    for magnitude, (part, name) in itertools.product(range(BASE_MULTIPLES), enumerate("xy")):
        entry, part = base_place(magnitude, part, slots)
        found[f"{multiple_name(magnitude)}_{name}"] = Place(part, entry)
    return found


#: Registers of an operation; of its point, and of what is left of that.
_REGISTERS = 16
_POINT, _ONLY = {name: POINT[name] for name in "XYZ"}, {"Z": POINT["Z"]}

_NONE = "X = [none]\nY = [one]\nZ = [none]\n"
_OF_DIGIT = LOAD.format(place="digit", X="P", Y="Q", Z="R")
_OF_BOTH = _OF_DIGIT + LOAD.format(place="second", X="U", Y="V", Z="W") + sum_of(ADD)

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
    start = _NONE if slots > 1 else LOAD.format(place="digit", X="X", Y="Y", Z="Z")
    if odd:
        start += LOAD.format(place="second", X="P", Y="Q", Z="R") + ADD
    for slot in range(slots):
        yield from names.segments(slot, (
            Segment("enter", parse(ENTER.format(on_curve=ON_CURVE)), {}, point | OTHER),
            Segment("next", parse(stores("multiple") + ADD_AFFINE), point | OTHER, point | OTHER),
            # The last multiple is stored before digits are there, which may choose it.
            Segment("first", parse(LAST + start), point, point, loads_from=late, late=not odd),
            Segment("leave", parse(LEAVE), POINT, _ONLY),
            Segment("send", parse("send Z"), _ONLY, {})), _POINT)
    points = names.of_all(point)
    for name, added in (("window", _OF_DIGIT), ("both", _OF_BOTH)):
        yield Segment(name, names.together(window + added + ADD), points, points,
                      loads_from=late, in_order=name == "both", late=True)
    yield Segment("wait", [], {}, {})


def _steps(slots, odd):
    """Yield the steps: for each operation those of the turn in which it comes. Where there are two,
    the other one has the second half of its windows in this turn, and is sent.
    """
    def step(name, digit=0, **flow):
        return Step(fields={"segment": name, "digit": digit} | fields, **flow)

    for slot in range(slots):
        suffix, sent = SUFFIXES[slot], (slot + 1) % slots
        fields = {"slot": slot} if slots > 1 else {}
        yield step("enter" + suffix, label=TURNS[slot])
        yield step("next" + suffix, label="next" + suffix, flow=Flow.REPEAT, loop="multiple",
                   to="next" + suffix)
        if slots > 1 or odd:
            yield step("first" + suffix, digit=int(odd))
            yield step("window", digit=1, label="pair" + suffix)
            yield step("both", digit=1, flow=Flow.REPEAT, loop="pair", to="pair" + suffix)
        else:
            yield step("first", digit=1)
            yield step("both", digit=1, label="pair")
            yield step("window", digit=1, flow=Flow.REPEAT, loop="pair", to="pair")
            yield step("both", digit=1)
        fields = {"slot": sent} if slots > 1 else {}
        yield step("leave" + SUFFIXES[sent])
        yield step("send" + SUFFIXES[sent])
        yield Step(fields={"segment": "wait", "until": Until.IDLE} | fields)
        if slot < slots - 1:
            yield END


def late_memory(clocks, **more):
    """Return a :class:`~..points.assembler.Timing` for digits that are chosen before the memory is
    asked, which has so many blocks that what is read takes a clock to the registers.
    """
    return dataclasses.replace(clocks, memory=clocks.memory + 2, choice=1, **more)


@functools.cache
def build(flow, slots=1):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.Prime`.
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
    clocks = late_memory(timing(flow, quick=quick, fetch=int(slots > 1)),
                         registers=slots * _REGISTERS)
    return EngineProgram(list(_segments(slots, window, odd)), list(_steps(slots, odd)), loops,
                         clocks, _places(slots),
                         first_of_base(slots) + ceil_div(BASE_MULTIPLES, 2), digits=prime.digits)


class JointMemory(Memory):
    """The memory on integers, with :func:`~.joint_digits.base_place`, for one operation."""

    def _at(self, name):
        place = self._places[name]
        if place.index is Index.SECOND:
            return base_place(self._second[0], place.part)
        return super()._at(name)
