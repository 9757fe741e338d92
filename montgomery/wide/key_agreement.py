"""X25519 on a wide pipelined multiplier."""

import dataclasses

from ..blocks.skid import Skid
from ..core import About, Cycles, Products, ceil_div, parameter
from ..kinds.key_agreement import KeyAgreement
from ..points.microcode import FETCH
from . import ladder_program
from .curve25519 import PRIME
from .folding_core import FoldingCore
from .folding_model import FoldingPace
from .ladder_bits import ladder_bits
from .ladder_engine import LadderEngine
from .model import DIGIT_BITS
from .paired_intake import PairedIntake
from .primes import DIGITS
from .ranges import BASE
from .reduced import ReducedNumber

__all__ = ["LadderEngine", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(KeyAgreement):
    """Parameters of :class:`LadderEngine`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: 255.
    curve : :class:`str`
        Curve25519.
    word_width : :class:`int`
        Bits per word of the streams: 16.
    digits_per_clock : :class:`int`
        Digits of 16 bits that are multiplied in a clock, by 16 blocks each.
    in_flight : :class:`int`
        Secrets that are computed at the same time, 1 or 2. Two of them take turns at the
        multiplier, which seldom waits then; each takes longer.
    """

    _about = About(
        source="RFC 7748: Elliptic curves for security, section 5; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion",
        summary="X25519 by Montgomery's ladder, on 32 or 64 multiplier blocks",
        uses_blocks=True,
        quick_width=PRIME.bits)

    width: int = parameter(help="bits of a coordinate", minimum=PRIME.bits, maximum=PRIME.bits)
    curve: str = parameter(PRIME.name, "name of the elliptic curve", choices=(PRIME.name,))
    word_width: int = parameter(BASE, "bits per word of the streams", minimum=BASE, maximum=BASE)
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))
    in_flight: int = parameter(1, "secrets that are computed at the same time", choices=(1, 2))

    @property
    def constants(self):
        """Numbers by the names of their places in the memory."""
        # The factor of short products is in the highest digits.
        return {"one": 1, "k4": self.domain.a - 2 << BASE * (DIGITS - self.digits_per_clock)}

    @property
    def _traits(self):
        bits = DIGIT_BITS - 1
        return dataclasses.replace(super()._traits, initiation=self._turn + self.i_words + 4,
                                   products=(Products(self.digits_per_clock * DIGITS, bits, bits),))

    def _program(self, slots):
        return ladder_program.build(PRIME, FoldingPace(self.digits_per_clock), slots)

    @property
    def _turn(self):
        """Clocks of the program, if what it sends is taken at once."""
        program = self._program(self.in_flight)
        wait = program.microcode.clocks["wait"]
        # The first wait comes after so many clocks, and the last one when all is seen to be sent.
        before = program.turn - program.clocks - wait
        return program.turn + max(ceil_div(ReducedNumber.SENT - before, wait), 0) * wait

    @property
    def cycles(self):
        program = self._program(self.in_flight)
        # In the turn before nothing was sent, and no word came after it.
        before = (self.in_flight - 1) * (program.turn + PairedIntake.ALONE)
        # From the segment that sends to the first word.
        first = 1 + ReducedNumber.REDUCED + Skid.LATENCY
        return Cycles(load=self.i_words, compute=before + 3 + FETCH + program.clocks + first,
                      unload=2 * DIGITS - 1, interval=before + self._turn + self.i_words + 4)

    def compute(self, scalar, u):
        self._check_operands(scalar, u)
        domain, p = self.domain, self.domain.p
        _, (found,) = self._program(1).run(
            self.constants | {"in_x": domain.coordinate(u), "k4": domain.a - 2},
            [(bit, False) for bit in ladder_bits(domain.clamped(scalar), PRIME.bits)],
            lambda a, b: a * b % p, p)
        return found

    def create(self):
        core = FoldingCore(PRIME, self.digits_per_clock)
        return LadderEngine(self, core, self._program(self.in_flight), self.in_flight)
