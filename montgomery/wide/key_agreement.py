"""X25519 and X448 on a wide pipelined multiplier."""

import dataclasses
import functools
from typing import ClassVar

from ..core import About, parameter
from ..kinds.key_agreement import KeyAgreement
from .curve_core import Recipe, WideCurve
from .datapath.primes import FOLDED, LADDERS, FoldedPrime, Prime
from .engines.paired_engine import LadderEngine
from .programs import ladder_program
from .units.held import HeldNumber, ReducedNumber
from .units.scalar_digits import LadderBits, ladder_bits

__all__ = ["LadderEngine", "Parameters"]


def _constants(params):
    return {"one": 1, "k4": (params.domain.a - 2) * params.short_divisor}


def _scaled_constants(params):
    p, r = params.domain.p, params.r
    return {"one": r % p, "k4": (params.domain.a - 2) * r % p, "square": r**2 % p, "unit": 1}


def _digits(params):
    return LadderBits(params.domain, params.in_flight)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(WideCurve, KeyAgreement):
    """Parameters of :class:`LadderEngine`; others are those of :class:`~.curve_core.WideCurve`.

    X448 has one operation at a time.
    """

    _about = About(
        source="RFC 7748: Elliptic curves for security, section 5; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion",
        summary="X25519 and X448 by Montgomery's ladder",
        uses_blocks=True,
        quick_width=FOLDED.width)

    width: int = parameter(help="bits of a coordinate", minimum=FOLDED.width,
                           maximum=max(prime.width for prime in LADDERS.values()))
    curve: str = parameter(FOLDED.name, "name of the elliptic curve", choices=tuple(LADDERS))

    _recipes: ClassVar = {
        FoldedPrime: Recipe(ladder_program.build, _constants, LadderEngine, _digits,
                            held=ReducedNumber),
        Prime: Recipe(ladder_program.build, _scaled_constants, LadderEngine, _digits,
                      held=functools.partial(HeldNumber, finds_zero=True))}

    _primes, _pair = LADDERS, (FOLDED.name, "two operations are done")

    def compute(self, scalar, u):
        self._check_operands(scalar, u)
        domain = self.domain
        _, (found,) = self._computed(
            {"in_x": domain.coordinate(u)},
            [(bit, False) for bit in ladder_bits(domain.clamped(scalar), self.width)])
        return found
