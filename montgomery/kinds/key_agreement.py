"""Key agreement by first coordinates of points: X25519 and X448."""

import abc
import dataclasses
from collections.abc import Sequence

from ..arithmetic import check_integer, shown
from ..core import CoreParameters, Field, Kind, Message, Traits, ceil_div, parameter
from ..montgomery_curves import MONTGOMERY_CURVES, MontgomeryCurve

__all__ = ["KIND", "KeyAgreement"]

KIND = Kind(
    name="key_agreement", prefix="key_agreement", group="key_agreement",
    noun="core for key agreement", nouns="cores for key agreement",
    operation="key agreement", formula="scalar * u",
    inputs={"scalar": "Private key, as a number.",
            "u": "First coordinate of the public key of the other side."})

_WIDTHS = [curve.width for curve in MONTGOMERY_CURVES.values()]


@dataclasses.dataclass(frozen=True, kw_only=True)
class KeyAgreement(CoreParameters):
    """What a core for key agreement is made with; see :class:`montgomery.CoreParameters`.

    An operation is X25519 or X448 of RFC 7748: it multiplies a point, which is given by its first
    coordinate u, by a scalar. Both are numbers of 32 or 56 octets, the lowest one first, and any
    such number is taken: bits of the scalar are set and cleared as the RFC says, bit 255 of u does
    not count for X25519, and u may be the prime or more. The result is below the prime.

    Every core refuses points of small order, for which the result would be 0, and has
    :attr:`.Traits.checks`: all bits of the result are 1 then. Each operation takes the same clocks,
    whatever the scalar and the point, and whether it is refused or not.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate.
    curve : :class:`str`
        A key of :data:`montgomery.montgomery_curves.MONTGOMERY_CURVES`.
    """

    _kind = KIND

    width: int = parameter(help="bits of a coordinate", minimum=min(_WIDTHS), maximum=max(_WIDTHS))
    curve: str = parameter("Curve25519", "name of the elliptic curve",
                           choices=tuple(MONTGOMERY_CURVES))

    @property
    def domain(self) -> MontgomeryCurve:
        """The :class:`~montgomery.montgomery_curves.MontgomeryCurve`."""
        return MONTGOMERY_CURVES[self.curve]

    @property
    def _bits(self) -> int:
        """Bits of the octets of a number."""
        return 8 * self.domain.octets

    @property
    def field_words(self) -> int:
        """Number of words of a scalar or a coordinate."""
        return ceil_div(self._bits, self.word_width)

    @property
    def operands(self) -> Message:
        return Message(self.word_width, (
            Field("scalar", self.field_words, "the scalar"),
            Field("u", self.field_words, "the first coordinate of the point")))

    @property
    def result_words(self) -> int:
        return self.field_words

    def decode(self, words: Sequence[int]) -> int:
        """Return the result; :exc:`ValueError` also if the core refused the point."""
        result = super().decode(words)
        if result == self._results.largest:
            raise ValueError("Operand u must be the coordinate of a point of large order, but was "
                             "not, and the core gave nothing; send a public key")
        return result

    @property
    def _traits(self) -> Traits:
        return Traits(checks=True)

    @abc.abstractmethod
    def compute(self, scalar: int, u: int) -> int:
        """Return the result for a scalar and a point, by the steps of the hardware."""

    def _check_operands(self, scalar, u):
        for name, value in (("scalar", scalar), ("u", u)):
            check_integer(f"Operand {name}", value)
            if not 0 <= value < 1 << self._bits:
                raise ValueError(f"Operand {name} must be from 0 to 2**{self._bits} - 1, not "
                                 f"{shown(value)}; give {self.domain.octets} octets")
        if self.domain.is_small(u):
            raise ValueError(f"Operand u must be the coordinate of a point of large order, not "
                             f"{shown(u)}; give a public key")
