"""Multiples of points of secp256k1 for scalars in two halves, alone and with one of the base point.
"""

import functools

from ...blocks.program import Loop
from ...numbers.catalogue import WEIERSTRASS
from ...points.microcode import Index, Place
from ...points.weierstrass import formulas
from ..datapath.primes import KOBLITZ
from ..units.joint_digits import PLACES, SUMS, JointHalves, base_place, first_of_base
from ..units.scalar_digits import WINDOW
from ..units.scalar_halves import BETA, BITS, ScalarHalves
from . import affine
from .affine import CHECK, ENTER, LAST, MULTIPLES, load, row, short_products, stores, sum_of
from .engine_program import EngineProgram, Until, repeated, segment, step, timing
from .joint_program import INPUTS, LEAVE, base_places, multiple_name

__all__ = ["build", "build_joint", "constants"]

_CURVE = WEIERSTRASS[KOBLITZ.name]
_LISTINGS = formulas(_CURVE)
_DOUBLE, _ADD, _ADD_AFFINE = map(short_products, (
    _LISTINGS.double, _LISTINGS.add, _LISTINGS.add_affine))
#: Registers of numbers that stay from one segment to another: a point, and constants.
_POINT = affine.POINT | {"beta": 4}
_LOOPS = {"multiple": Loop(range(1, MULTIPLES - 1)), "window": Loop(range(1, BITS // WINDOW))}


def _load_second(place, names):
    """Return what loads a multiple by lambda, which has another first coordinate."""
    return load(place, names) + f"{names[0]} = {names[0]} * beta\n"


# -- A multiple alone.

#: Entries of the memory: the multiples, constants, the point as it comes, and the quotient.
_ENTRIES = MULTIPLES + 3
_CONSTANTS, _INPUTS, _QUOTIENT = range(MULTIPLES, _ENTRIES)
_PLACES = (affine.places({"multiple": Index.TURN, "digit": Index.DIGIT, "second": Index.SECOND})
           | row(_CONSTANTS, ("b", "b3", "beta")) | row(_INPUTS, ("in_x", "in_y"))
           | {"quotient": Place(0, _QUOTIENT)})
#: Registers of another point.
_OTHER = {"P": 13, "Q": 14, "R": 15}

_ENTER = f"""
x = [in_x]
y = [in_y]
b = [b]
b3 = [b3]
beta = [beta]
Z = [one]
{_LISTINGS.on_curve}{CHECK}R = Z
"""
_BOTH = load("digit", "PQR") + _load_second("second", "UVW") + sum_of(_ADD)


def _segments(in_order):
    asked, both = ScalarHalves.LATENCY, _POINT | _OTHER
    yield segment("enter", _ENTER, {}, both)
    yield segment("next", stores("multiple") + _ADD, both, both)
    # The last multiple is stored before digits are there, which may choose it.
    yield segment("first", LAST + load("digit") + _load_second("second", "PQR") + _ADD,
                  _POINT, _POINT, loads_from=asked)
    yield segment("window", _DOUBLE * WINDOW + _BOTH + _ADD, _POINT, _POINT, loads_from=asked,
                  in_order=in_order, late=True)
    yield from affine.segments(_LISTINGS.on_curve, scaled=False)


@functools.cache
def build(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo the prime of secp256k1.
    """
    steps = [step("enter"), repeated("next", "multiple"), step("first", digit=1),
             repeated("window", "window", digit=1), *affine.steps(flow.prime)]
    # Where products follow one another closely, the order of the listing takes fewer clocks.
    return EngineProgram(flow, _segments(in_order=flow.per_clock > 2), steps, _LOOPS,
                         timing(flow, quick=True), _PLACES, _ENTRIES)


# -- The sum with a multiple of the base point.

#: Numbers in the memory. Entries of multiples have room for a fourth number.
_JOINT_PLACES = (
    affine.places({"multiple": Index.TURN, "digit": Index.DIGIT})
    | {f"half_{name}": Place(part, 1, index=Index.DIGIT) for part, name in enumerate("xyz")}
    | {f"second_{name}": Place(part, index=Index.SECOND) for part, name in enumerate("xy")}
    | row(INPUTS, ("in_x", "in_y", "in_r", "in_d"))
    | row(MULTIPLES, ("b", "b3", "square", "unit"))
    | {name: Place(3, entry) for entry, name in enumerate(("beta", "start_x", "start_y"))}
    | base_places(SUMS))

#: What is added in a window: a digit of each half, and one for the base point.
_WINDOW = f"""
{load("digit", "PQR")}
{_load_second("half", "UVW")}
{sum_of(_ADD)}
U = [second_x]
V = [second_y] signed
{sum_of(_ADD_AFFINE)}
{_ADD}
"""
_START = "X = [start_x]\nY = [start_y]\nZ = [one]\n"


@functools.cache
def constants():
    """Return numbers by the names of their places, beside those of the curve: sums of multiples of
    half of the base point, for which bits stand, and what these are less than the scalar in all.
    """
    half = _CURVE.multiply((_CURVE.n + 1) // 2, _CURVE.base)
    teeth = [1 << place for place in PLACES]
    points = {multiple_name(magnitude): _CURVE.multiply(
        sum(tooth if (SUMS | magnitude) >> at & 1 else -tooth for at, tooth in enumerate(teeth)),
        half) for magnitude in range(SUMS)}
    # The first window is added, and doubled as often as those below have bits.
    start = ((1 << 2 * BITS) - 1) * pow(1 << BITS - WINDOW, -1, _CURVE.n)
    points |= {"start": _CURVE.multiply(start, half)}
    return {"square": 1, "unit": 1, "beta": BETA} | affine.coordinates(points, _CURVE.p)


def _joint_segments():
    asked, only = JointHalves.LATENCY, {"Z": _POINT["Z"]}
    both = _POINT | affine.OTHER
    yield segment("enter", ENTER.format(on_curve=_LISTINGS.on_curve) + "beta = [beta]\n", {}, both)
    yield segment("next", stores("multiple") + _ADD_AFFINE, both, both)
    yield segment("last", LAST + _START, _POINT, _POINT)
    yield segment("first", _WINDOW, _POINT, _POINT, loads_from=asked, late=True)
    yield segment("window", _DOUBLE * WINDOW + _WINDOW, _POINT, _POINT, loads_from=asked, late=True)
    yield segment("leave", LEAVE, _POINT, only)
    yield segment("send", "send Z", only, {})
    yield segment("wait", "", {}, {})


@functools.cache
def build_joint(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo the prime of secp256k1.
    """
    steps = [step("enter"), repeated("next", "multiple"), step("last"), step("first", digit=1),
             repeated("window", "window", digit=1), step("leave"), step("send"),
             step("wait", until=Until.IDLE)]
    return EngineProgram(flow, _joint_segments(), steps, _LOOPS,
                         timing(flow, quick=True, far=True), _JOINT_PLACES,
                         first_of_base(1) + SUMS // 2, second=base_place)
