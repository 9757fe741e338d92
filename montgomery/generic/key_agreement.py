"""Key agreement around any multiplier, for a curve that is fixed when it is built."""

import dataclasses

from ..core import About, parameter
from ..kinds.key_agreement import KeyAgreement
from ..montgomery_curves import MONTGOMERY_CURVES, curve_of
from .around import AroundMultiplier
from .ladder_code import LadderCode
from .point_engine import PointEngine

__all__ = ["Parameters", "PointEngine"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(AroundMultiplier, KeyAgreement):
    """Parameters of :class:`PointEngine`; see :class:`~.around.AroundMultiplier`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: those of the curve.
    curve : :class:`str`
        A key of :data:`montgomery.montgomery_curves.MONTGOMERY_CURVES`; empty for the one of the
        width.
    """

    _about = About(
        source="RFC 7748: Elliptic curves for security, section 5",
        summary="X25519 and X448 by Montgomery's ladder around any multiplier whose results may "
                "be its operands",
        uses_blocks=True,
        wraps=True,
        quick_width=15)

    curve: str = parameter("", "name of the elliptic curve; empty for the one of the width",
                           choices=("", *MONTGOMERY_CURVES))

    _curves = MONTGOMERY_CURVES
    _curve_of = staticmethod(curve_of)
    _code = LadderCode

    @property
    def _coefficients(self):
        return {"k4": self.domain.a - 2}

    @property
    def constants(self):
        return super().constants | {self.code.NUMBERS["above"]: 1 << self.width}

    def compute(self, scalar, u):
        self._check_operands(scalar, u)
        found, = self._sent(scalar, u)
        return found
