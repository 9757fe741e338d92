"""X25519 on a wide pipelined multiplier."""

import dataclasses
from typing import ClassVar

from ..core import About, parameter
from ..kinds.key_agreement import KeyAgreement
from .curve_core import Recipe, WideCurve
from .datapath.primes import FOLDED, FoldedPrime
from .engines.paired_engine import LadderEngine
from .programs import ladder_program
from .units.ladder_bits import LadderBits, ladder_bits

__all__ = ["LadderEngine", "Parameters"]


def _constants(params):
    return {"one": 1, "k4": (params.domain.a - 2) * params.short_divisor}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(WideCurve, KeyAgreement):
    """Parameters of :class:`LadderEngine`, for Curve25519; see :class:`~.curve_core.WideCurve`."""

    _about = About(
        source="RFC 7748: Elliptic curves for security, section 5; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion",
        summary="X25519 by Montgomery's ladder, on 32 or 64 multiplier blocks",
        uses_blocks=True,
        quick_width=FOLDED.width)

    width: int = parameter(help="bits of a coordinate", minimum=FOLDED.width, maximum=FOLDED.width)
    curve: str = parameter(FOLDED.name, "name of the elliptic curve", choices=(FOLDED.name,))

    _recipes: ClassVar = {FoldedPrime: Recipe(
        ladder_program.build, _constants, LadderEngine,
        lambda params: LadderBits(params.in_flight))}

    def compute(self, scalar, u):
        self._check_operands(scalar, u)
        domain = self.domain
        _, (found,) = self._computed(
            {"in_x": domain.coordinate(u)},
            [(bit, False) for bit in ladder_bits(domain.clamped(scalar), FOLDED.width)])
        return found
