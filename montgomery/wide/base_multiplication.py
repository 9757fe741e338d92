"""Multiples of the base point on a wide pipelined multiplier, from tables in block RAM."""

import dataclasses
import functools
from typing import ClassVar

from ..core import About, parameter
from ..kinds.base_multiplication import BaseMultiplier
from . import base_program, edwards, scalar_multiplication
from .base_program import HALVES, SUMS, sum_name
from .curve25519 import PRIME
from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import TEETH, CombDigits, comb_digits

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(scalar_multiplication.Parameters, BaseMultiplier):
    """Parameters of :class:`~.point_engine.WidePointEngine` with tables of a comb.

    Digits of the scalar have a bit of each word of 16 bits: eight of the upper words, eight of the
    lower ones. For each half the table has the 128 sums of multiples of the base point by powers of
    2**16, with a sign for each but the highest. So a doubling and two additions, of affine points
    of the tables, go with each of 16 places.

    Parameters
    ----------
    curve : :class:`str`
        P-256, or Ed25519 with extended coordinates, of which the scalar has 256 bits too.
    width, word_width, digits_per_clock
        See :class:`montgomery.wide.scalar_multiplication.Parameters`.
    """

    _about = About(
        source="Lim, Lee: More flexible exponentiation with precomputation, with signs for digits; "
               "Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 5 and 6; Hisil, Wong, Carter, Dawson: Twisted Edwards curves "
               "revisited; Bernstein, Yang: Fast constant-time gcd computation and modular "
               "inversion",
        summary="a comb of two tables of 128 points, complete formulas, on the multiplier wide",
        uses_blocks=True,
        quick_width=DIGITS * BASE)

    width: int = parameter(help="bits of a coordinate", minimum=DIGITS * BASE,
                           maximum=DIGITS * BASE)
    curve: str = parameter("P-256", "name of the elliptic curve", choices=("P-256", edwards.CURVE))

    in_flight: ClassVar[int] = 1

    _build = staticmethod(base_program.build)

    @property
    def _is_edwards(self):
        return self.curve == edwards.CURVE

    def _check_parameters(self):
        if not self._is_edwards:
            super()._check_parameters()

    @property
    def prime(self):
        """The prime of the curve."""
        return PRIME if self._is_edwards else super().prime

    @property
    def r(self):
        """What products are divided by."""
        return 1 if self._is_edwards else super().r

    @functools.cached_property
    def constants(self):
        """Numbers by the names of their places in the memory."""
        curve, r = self.domain, self.r
        if self._is_edwards:
            found = edwards.constants(curve)
        else:
            found = {name: super(Parameters, self).constants[name]
                     for name in ("b", "b3", "one", "unit", "square")}
        # A bit stands for 1 or -1, half of which is added at first.
        half = curve.multiply((curve.n + 1) // 2, curve.base)
        points = {"start": curve.multiply(((1 << DIGITS * BASE) - 1) * pow(1 << BASE, -1, curve.n),
                                          half)}
        for at, name in enumerate(reversed(HALVES)):
            teeth = [1 << BASE * (at * TEETH + tooth) for tooth in range(TEETH)]
            points |= {sum_name(name, magnitude): curve.multiply(
                sum(tooth if magnitude >> place & 1 or place == TEETH - 1 else -tooth
                    for place, tooth in enumerate(teeth)), half) for magnitude in range(SUMS)}
        return found | {f"{name}_{part}": number * r % curve.p for name, point in points.items()
                        for part, number in zip("xy", point, strict=True)}

    def _program_of(self, slots):
        if self._is_edwards:
            return edwards.program(self.digits_per_clock)
        return super()._program_of(slots)

    @property
    def cycles(self):
        return edwards.cycles(self) if self._is_edwards else super().cycles

    def compute(self, scalar):
        self._check_operands(scalar)
        digits = comb_digits(scalar)
        return self._computed({}, [*digits, digits[0]])  # loaded at last, and not added

    def create(self):
        return edwards.engine(self) if self._is_edwards else super().create()

    def _digits(self):
        return CombDigits()
