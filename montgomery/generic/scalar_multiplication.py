"""Scalar multiplication around any multiplier, for a curve that is fixed when it is built."""

import dataclasses

from ..core import About, parameter
from ..curves import CURVES, curve_of
from ..kinds.scalar_multiplication import ScalarMultiplier
from ..points.weierstrass import formulas
from .around import AroundMultiplier
from .point_code import PointCode
from .point_engine import PointEngine
from .point_layout import table_number

__all__ = ["Parameters", "PointEngine"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(AroundMultiplier, ScalarMultiplier):
    """Parameters of :class:`PointEngine`; see :class:`~.around.AroundMultiplier`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: those of the curve.
    curve : :class:`str`
        A key of :data:`montgomery.curves.CURVES`; empty for the first one of the width.
    """

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 1, 3, 4, 6, 7 and 9; Bernstein: dbl-2001-b",
        summary="complete formulas and signed windows of four bits around any multiplier whose "
                "results may be its operands",
        uses_blocks=True,
        wraps=True,
        quick_width=16)

    curve: str = parameter("", "name of the elliptic curve; empty for the first one of the width",
                           choices=("", *CURVES))

    _curves = CURVES
    _curve_of = staticmethod(curve_of)
    _code = PointCode

    @property
    def _coefficients(self):
        found = {"a": self.domain.a, "b": self.domain.b, "b3": 3 * self.domain.b}
        return {name: found[name] for name in found if name in formulas(self.domain).constants}

    @property
    def constants(self):
        # And the point at infinity, (0 : 1 : 0).
        return super().constants | {table_number(1, 0): self.inner.r % self.domain.p}

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        x, y = self._sent(scalar, x, y)
        return x | y << self.word_width * self.field_words
