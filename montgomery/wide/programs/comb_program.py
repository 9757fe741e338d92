"""Multiples of the base point of a curve, from tables: listings, and their order.

For Ed25519 they are those of :mod:`montgomery.points.edwards`.
"""

import functools

from ...blocks.program import Loop
from ...numbers.catalogue import WEIERSTRASS
from ...points import edwards
from ...points.microcode import Index, Place
from ...points.weierstrass import ADD_AFFINE, DOUBLE, ON_CURVE, formulas
from ..datapath.ranges import BASE
from ..units.held import ReducedNumber
from ..units.scalar_digits import TEETH, CombDigits
from . import affine
from .affine import POINT, short_products
from .engine_program import EngineProgram, repeated, segment, step, timing

__all__ = ["SUMS", "build", "build_edwards", "build_folded", "parts", "sum_name"]

#: Sums of multiples of the base point, for each part of the words of a scalar.
SUMS = 1 << TEETH - 1


def parts(words):
    """Return the names of the parts of a scalar, the highest first: two of 16 words, three of 24.
    """
    return ("third", "upper", "lower")[-(words // TEETH):]


def sum_name(part, magnitude):
    """Return the first part of the names of places: ``upper_3`` of ``upper_3_x``."""
    return f"{part}_{magnitude}"


@functools.cache
def _places(words):
    """Return the numbers in the memory, and how many entries there are.

    An entry has two affine points, of the lower and of the upper part. Behind these entries are
    constants, and the quotient, in the upper half of entries of which the lower half is a point of
    the third part, if there is one.
    """
    found = {}
    for at, name in enumerate(reversed(parts(words))):
        first, place = (SUMS, 0) if name == "third" else (0, 2 * (1 - at))
        for index, coordinate in enumerate("xy"):
            found |= {f"{sum_name(name, entry)}_{coordinate}": Place(place + index, first + entry)
                      for entry in range(SUMS)}
            found[f"{name}_{coordinate}"] = Place(place + index, index=Index.DIGIT)
    names = ("b", "b3", "one", "unit", "start_x", "start_y", "square")
    if words == 3 * TEETH:
        found |= {name: Place(2 + index % 2, SUMS + index // 2) for index, name in enumerate(names)}
        return found | {"quotient": Place(2, 2 * SUMS - 1)}, 2 * SUMS
    found |= {name: Place(index % 4, SUMS + index // 4) for index, name in enumerate(names)}
    return found | {"quotient": Place(0, SUMS + 2)}, SUMS + 3


_LOOPS = {"column": Loop(range(BASE))}
#: The opposite point has the opposite y.
_LOAD = "P = [{part}_x]\nQ = [{part}_y] signed\n"

_ENTER = """
X = [start_x]
Y = [start_y]
Z = [one]
b3 = [b3]
"""


def _segments(words, enter, double, add, load, other, on_curve, *, scaled, again=""):
    """Yield the segments.

    ``words`` are those of a scalar. ``enter`` follows the first lines, ``double`` doubles the
    point, ``add`` adds another one, ``load`` loads a point of a part, and ``again`` follows an
    addition that another one follows; ``other`` has the registers of what stays beside a point.
    """
    # Each segment loads what the next one adds.
    highest, *others = names = parts(words)
    both = POINT | other
    yield segment("enter", _ENTER + enter + load.format(part=highest), {}, both,
                  loads_from=CombDigits.LATENCY)
    for name, following in zip(names, (*others, highest), strict=True):
        lines = (double * (name == highest) + add + again * (following != highest)
                 + load.format(part=following))
        yield segment(name, lines, both, both, loads_from=CombDigits.LATENCY)
    yield from affine.segments(on_curve, scaled=scaled)


def _steps(prime):
    """Yield the steps of a program with these segments."""
    highest, *others, lowest = parts(prime.digits)
    yield step("enter", digit=1)
    yield step(highest, "column", digit=1)
    yield from (step(name, digit=1) for name in others)
    yield repeated(lowest, "column", "column", digit=1)
    yield from affine.steps(prime)


def _program(flow, segments, clocks, **more):
    return EngineProgram(flow, segments, _steps(flow.prime), _LOOPS, clocks,
                         *_places(flow.prime.digits), **more)


@functools.cache
def build(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.Prime`.
    """
    prime = flow.prime
    segments = _segments(prime.digits, "", DOUBLE, ADD_AFFINE, _LOAD, {"P": 4, "Q": 5}, ON_CURVE,
                         scaled=True)
    return _program(flow, segments, timing(flow, quick=flow.per_clock > 2))


@functools.cache
def build_folded(flow):
    """Return the :class:`~.engine_program.EngineProgram` of a curve with a = 0, at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.KoblitzPrime`.
    """
    prime = flow.prime
    listings = formulas(WEIERSTRASS[prime.name])
    double, add = map(short_products, (listings.double, listings.add_affine))
    segments = _segments(prime.digits, "", double, add, _LOAD, {"P": 4, "Q": 5}, listings.on_curve,
                         scaled=False)
    return _program(flow, segments, timing(flow, quick=True))


@functools.cache
def build_edwards(flow):
    """Return the :class:`~.engine_program.EngineProgram` of an Edwards curve, at a
    :class:`~.dataflow.Dataflow` modulo a :class:`~.primes.FoldedPrime`.
    """
    prime = flow.prime
    # The opposite point has the opposite x.
    segments = _segments(prime.digits, "T = X * Y\n", edwards.DOUBLE, edwards.ADD_AFFINE,
                         "P = [{part}_x] signed\nQ = [{part}_y]\n", {"P": 4, "Q": 5, "T": 6},
                         edwards.ON_CURVE, scaled=False, again=edwards.T)
    clocks = timing(flow, quick=True, compared=ReducedNumber.COMPARED)
    return _program(flow, segments, clocks, first=ReducedNumber.REDUCED + 1)
