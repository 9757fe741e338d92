"""Sums of two multiples on an Edwards curve: of a point of which y is given, and the base point."""

import functools

from ...blocks.program import Loop
from ...core import ceil_div
from ...points import edwards
from ...points.microcode import Index, Place
from ..units.held import ReducedNumber
from ..units.joint_digits import BASE_WINDOW, JointDigits, base_place, first_of_base
from ..units.scalar_digits import WINDOW
from . import affine
from .affine import MULTIPLES, row
from .engine_program import EngineProgram, Until, repeated, segment, step, timing
from .joint_program import BASE_MULTIPLES, INPUTS, base_places, multiple_name

__all__ = ["build", "constants"]

#: Entries of constants, below the numbers that come in, and of the quotient above these.
_CONSTANTS, _QUOTIENT = MULTIPLES, INPUTS + 1
#: Numbers in the memory. The point at infinity is (0 : 1 : 1 : 0).
_PLACES = {"one": Place(1), "none_z": Place(2), "in_y": Place(0, INPUTS),
           "quotient": Place(0, _QUOTIENT)}
_PLACES |= row(_CONSTANTS, ("b", "b3", "c", "e")) | base_places(BASE_MULTIPLES)
for _part, _name in enumerate("xyzt"):
    _PLACES |= {f"last_{_name}": Place(_part, MULTIPLES - 1),
                f"multiple_{_name}": Place(_part, index=Index.TURN),
                f"digit_{_name}": Place(_part, index=Index.DIGIT)}
_PLACES |= {f"second_{_name}": Place(_part, index=Index.SECOND) for _part, _name in enumerate("xy")}

#: Registers of a point, 2 d, and the point that is given; and of what a square root is made from.
_POINT = affine.POINT | {"T": 4}
_OTHER = {"P": 5, "Q": 6, "O": 7}
_ROOT = {name: register for register, name in enumerate("Yuvmnktl", _POINT["Y"])}

_ENTER = "Y = [in_y]\nb = [b]\ni = [one]\n" + edwards.SQUARE.replace("y * y", "Y * Y")
_FOUND = "i = [one]\nc = [c]\ne = [e]\n" + edwards.ROOT + "zero e\n"
_BEGIN = """
b3 = [b3]
Z = [one]
T = X * Y
P = X
Q = Y
O = b3 * T
"""
#: Store a multiple; 2 d T is in O for the first one.
_STORE = """
[{0}_x] = X
[{0}_y] = Y
[{0}_z] = Z
S = b3 * T
[{0}_t] = S
"""
#: Add the point that is given.
_NEXT = _STORE.format("multiple") + edwards.ADD.replace("Z = Z * R", "").replace(
    "S * T", "O * T") + edwards.T
#: The opposite point has the opposite x and T.
_OF_DIGIT = "P = [digit_x] signed\nQ = [digit_y]\nR = [digit_z]\nS = [digit_t] signed\n"
_FIRST = "X = [digit_x] signed\nY = [digit_y]\nZ = [digit_z]\n"
_OF_BASE = "P = [second_x] signed\nQ = [second_y]\n"
_DOUBLINGS = edwards.DOUBLE.replace(edwards.T, "") * (WINDOW - 1) + edwards.DOUBLE
_LINES = {"window": _DOUBLINGS + _OF_DIGIT + edwards.ADD}
_LINES["both"] = _LINES["window"] + edwards.T + _OF_BASE + edwards.ADD_AFFINE


def constants(curve):
    """Return numbers by the names of their places, for an
    :class:`~montgomery.numbers.curves.EdwardsCurve` over 2^255 - 19.
    """
    p = curve.p
    root, half = pow(2, (p - 1) // 4, p), (p + 1) // 2
    found = {"one": 1, "none_z": 1, "b": curve.d, "b3": 2 * curve.d % p,
             "c": (1 + root) * half % p, "e": (1 - root) * half % p}
    return found | affine.coordinates({
        multiple_name(magnitude): curve.multiply(magnitude, curve.base)
        for magnitude in range(BASE_MULTIPLES)}, p)


def _segments():
    late, stay = JointDigits.LATENCY, {name: _POINT[name] for name in ("X", "Y")}
    point = {name: register for name, register in _POINT.items() if name != "T"}
    given = _POINT | _OTHER
    yield segment("enter", _ENTER, {}, {name: _ROOT[name] for name in "Yuvmnt"})
    yield segment("square", "t = t * t", _ROOT, _ROOT)
    for name in sorted({factor for _, factor, _ in edwards.POWER}):
        yield segment(f"by {name}", f"t = t * {name}", _ROOT, _ROOT)
    for name in sorted({kept for *_, kept in edwards.POWER if kept}):
        yield segment(f"keep {name}", f"{name} = t", _ROOT, _ROOT)
    yield segment("root", _FOUND, _ROOT, stay | {"X": _POINT["X"]})
    yield segment("send root", "send X", stay, stay)
    yield segment("begin multiples", _BEGIN, stay, given)
    yield segment("next", _NEXT, given, given)
    # The last multiple is stored before digits are there, which may choose it.
    yield segment("first", _STORE.format("last") + _FIRST, _POINT, point, loads_from=late,
                  late=True)
    for name, lines in _LINES.items():
        yield segment(name, lines, point, point, loads_from=late, late=True)
    yield from affine.segments("", scaled=False)


def _steps(prime):
    yield step("enter")
    for squares, factor, kept in edwards.POWER:
        yield step("square", turns=squares)
        yield step(f"by {factor}")
        if kept:
            yield step(f"keep {kept}")
    yield step("root")
    yield step("send root")
    yield step("wait", until=Until.IDLE)
    yield step("begin multiples")
    yield repeated("next", "multiple")
    yield step("first", digit=1)
    yield step("both", "pair", digit=1)
    yield repeated("window", "pair", "pair", digit=1)
    yield step("both", digit=1)
    yield from affine.steps(prime)


@functools.cache
def build(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo 2^255 - 19.

    What is sent is the x of the point that is given, or minus that, and x and y of the sum.
    """
    prime = flow.prime
    loops = {"multiple": Loop(range(1, MULTIPLES - 1)),
             "pair": Loop(range(1, ceil_div(prime.digits * 16, BASE_WINDOW)))}
    clocks = timing(flow, quick=True, far=True, compared=ReducedNumber.COMPARED)
    return EngineProgram(flow, _segments(), _steps(prime), loops, clocks, _PLACES,
                         first_of_base(1) + ceil_div(BASE_MULTIPLES, 2),
                         first=ReducedNumber.REDUCED + 1, second=base_place)
