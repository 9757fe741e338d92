"""What multiples of the base point of Ed25519 are made of, where that differs from other curves."""

from ..blocks.skid import Skid
from ..core import Cycles, ceil_div
from ..points.microcode import FETCH
from . import edwards_program
from .curve25519 import PRIME
from .folding_core import FoldingCore
from .folding_model import FoldingPace
from .point_engine import WidePointEngine
from .primes import DIGITS
from .reduced import ReducedNumber
from .scalar_digits import CombDigits

__all__ = ["CURVE", "EdwardsEngine", "constants", "cycles", "engine", "program"]

#: Name of the curve.
CURVE = "Ed25519"


class EdwardsEngine(WidePointEngine):
    """Multiplies the base point by scalars, one at a time, as its program says.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.

    Parameters
    ----------
    params, core, program, digits : see :class:`~.point_engine.WidePointEngine`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def _held(self, prime):
        return ReducedNumber(prime, compares=True)

    def _fails(self, held):
        return held.not_zero


def constants(curve):
    """Return numbers by the names of their places in the memory."""
    return {"one": 1, "b": curve.d, "b3": 2 * curve.d % curve.p}


def program(per_clock):
    """Return the :class:`~.engine_program.EngineProgram`."""
    return edwards_program.build(PRIME, FoldingPace(per_clock))


def cycles(params):
    """Return the :class:`~montgomery.Cycles` of an operation."""
    made = program(params.digits_per_clock)
    clocks = made.microcode.clocks
    # From the segment that sends a coordinate: to its first word, and to what follows it, when all
    # has been seen to be sent.
    first = 1 + ReducedNumber.REDUCED + Skid.LATENCY
    sent = ReducedNumber.REDUCED + 2 * DIGITS
    waits = ceil_div(sent - clocks["send x"], clocks["wait"]) + 1
    whole = clocks["send x"] + waits * clocks["wait"]
    compute = 3 + FETCH + made.clocks + first
    return Cycles(load=params.i_words, compute=compute, unload=whole + 2 * DIGITS - 1,
                  interval=2 * whole - (FETCH - 2) - first + params.i_words - 1 + compute)


def engine(params):
    """Return the :class:`EdwardsEngine`."""
    per_clock = params.digits_per_clock
    return EdwardsEngine(params, FoldingCore(PRIME, per_clock), program(per_clock), CombDigits())
