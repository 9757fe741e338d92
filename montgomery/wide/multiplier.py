"""A wide pipelined multiplier for a prime that is fixed when it is built."""

import dataclasses

from ..core import About, Cycles, Products, Traits, ceil_div, parameter
from ..core.fixed_modulus import FixedModulus
from ..kinds.multiplier import Multiplier, factors
from . import model
from .multiplier_component import WideMultiplier
from .primes import DIGITS, PRIMES
from .ranges import BASE
from .result import WideResult

__all__ = ["Parameters", "WideMultiplier"]

_WIDTH = DIGITS * BASE


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(FixedModulus, Multiplier):
    """Parameters of :class:`WideMultiplier`.

    The modulus belongs to the hardware: it is not sent, and operations with another one are
    refused. Results are the residue next to zero, or almost, plus the prime.

    Parameters
    ----------
    width : :class:`int`
        Bits of the prime: 256.
    modulus : :class:`str`
        Name of the prime.
    digits_per_clock : :class:`int`
        Digits of 16 bits that are multiplied in a clock, by 16 blocks each.
    """

    _about = About(
        source="Montgomery: Modular multiplication without trial division, for a prime whose "
               "columns of digits are quotient digits",
        summary="pipelined, on 32 or 64 multiplier blocks, for a prime that is fixed when it is "
                "built",
        uses_blocks=True,
        quick_width=_WIDTH)

    width: int = parameter(help="bits of the prime", minimum=_WIDTH, maximum=_WIDTH)
    modulus: str = parameter("P-256", "name of the prime", choices=tuple(PRIMES))
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))

    @property
    def pace(self):
        """The :class:`~.model.Pace` of the datapath."""
        return model.Pace(self.digits_per_clock)

    @property
    def prime(self):
        """The :class:`~.primes.Prime`."""
        return PRIMES[self.modulus]

    @property
    def only_modulus(self):
        return self.prime.value

    @property
    def r(self):
        return 1 << _WIDTH

    def bound(self, modulus):
        """Operands and results are below twice the modulus: signed digits of a result are so small
        that they stand for less than 0.506 R, which is added to the modulus.
        """
        return 2 * modulus

    @property
    def result_words(self):
        return ceil_div(_WIDTH + 1, self.word_width)

    @property
    def initiation(self):
        """Clocks from one product to the next."""
        # From the start of an operation until the register that sends its result is free.
        held = WideMultiplier.latency(self) - 2 + self.result_words
        return max(self.result_words, self.pace.interval, ceil_div(held, WideResult.PLACES))

    @property
    def _traits(self):
        # A signed number has a bit more than an unsigned one.
        bits = model.DIGIT_BITS - 1
        return Traits(initiation=self.initiation,
                      products=(Products(self.digits_per_clock * DIGITS, bits, bits),))

    @property
    def operands(self):
        message = factors(self, side_by_side=True)
        # without the modulus
        return dataclasses.replace(message, fields=message.fields[:2])

    @property
    def cycles(self):
        words, compute = self.result_words, WideMultiplier.latency(self)
        return Cycles(load=words, compute=compute, unload=words,
                      interval=2 * words + compute - 1)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        return modulus + model.value(model.columns(model.to_digits(x), model.to_digits(y),
                                                   self.prime, self.digits_per_clock))

    def create(self):
        return WideMultiplier(self)
