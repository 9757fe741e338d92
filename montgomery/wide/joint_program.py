"""Sums of two multiples, of a point and of the base point, and whether their x is a given one."""

import functools
import itertools

from ..blocks.program import Flow, Loop, Step
from ..core import ceil_div
from ..points.listing import parse
from ..points.microcode import Index, Place, Segment
from ..points.weierstrass import ADD, DOUBLE, DOUBLE_SOON, ON_CURVE
from .affine import POINT
from .engine_program import EngineProgram, Memory, Until, timing
from .joint_digits import BASE_WINDOW, OF_BASE, JointDigits, base_place
from .scalar_digits import WINDOW

__all__ = ["BASE_MULTIPLES", "INPUTS", "JointMemory", "build", "multiple_name"]

#: Multiples in the memory: of the point 0 to 16, of the base point 0 to 512.
_MULTIPLES, BASE_MULTIPLES = ((1 << window - 1) + 1 for window in (WINDOW, BASE_WINDOW))
_CONSTANTS, INPUTS = _MULTIPLES, _MULTIPLES + 1
#: Entries of the memory: multiples of the point, constants, inputs, multiples of the base point.
_ENTRIES = OF_BASE + ceil_div(BASE_MULTIPLES, 2)


def multiple_name(magnitude):
    """Return the name of a multiple of the base point, to which that of a coordinate is added."""
    return f"base_{magnitude}"


#: Numbers in the memory. Entry 0 is the point at infinity, (0 : 1 : 0).
_PLACES = {"one": Place(1)}
_PLACES |= {f"first_{part}": Place(index, 1) for index, part in enumerate("xyz")}
for _name, _index in (("multiple", Index.TURN), ("digit", Index.DIGIT), ("second", Index.SECOND)):
    _PLACES |= {f"{_name}_{part}": Place(index, index=_index) for index, part in enumerate("xyz")}
for _magnitude, (_index, _name) in itertools.product(range(BASE_MULTIPLES), enumerate("xy")):
    _entry, _part = base_place(_magnitude, _index)
    _PLACES[f"{multiple_name(_magnitude)}_{_name}"] = Place(_part, _entry)
_PLACES |= {name: Place(index, _CONSTANTS)
           for index, name in enumerate(("b", "b3", "square", "unit"))}
_PLACES |= {f"in_{part}": Place(index, INPUTS) for index, part in enumerate("xyrd")}

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
_LOAD = "{X} = [{place}_x]\n{Y} = [{place}_y] signed\n{Z} = [{place}_z]\n"
_ADD_DIGIT, _ADD_SECOND = (_LOAD.format(place=place, X="P", Y="Q", Z="R") + ADD
                           for place in ("digit", "second"))

#: X / Z is r, or r + d. Z goes out, which is 0 at infinity.
_LEAVE = """
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


def _segments(quick):
    double, constants = ((DOUBLE_SOON, {"b3": POINT["b3"], "b": 12}) if quick else
                         (DOUBLE, {"b3": POINT["b3"]}))
    point, late = POINT | constants, JointDigits.LATENCY
    only = {"Z": POINT["Z"]}

    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    yield of("enter", _ENTER, {}, point | _OTHER)
    yield of("next", ADD + _STORE, point | _OTHER, point | _OTHER)
    yield of("first", _LOAD.format(place="digit", X="X", Y="Y", Z="Z"), constants, point,
             loads_from=late, late=True)
    for name, added in (("window", ""), ("both", _ADD_SECOND)):
        yield of(name, double * WINDOW + _ADD_DIGIT + added, point, point, loads_from=late,
                 late=True)
    yield of("leave", _LEAVE, POINT, only)
    yield of("send", "send Z", only, {})
    yield of("wait", "", {}, {})


def _steps():
    def step(name, digit=0, **flow):
        return Step(fields={"segment": name, "digit": digit}, **flow)

    yield step("enter")
    yield step("next", label="next", flow=Flow.REPEAT, loop="multiple", to="next")
    yield step("first", digit=1)
    yield step("both", digit=1, label="both")
    yield step("window", digit=1, flow=Flow.REPEAT, loop="pair", to="both")
    yield step("both", digit=1)
    yield step("leave")
    yield step("send")
    yield Step(fields={"segment": "wait", "until": Until.IDLE})


@functools.cache
def build(prime, interval, latency, *, quick=False):
    """Return the :class:`~.engine_program.EngineProgram` for a :class:`~.primes.Prime` of 256 bits;
    see :func:`~.engine_program.timing`.
    """
    loops = {"multiple": Loop(range(2, _MULTIPLES)),
             "pair": Loop(range(1, ceil_div(prime.width, BASE_WINDOW)))}
    return EngineProgram(list(_segments(quick)), list(_steps()), loops,
                         timing(interval, latency, quick=quick), _PLACES, _ENTRIES)


class JointMemory(Memory):
    """The memory on integers, with :func:`~.joint_digits.base_place`."""

    def _at(self, name):
        place = self._places[name]
        if place.index is Index.SECOND:
            return base_place(self._second[0], place.part)
        return super()._at(name)
