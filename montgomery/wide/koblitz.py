"""What scalar multiplication on secp256k1 is made of, where that differs from other curves."""

import itertools

from ..core import Products
from . import koblitz_program
from .halves import BETA, half_digits
from .koblitz_core import KoblitzCore
from .koblitz_engine import KoblitzEngine
from .koblitz_model import PRIME, pace_of
from .model import DIGIT_BITS
from .primes import DIGITS
from .ranges import BASE
from .scalar_halves import ScalarHalves

__all__ = ["PRIME", "blocks", "constants", "engine", "half_digits", "program"]


def blocks(per_clock):
    """Return the multiplications of the datapath, and that of the unit that divides scalars."""
    bits = DIGIT_BITS - 1
    return Products(per_clock * DIGITS, bits, bits), Products(1, BASE, BASE)


def constants(curve, per_clock):
    """Return numbers by the names of their places in the memory."""
    # The factor of short products is in the highest digits.
    return {"one": 1, "b": curve.b, "b3": 3 * curve.b << BASE * (DIGITS - per_clock), "beta": BETA}


def program(per_clock):
    """Return the :class:`~.engine_program.EngineProgram`."""
    return koblitz_program.build(pace_of(per_clock))


def engine(params):
    """Return the :class:`~.koblitz_engine.KoblitzEngine`."""
    per_clock, made = params.digits_per_clock, program(params.digits_per_clock)
    before = itertools.takewhile(lambda step: not step[1], made.walk())  # digits are made
    if sum(made.microcode.clocks[segment.name] for segment, *_ in before) < ScalarHalves.DIVIDED:
        raise ValueError("The program makes digits of a scalar before it is divided")
    return KoblitzEngine(params, KoblitzCore(per_clock), made, ScalarHalves())
