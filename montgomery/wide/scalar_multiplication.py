"""Scalar multiplication on a wide pipelined multiplier, for a curve that is fixed when it is built.
"""

import dataclasses
from typing import ClassVar

from ..core import About, Products, parameter, results_of
from ..kinds.scalar_multiplication import ScalarMultiplier
from .curve_core import Recipe, WideCurve
from .datapath.primes import KOBLITZ, PRIMES, WIDTHS, KoblitzPrime, Prime
from .datapath.ranges import BASE
from .engines.paired_engine import KoblitzEngine, PairedPointEngine
from .engines.point_engine import WidePointEngine
from .programs import halves_program, point_program
from .units.scalar_digits import PairedDigits, ScalarDigits, signed_digits
from .units.scalar_halves import BETA, ScalarHalves, half_digits

__all__ = ["Parameters", "WidePointEngine", "folded_constants", "scaled_constants"]


def scaled_constants(params):
    """Return numbers by the names of their places in the memory, for products divided by R."""
    p, r = params.domain.p, params.r
    b, one = params.domain.b * r % p, r % p
    found = {"one": one, "b": b, "b3": 3 * b % p, "square": r**2 % p, "unit": 1}
    return found | ({"one_1": one} if params.in_flight > 1 else {})


def _digits(params):
    count = params.prime.digits
    return PairedDigits(count) if params.in_flight > 1 else ScalarDigits(count)


def folded_constants(params):
    """Return numbers by the names of their places in the memory, for products that are folded."""
    b = params.domain.b
    return {"one": 1, "b": b, "b3": 3 * b * params.short_divisor}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(WideCurve, ScalarMultiplier):
    """Parameters of :class:`WidePointEngine`; others are those of :class:`~.curve_core.WideCurve`.

    Scalars for secp256k1 are divided in two halves. Two points may be in flight on P-256 with four
    digits a clock; with two digits, a second point takes a quarter more LUTs for a tenth more
    results.
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
    curve: str = parameter("P-256", "name of the elliptic curve", choices=(*PRIMES, KOBLITZ.name))

    _recipes: ClassVar = {
        Prime: Recipe(point_program.build, scaled_constants, PairedPointEngine, _digits),
        KoblitzPrime: Recipe(halves_program.build,
                             lambda params: folded_constants(params) | {"beta": BETA},
                             KoblitzEngine,
                             lambda params: ScalarHalves(), (Products(1, BASE, BASE),))}

    @property
    def _difference_scale(self):
        return self.r

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        inputs = {"in_x": x, "in_y": y}
        if isinstance(self.prime, KoblitzPrime):
            return self._point(inputs, half_digits(scalar))
        digits = [(abs(digit), digit < 0) for digit in signed_digits(scalar, self.width)]
        return self._point(inputs, digits)

    def _point(self, inputs, digits):
        """Return the result for numbers in the memory, and digits of the scalar."""
        zeros, (x, y) = self._computed(inputs, digits)
        return results_of(self).largest if any(zeros) else x | y << self.width
