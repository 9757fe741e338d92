"""A wide pipelined multiplier for a prime that is fixed when it is built."""

import dataclasses

from ..core import About, Cycles, Products, Traits, ceil_div, parameter
from ..core.fixed_modulus import FixedModulus
from ..kinds.multiplier import Multiplier, factors
from . import model
from .multiplier_component import WideMultiplier
from .primes import PRIMES, WIDTHS, check_prime
from .result import WideResult

__all__ = ["Parameters", "WideMultiplier"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(FixedModulus, Multiplier):
    """Parameters of :class:`WideMultiplier`.

    The modulus belongs to the hardware: it is not sent, and operations with another one are
    refused. Results are the residue next to zero, or almost, plus the prime.

    Parameters
    ----------
    width : :class:`int`
        Bits of the prime: 256 or 384.
    modulus : :class:`str`
        Name of the prime, which has this width.
    digits_per_clock : :class:`int`
        Digits of 16 bits that are multiplied in a clock, by 16 blocks each, or 24 of 384 bits, for
        which there may be no more than two.
    """

    _about = About(
        source="Montgomery: Modular multiplication without trial division, for a prime whose "
               "columns of digits are quotient digits",
        summary="pipelined, on 32 to 64 multiplier blocks, for a prime that is fixed when it is "
                "built",
        uses_blocks=True,
        quick_width=WIDTHS[0])

    width: int = parameter(help="bits of the prime", minimum=WIDTHS[0], maximum=WIDTHS[-1])
    modulus: str = parameter("P-256", "name of the prime", choices=tuple(PRIMES))
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))

    def _check_parameters(self):
        check_prime(PRIMES[self.modulus], self.width, self.digits_per_clock)

    @property
    def pace(self):
        """The :class:`~.model.Pace` of the datapath."""
        return model.Pace(self.prime, self.digits_per_clock)

    @property
    def prime(self):
        """The :class:`~.primes.Prime`."""
        return PRIMES[self.modulus]

    @property
    def only_modulus(self):
        return self.prime.value

    @property
    def r(self):
        return 1 << self.width

    def bound(self, modulus):
        """Operands and results are below twice the modulus: signed digits of a result are so small
        that they stand for less than 0.633 R, which is added to the modulus.
        """
        return 2 * modulus

    @property
    def result_words(self):
        return ceil_div(self.width + 1, self.word_width)

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
                      products=(Products(self.digits_per_clock * self.prime.digits, bits, bits),))

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
        x, y = (model.to_digits(number, self.prime.digits) for number in (x, y))
        return modulus + model.value(model.columns(x, y, self.prime, self.digits_per_clock))

    def create(self):
        return WideMultiplier(self)
