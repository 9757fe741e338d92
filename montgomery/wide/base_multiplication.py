"""Multiples of the base point on a wide pipelined multiplier, from tables in block RAM."""

import dataclasses
import functools
from typing import ClassVar

from ..core import About, parameter
from ..kinds.base_multiplication import BaseMultiplier
from . import scalar_multiplication
from .curve_core import Recipe
from .datapath.primes import (
    DIGITS,
    KOBLITZ,
    PRIMES,
    FoldedPrime,
    KoblitzPrime,
    Prime,
    check_prime,
)
from .datapath.ranges import BASE
from .engines.point_engine import WidePointEngine
from .programs import comb_program
from .programs.affine import coordinates
from .programs.comb_program import SUMS, parts, sum_name
from .scalar_multiplication import folded_constants, scaled_constants
from .units.held import ReducedNumber
from .units.scalar_digits import TEETH, CombDigits, comb_digits

__all__ = ["Parameters"]


def _edwards_constants(params):
    curve = params.domain
    return {"one": 1, "b": curve.d, "b3": 2 * curve.d % curve.p}


def _digits(params):
    return CombDigits(params.prime.digits)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(scalar_multiplication.Parameters, BaseMultiplier):
    """Parameters of :class:`~.point_engine.WidePointEngine` with tables of a comb.

    Digits of the scalar have a bit of each of eight words of 16 bits, and scalars two parts of
    eight words, or three. For each part the table has the 128 sums of multiples of the base point
    by powers of 2**16, with a sign for each but the highest. So a doubling and an addition for each
    part, of affine points of the tables, go with each of 16 places.

    On Ed25519 coordinates are extended, and a scalar has 256 bits too.
    """

    _about = About(
        source="Lim, Lee: More flexible exponentiation with precomputation, with signs for digits; "
               "Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 5 and 6; Hisil, Wong, Carter, Dawson: Twisted Edwards curves "
               "revisited; Bernstein, Yang: Fast constant-time gcd computation and modular "
               "inversion",
        summary="a comb of tables of 128 points, complete formulas, on the multiplier wide",
        uses_blocks=True,
        quick_width=DIGITS * BASE)

    curve: str = parameter("P-256", "name of the elliptic curve",
                           choices=(*PRIMES, KOBLITZ.name, "Ed25519"))

    in_flight: ClassVar[int] = 1

    _recipes: ClassVar = {
        Prime: Recipe(comb_program.build, scaled_constants, WidePointEngine, _digits),
        KoblitzPrime: Recipe(comb_program.build_folded, folded_constants, WidePointEngine, _digits),
        FoldedPrime: Recipe(comb_program.build_edwards, _edwards_constants, WidePointEngine,
                            _digits, held=functools.partial(ReducedNumber, compares=True))}

    def _check_parameters(self):
        if not isinstance(self.prime, FoldedPrime):
            check_prime(self.prime, self.width, self.digits_per_clock)
        elif self.width != DIGITS * BASE:
            raise ValueError(f"Width must be {DIGITS * BASE} for {self.curve}, not {self.width}")

    @functools.cached_property
    def constants(self):
        curve, points = self.domain, {}
        # A bit stands for 1 or -1, half of which is added at first.
        half = curve.multiply((curve.n + 1) // 2, curve.base)
        points["start"] = curve.multiply(
            ((1 << self.width) - 1) * pow(1 << BASE, -1, curve.n), half)
        for at, name in enumerate(reversed(parts(self.prime.digits))):
            teeth = [1 << BASE * (at * TEETH + tooth) for tooth in range(TEETH)]
            points |= {sum_name(name, magnitude): curve.multiply(
                sum(tooth if magnitude >> place & 1 or place == TEETH - 1 else -tooth
                    for place, tooth in enumerate(teeth)), half) for magnitude in range(SUMS)}
        return super().constants | coordinates(points, curve.p, self.r)

    def compute(self, scalar):
        self._check_operands(scalar)
        digits = comb_digits(scalar, self.prime.digits)
        return self._point({}, [*digits, digits[0]])  # loaded at last, and not added
