"""Multiples of the base point of an elliptic curve, for public keys and signatures."""

import abc
import dataclasses
from collections.abc import Sequence

from ..core import Field, Kind, Message, parameter
from ..curves import CURVES
from ..edwards_curves import EDWARDS_CURVES
from .scalar_multiplication import ScalarMultiplier

__all__ = ["KIND", "BaseMultiplier"]

KIND = Kind(
    name="base_multiplication", prefix="base_multiplication", group="base_multiplication",
    noun="core for multiples of the base point", nouns="cores for multiples of the base point",
    operation="base point multiplication", formula="scalar * G",
    inputs={"scalar": "Number by which the base point is multiplied."})


@dataclasses.dataclass(frozen=True, kw_only=True)
class BaseMultiplier(ScalarMultiplier):
    """What a core for multiples of the base point is made with.

    An operation multiplies the base point of the curve by a scalar from 0 to ``2**width - 1``. A
    result is as that of a :class:`~.scalar_multiplication.ScalarMultiplier`. Every core checks it,
    and if it is no point all its bits are 1. Each operation takes the same clocks.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate, or of all its octets.
    curve : :class:`str`
        A key of :data:`montgomery.curves.CURVES`, or of
        :data:`montgomery.edwards_curves.EDWARDS_CURVES`: then the product by a multiple of the
        order is (0, 1).
    """

    _kind = KIND

    curve: str = parameter("P-256", "name of the elliptic curve",
                           choices=(*CURVES, *EDWARDS_CURVES))

    @property
    def domain(self):
        """The :class:`~montgomery.curves.Curve`, or
        :class:`~montgomery.edwards_curves.EdwardsCurve`.
        """
        return (CURVES | EDWARDS_CURVES)[self.curve]

    @property
    def operands(self) -> Message:
        return Message(self.word_width, (Field("scalar", self.field_words, "the scalar"),))

    def decode(self, words: Sequence[int]) -> int:
        """Return the result; :exc:`ValueError` also if the core did not give one."""
        try:
            return super().decode(words)
        except ValueError as error:
            raise ValueError(f"The product must be a point of {self.domain.name}, but was not, and "
                             "the core gave nothing; reset it, and send the scalar again"
                             ) from error

    @abc.abstractmethod
    def compute(self, scalar: int) -> int:
        """Return the result for a scalar, by the steps of the hardware."""

    def _check_operands(self, scalar):
        super()._check_operands(scalar, *self.domain.base)
