"""Multiples of points of an elliptic curve, for key agreement and signatures."""

import abc
import dataclasses
from typing import ClassVar

from ..arithmetic import check_integer, shown
from ..core import Field, Kind, Message, plural
from ..numbers.catalogue import WEIERSTRASS
from ._curve_core import CurveCore, curve_among, width_of

__all__ = ["KIND", "ScalarMultiplier"]

KIND = Kind(
    name="scalar_multiplication", prefix="scalar_multiplication", group="scalar_multiplication",
    noun="core for scalar multiplication", nouns="cores for scalar multiplication",
    operation="scalar multiplication", formula="scalar * (x, y)",
    inputs={"scalar": "Number by which a point is multiplied.",
            "x": "First coordinate of the point.", "y": "Second coordinate of the point."})


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScalarMultiplier(CurveCore):
    """What a core for scalar multiplication is made with; see :class:`montgomery.CoreParameters`.

    An operation multiplies a point of the curve by a scalar from 0 to ``2**width - 1``. Coordinates
    are below the prime of the curve. A result is ``x + (y << word_width * field_words)``, where x
    and y are those of the product, or 0 for the point at infinity.

    Every core checks that its operands are a point, and has :attr:`.Traits.checks`. If they are
    not, all bits of the result are 1. Each operation takes the same clocks, whatever the scalar and
    the point, and whether it is refused or not.
    """

    _kind, _curves = KIND, WEIERSTRASS
    _refusal = ("Operands x and y must be a point of {}, but were not, and the core gave nothing; "
                "send both coordinates of one point")
    _inputs: ClassVar = {"scalar": "the scalar",
                         "x": "the first coordinate of the point, below p",
                         "y": "the second coordinate of the point, below p"}

    width: int = width_of(WEIERSTRASS)
    curve: str = curve_among(WEIERSTRASS)

    @property
    def result_words(self) -> int:
        return 2 * self.field_words

    @property
    def _results(self) -> Message:
        return Message(self.word_width, (
            Field("result", self.result_words, "the first coordinate of the product in the first "
                  f"{plural(self.field_words, 'word')}, the second one in the others"),))

    @property
    def _difference_scale(self) -> int:
        """What a core multiplies y² - x³ - a x - b by, before that must be 0."""
        return 1

    @abc.abstractmethod
    def compute(self, scalar: int, x: int, y: int) -> int:
        """Return the result for a scalar and a point, by the steps of the hardware."""

    def _check_operands(self, scalar, x, y):
        self._check_fits(f"reduce it modulo the order of {self.domain.name}", scalar=scalar)
        for name, value in (("x", x), ("y", y)):
            check_integer(f"Operand {name}", value)
            if not 0 <= value < self.domain.p:
                raise ValueError(f"Operand {name} must be from 0 to p - 1, where p is the prime of "
                                 f"{self.domain.name}, not {shown(value)}; give the coordinate of "
                                 "a point")
        if not self.domain.contains(x, y):
            raise ValueError(f"Operands x and y must be a point of {self.domain.name}, but are not "
                             "on the curve; give both coordinates of one point")
