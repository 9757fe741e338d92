"""Scalar multiplication on a wide pipelined multiplier, for a curve that is fixed when it is built.
"""

import dataclasses

from ..blocks.skid import Skid
from ..core import About, Cycles, Products, ceil_div, parameter, results_of
from ..kinds.scalar_multiplication import ScalarMultiplier
from ..points.microcode import FETCH
from . import koblitz, model, point_program
from .core import WideCore
from .paired_intake import PairedIntake
from .paired_points import PairedPointEngine
from .point_engine import WidePointEngine
from .primes import PRIMES, WIDTHS, check_prime
from .ranges import BASE
from .scalar_digits import ScalarDigits, signed_digits
from .slots import check_pair

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
    in_flight : :class:`int`
        Points that are multiplied at the same time: 1, or 2 on P-256 with four digits a clock. Two
        of them take turns at the multiplier, which seldom waits then; each takes longer. With two
        digits a clock, a second point takes a quarter more LUTs for a tenth more results.
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
    in_flight: int = parameter(1, "points that are multiplied at the same time", choices=(1, 2))

    #: What makes the program.
    _build = staticmethod(point_program.build)

    def _check_parameters(self):
        check_prime(self.prime, self.width, self.digits_per_clock)
        if self.in_flight > 1 and self.curve != "P-256":
            raise ValueError(f"in_flight must be 1 for {self.curve}; two points are multiplied at "
                             "the same time on P-256 alone")
        check_pair(self)

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
        b, one = self.domain.b * self.r % p, self.r % p
        found = {"one": one, "b": b, "b3": 3 * b % p, "square": self.r**2 % p, "unit": 1}
        return found | ({"one_1": one} if self.in_flight > 1 else {})

    @property
    def _traits(self):
        bits = model.DIGIT_BITS - 1
        return dataclasses.replace(
            super()._traits, initiation=self.cycles.interval - self._before,
            products=koblitz.blocks(self.digits_per_clock) if self._is_koblitz else (
                Products(self.digits_per_clock * self.prime.digits, bits, bits),))

    @property
    def _program(self):
        return self._program_of(self.in_flight)

    def _program_of(self, slots):
        """Return the program for so many operations at a time."""
        if self._is_koblitz:
            return koblitz.program(self.digits_per_clock)
        pace = model.Pace(self.prime, self.digits_per_clock)
        more = {"slots": slots} if slots > 1 else {}
        return self._build(self.prime, pace.interval, pace.latency,
                           quick=self.digits_per_clock > 2, **more)

    @property
    def _sends(self):
        """Clocks from a segment that sends a coordinate to what follows it, when all has been seen
        to be sent.
        """
        program = self._program
        clocks, sent = program.microcode.clocks, 4 * self.prime.digits + 3 + program.timing.fetch
        waits = ceil_div(sent - clocks["send x"], clocks["wait"]) + 1
        return clocks["send x"] + waits * clocks["wait"]

    @property
    def _before(self):
        """Clocks of the turn before, where there is one: nothing was sent, and no word came after
        it.
        """
        return (self.in_flight - 1) * (self._program.turn + PairedIntake.ALONE)

    @property
    def cycles(self):
        program, digits = self._program, self.prime.digits
        # From the segment that sends a coordinate to its first word.
        first = program.timing.zero + 1 + Skid.LATENCY
        # What follows one that is sent begins when its own words have come.
        whole = self._before + program.clocks
        return Cycles(load=self.i_words, compute=whole + 3 + FETCH + first,
                      unload=self._sends + 2 * digits - 1,
                      interval=whole + 2 * self._sends + self.i_words + 4)

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
        program = self._program_of(1)
        constants = {name: number for name, number in self.constants.items()
                     if name in program.places}
        zeros, (x, y) = program.run(constants | inputs, digits,
                                    lambda a, b: a * b * inverse % p, p)
        return results_of(self).largest if any(zeros) else x | y << self.width

    def create(self):
        if self._is_koblitz:
            return koblitz.engine(self)
        core = WideCore(self.prime, self.digits_per_clock)
        if self.in_flight > 1:
            return PairedPointEngine(self, core, self._program)
        return WidePointEngine(self, core, self._program, self._digits())

    def _digits(self):
        """Return what makes digits of the scalar."""
        return ScalarDigits(self.prime.digits)
