"""What scalar multiplication on secp256k1 is made of, where that differs from other curves."""

from ..core import Products
from . import koblitz_program
from .folding_model import CLOCKS, PER_CLOCK
from .halves import BETA, half_digits
from .koblitz_core import KoblitzCore
from .koblitz_engine import KoblitzEngine
from .koblitz_model import PRIME
from .model import DIGIT_BITS
from .primes import DIGITS
from .ranges import BASE
from .scalar_halves import ScalarHalves

__all__ = ["BLOCKS", "PRIME", "constants", "engine", "half_digits", "program"]

#: Multiplications of the datapath, and that of the unit that divides scalars.
BLOCKS = (Products(PER_CLOCK * DIGITS, DIGIT_BITS - 1, DIGIT_BITS - 1), Products(1, BASE, BASE))


def constants(curve):
    """Return numbers by the names of their places in the memory."""
    # The factor of short products is in the highest digits.
    return {"one": 1, "b": curve.b, "b3": 3 * curve.b << BASE * (DIGITS - PER_CLOCK), "beta": BETA}


def program():
    """Return the :class:`~.engine_program.EngineProgram`."""
    return koblitz_program.build(CLOCKS, KoblitzCore.LATENCY, KoblitzCore.SHORT)


def engine(params):
    """Return the :class:`~.koblitz_engine.KoblitzEngine`."""
    return KoblitzEngine(params, KoblitzCore(), program(), ScalarHalves())
