"""Multiples of the base point of an elliptic curve, for public keys and signatures."""

import abc
import dataclasses
from typing import ClassVar

from ..core import Kind
from ..numbers.catalogue import EDWARDS, WEIERSTRASS
from ._curve_core import curve_among
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

    On a curve of Edwards' form the product by a multiple of the order is (0, 1), and a width is
    that of all octets.
    """

    _kind, _curves = KIND, WEIERSTRASS | EDWARDS
    _refusal = ("The product must be a point of {}, but was not, and the core gave nothing; reset "
                "it, and send the scalar again")
    _inputs: ClassVar = {"scalar": "the scalar"}

    curve: str = curve_among(WEIERSTRASS | EDWARDS)

    @abc.abstractmethod
    def compute(self, scalar: int) -> int:
        """Return the result for a scalar, by the steps of the hardware."""

    def _check_operands(self, scalar):
        super()._check_operands(scalar, *self.domain.base)
