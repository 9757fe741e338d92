"""Scalar multiplication on a wide pipelined multiplier, for a curve that is fixed when it is built.
"""

import dataclasses

from ..blocks.skid import Skid
from ..core import About, Cycles, Products, ceil_div, parameter
from ..kinds.scalar_multiplication import ScalarMultiplier
from ..points.microcode import FETCH
from . import koblitz, model, point_program
from .core import WideCore
from .held import HeldNumber
from .point_engine import WidePointEngine
from .primes import PRIMES, WIDTHS, check_prime
from .ranges import BASE
from .scalar_digits import ScalarDigits, signed_digits

__all__ = ["Parameters", "WidePointEngine"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(ScalarMultiplier):
    """Parameters of :class:`WidePointEngine`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: 256 or 384.
    word_width : :class:`int`
        Bits per word of the streams: 16.
    curve : :class:`str`
        Name of the elliptic curve, which has this width. Scalars for secp256k1 are divided in two
        halves.
    digits_per_clock : :class:`int`
        Digits of 16 bits that are multiplied in a clock, by 16 blocks each, or 24 of 384 bits. For
        P-384 there may be no more than two.
    """

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 4 and 6; Bernstein: dbl-2001-b; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion",
        summary="complete formulas and signed windows of five bits, on the multiplier wide",
        uses_blocks=True,
        quick_width=WIDTHS[0])

    width: int = parameter(help="bits of a coordinate", minimum=WIDTHS[0],
                           maximum=WIDTHS[-1])
    word_width: int = parameter(BASE, "bits per word of the streams", minimum=BASE, maximum=BASE)
    curve: str = parameter("P-256", "name of the elliptic curve",
                           choices=(*PRIMES, koblitz.PRIME.name))
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))

    #: What makes the program.
    _build = staticmethod(point_program.build)

    def _check_parameters(self):
        check_prime(self.prime, self.width, self.digits_per_clock)

    @property
    def _is_koblitz(self):
        return self.curve == koblitz.PRIME.name

    @property
    def prime(self):
        """The :class:`~.primes.Prime`, or that of secp256k1."""
        return koblitz.PRIME if self._is_koblitz else PRIMES[self.curve]

    @property
    def r(self):
        """What products are divided by."""
        return 1 if self._is_koblitz else 1 << self.width

    @property
    def _difference_scale(self):
        return self.r

    @property
    def constants(self):
        """Numbers by the names of their places in the memory."""
        if self._is_koblitz:
            return koblitz.constants(self.domain, self.digits_per_clock)
        p = self.domain.p
        b = self.domain.b * self.r % p
        return {"one": self.r % p, "b": b, "b3": 3 * b % p, "square": self.r**2 % p, "unit": 1}

    @property
    def _traits(self):
        bits = model.DIGIT_BITS - 1
        return dataclasses.replace(
            super()._traits, initiation=self.cycles.interval,
            products=koblitz.blocks(self.digits_per_clock) if self._is_koblitz else (
                Products(self.digits_per_clock * self.prime.digits, bits, bits),))

    @property
    def _program(self):
        if self._is_koblitz:
            return koblitz.program(self.digits_per_clock)
        pace = model.Pace(self.prime, self.digits_per_clock)
        return self._build(self.prime, pace.interval, pace.latency,
                           quick=self.digits_per_clock > 2)

    @property
    def cycles(self):
        program, digits = self._program, self.prime.digits
        clocks = program.microcode.clocks
        # From the segment that sends a coordinate: to its first word, and to what follows it, when
        # all has been seen to be sent.
        first = 1 + HeldNumber.compared(digits) + 1 + Skid.LATENCY
        sent = 4 * digits + 3
        waits = ceil_div(sent - clocks["send x"], clocks["wait"]) + 1
        whole = clocks["send x"] + waits * clocks["wait"]
        compute = 3 + FETCH + program.clocks + first
        # Words are taken before there would be another segment.
        return Cycles(load=self.i_words, compute=compute, unload=whole + 2 * digits - 1,
                      interval=2 * whole - (FETCH - 2) - first + self.i_words - 1 + compute)

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        inputs = {"in_x": x, "in_y": y}
        if self._is_koblitz:
            return self._computed(inputs | {"b3": 3 * self.domain.b}, koblitz.half_digits(scalar))
        digits = [(abs(digit), digit < 0) for digit in signed_digits(scalar, self.width)]
        return self._computed(inputs, digits)

    def _computed(self, inputs, digits):
        """Return the result for numbers in the memory, and digits of the scalar."""
        p = self.domain.p
        inverse = pow(self.r, -1, p)
        zeros, (x, y) = self._program.run(self.constants | inputs, digits,
                                          lambda a, b: a * b * inverse % p, p)
        if any(zeros):
            raise AssertionError("A product of a point must be a point")
        return x | y << self.width

    def create(self):
        if self._is_koblitz:
            return koblitz.engine(self)
        return WidePointEngine(self, WideCore(self.prime, self.digits_per_clock),
                               self._program, self._digits())

    def _digits(self):
        """Return what makes digits of the scalar."""
        return ScalarDigits(self.prime.digits)
