"""Key agreement by first coordinates of points: X25519 and X448."""

import abc
import dataclasses
from typing import ClassVar

from ..arithmetic import shown
from ..core import Kind
from ..numbers.catalogue import MONTGOMERY
from ._curve_core import CurveCore, curve_among, width_of

__all__ = ["KIND", "KeyAgreement"]

KIND = Kind(
    name="key_agreement", prefix="key_agreement", group="key_agreement",
    noun="core for key agreement", nouns="cores for key agreement",
    operation="key agreement", formula="scalar * u",
    inputs={"scalar": "Private key, as a number.",
            "u": "First coordinate of the public key of the other side."})


@dataclasses.dataclass(frozen=True, kw_only=True)
class KeyAgreement(CurveCore):
    """What a core for key agreement is made with; see :class:`montgomery.CoreParameters`.

    An operation is X25519 or X448 of RFC 7748: it multiplies a point, which is given by its first
    coordinate u, by a scalar. Both are numbers of 32 or 56 octets, the lowest one first, and any
    such number is taken: bits of the scalar are set and cleared as the RFC says, bit 255 of u does
    not count for X25519, and u may be the prime or more. The result is below the prime.

    Every core refuses points of small order, for which the result would be 0, and has
    :attr:`.Traits.checks`: all bits of the result are 1 then. Each operation takes the same clocks,
    whatever the scalar and the point, and whether it is refused or not.
    """

    _kind, _curves = KIND, MONTGOMERY
    _refusal = ("Operand u must be the coordinate of a point of large order, but was not, and the "
                "core gave nothing; send a public key")
    _inputs: ClassVar = {"scalar": "the scalar", "u": "the first coordinate of the point"}

    width: int = width_of(MONTGOMERY)
    curve: str = curve_among(MONTGOMERY)

    @property
    def _bits(self) -> int:
        """Bits of the octets of a number."""
        return 8 * self.domain.octets

    @property
    def result_words(self) -> int:
        return self.field_words

    @abc.abstractmethod
    def compute(self, scalar: int, u: int) -> int:
        """Return the result for a scalar and a point, by the steps of the hardware."""

    def _check_operands(self, scalar, u):
        self._check_fits(f"give {self.domain.octets} octets", scalar=scalar, u=u)
        if self.domain.is_small(u):
            raise ValueError(f"Operand u must be the coordinate of a point of large order, not "
                             f"{shown(u)}; give a public key")
