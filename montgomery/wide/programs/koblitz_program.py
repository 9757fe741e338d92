"""Multiples of points of secp256k1, for scalars in two halves: listings, and their order."""

import functools

from ...blocks.program import Loop
from ...numbers.catalogue import WEIERSTRASS
from ...points import weierstrass
from ...points.listing import parse
from ...points.microcode import Index, Place, Segment
from ..units.scalar_digits import WINDOW
from ..units.scalar_halves import BITS, ScalarHalves
from . import affine
from .affine import CHECK, LAST, LOAD, MULTIPLES, short_products, stores, sum_of
from .engine_program import EngineProgram, repeated, step, timing

__all__ = ["ADD", "DOUBLE", "LISTINGS", "OF_SECOND", "POINT", "build"]

#: Entries of the memory: the multiples, constants, the point as it comes, and the quotient.
_ENTRIES = MULTIPLES + 3
_CONSTANTS, _INPUTS, _QUOTIENT = range(MULTIPLES, _ENTRIES)
#: Numbers in the memory.
_PLACES = affine.places({"multiple": Index.TURN, "digit": Index.DIGIT, "second": Index.SECOND})
_PLACES |= {name: Place(index, _CONSTANTS) for index, name in enumerate(("b", "b3", "beta"))}
_PLACES |= {f"in_{part}": Place(index, _INPUTS) for index, part in enumerate("xy")}
_PLACES["quotient"] = Place(0, _QUOTIENT)

#: Registers of numbers that stay from one segment to another: a point, constants, another point.
POINT = affine.POINT | {"beta": 4}
_OTHER = {"P": 13, "Q": 14, "R": 15}

LISTINGS = weierstrass.formulas(WEIERSTRASS["secp256k1"])
DOUBLE, ADD = map(short_products, (LISTINGS.double, LISTINGS.add))

_ENTER = f"""
x = [in_x]
y = [in_y]
b = [b]
b3 = [b3]
beta = [beta]
Z = [one]
{LISTINGS.on_curve}{CHECK}R = Z
"""
#: Load a multiple by lambda, which has another first coordinate.
OF_SECOND = LOAD + "{X} = {X} * beta\n"
_BOTH = (LOAD.format(place="digit", X="P", Y="Q", Z="R")
         + OF_SECOND.format(place="second", X="U", Y="V", Z="W") + sum_of(ADD))


def _segments(in_order):
    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    asked = ScalarHalves.LATENCY
    yield of("enter", _ENTER, {}, POINT | _OTHER)
    yield of("next", stores("multiple") + ADD, POINT | _OTHER, POINT | _OTHER)
    # The last multiple is stored before digits are there, which may choose it.
    yield of("first", LAST + LOAD.format(place="digit", X="X", Y="Y", Z="Z")
             + OF_SECOND.format(place="second", X="P", Y="Q", Z="R") + ADD,
             POINT, POINT, loads_from=asked)
    yield of("window", DOUBLE * WINDOW + _BOTH + ADD, POINT, POINT,
             loads_from=asked, in_order=in_order, late=True)
    yield from affine.segments(LISTINGS.on_curve, scaled=False)


def _steps(prime):
    yield step("enter")
    yield repeated("next", "multiple")
    yield step("first", digit=1)
    yield repeated("window", "window", digit=1)
    yield from affine.steps(prime)


@functools.cache
def build(flow):
    """Return the :class:`~.engine_program.EngineProgram` at a
    :class:`~.dataflow.Dataflow` modulo the prime of secp256k1.
    """
    prime = flow.prime
    loops = {"multiple": Loop(range(1, MULTIPLES - 1)), "window": Loop(range(1, BITS // WINDOW))}
    # Where products follow one another closely, the order of the listing takes fewer clocks.
    return EngineProgram(list(_segments(in_order=flow.per_clock > 2)), list(_steps(prime)), loops,
                         timing(flow, quick=True),
                         _PLACES, _ENTRIES, digits=prime.digits)
