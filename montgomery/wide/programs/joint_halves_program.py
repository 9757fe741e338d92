"""Sums of two multiples on secp256k1, whose scalar for the point is in two halves."""

import functools
import itertools

from ...blocks.program import Loop
from ...numbers.catalogue import WEIERSTRASS
from ...points.listing import parse
from ...points.microcode import Index, Place, Segment
from ..datapath.primes import KOBLITZ
from ..units.joint_digits import PLACES, SUMS, JointHalves, base_place, first_of_base
from ..units.scalar_digits import WINDOW
from ..units.scalar_halves import BETA, BITS
from . import affine
from .affine import ENTER, LAST, LOAD, MULTIPLES, OTHER, short_products, stores, sum_of
from .engine_program import EngineProgram, Until, repeated, step, timing
from .joint_program import INPUTS, LEAVE, JointMemory, late_memory, multiple_name
from .koblitz_program import ADD, DOUBLE, LISTINGS, OF_SECOND, POINT

__all__ = ["HalvesMemory", "build", "constants"]

_CURVE = WEIERSTRASS[KOBLITZ.name]


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
    return {"square": 1, "unit": 1, "beta": BETA} | {
        f"{name}_{part}": number for name, point in points.items()
        for part, number in zip("xy", point, strict=True)}


#: Numbers in the memory. Entries of multiples have room for a fourth number.
_PLACES = affine.places({"multiple": Index.TURN, "digit": Index.DIGIT})
_PLACES |= {f"half_{name}": Place(part, 1, index=Index.DIGIT) for part, name in enumerate("xyz")}
_PLACES |= {f"second_{name}": Place(part, index=Index.SECOND) for part, name in enumerate("xy")}
_PLACES |= {f"in_{name}": Place(part, INPUTS) for part, name in enumerate("xyrd")}
_PLACES |= {name: Place(part, MULTIPLES)
            for part, name in enumerate(("b", "b3", "square", "unit"))}
_PLACES |= {name: Place(3, entry) for entry, name in enumerate(("beta", "start_x", "start_y"))}
for _magnitude, (_part, _name) in itertools.product(range(SUMS), enumerate("xy")):
    _entry, _at = base_place(_magnitude, _part)
    _PLACES[f"{multiple_name(_magnitude)}_{_name}"] = Place(_at, _entry)

_ADD_AFFINE = short_products(LISTINGS.add_affine)
#: What is added in a window: a digit of each half, and one for the base point.
_WINDOW = f"""
{LOAD.format(place="digit", X="P", Y="Q", Z="R")}
{OF_SECOND.format(place="half", X="U", Y="V", Z="W")}
{sum_of(ADD)}
U = [second_x]
V = [second_y] signed
{sum_of(_ADD_AFFINE)}
{ADD}
"""
_START = "X = [start_x]\nY = [start_y]\nZ = [one]\n"


def _segments():
    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    asked, only = JointHalves.LATENCY, {"Z": POINT["Z"]}
    yield of("enter", ENTER.format(on_curve=LISTINGS.on_curve) + "beta = [beta]\n", {},
             POINT | OTHER)
    yield of("next", stores("multiple") + _ADD_AFFINE, POINT | OTHER, POINT | OTHER)
    yield of("last", LAST + _START, POINT, POINT)
    yield of("first", _WINDOW, POINT, POINT, loads_from=asked, late=True)
    yield of("window", DOUBLE * WINDOW + _WINDOW, POINT, POINT, loads_from=asked, late=True)
    yield of("leave", LEAVE, POINT, only)
    yield of("send", "send Z", only, {})
    yield of("wait", "", {}, {})


_STEPS = [step("enter"), repeated("next", "multiple"), step("last"), step("first", digit=1),
          repeated("window", "window", digit=1), step("leave"), step("send"),
          step("wait", until=Until.IDLE)]


@functools.cache
def build(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo the prime of secp256k1.
    """
    prime = flow.prime
    loops = {"multiple": Loop(range(1, MULTIPLES - 1)), "window": Loop(range(1, BITS // WINDOW))}
    return EngineProgram(list(_segments()), _STEPS, loops,
                         late_memory(timing(flow, quick=True)), _PLACES,
                         first_of_base(1) + SUMS // 2, digits=prime.digits)


class HalvesMemory(JointMemory):
    """The memory on integers, with :func:`~.joint_digits.joint_half_digits`."""

    def next(self):
        self._digit, self._half, self._second = (next(self._digits) for _ in range(3))

    def _digit_of(self, place):
        if place.index is Index.DIGIT and place.entry:
            return self._half
        return super()._digit_of(place)
