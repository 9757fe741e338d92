"""What cores of several kinds have in common: those that are built for an elliptic curve."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..arithmetic import check_integer, shown
from ..core import CoreParameters, Field, Message, Traits, ceil_div, parameter
from ..numbers.catalogue import curve_of
from ..numbers.curves import Curve

__all__ = ["CurveCore", "VerifyingCore", "curve_among", "width_of"]


def width_of(curves: Mapping[str, Curve]) -> Any:
    """Declare the width of a core for one of some curves."""
    widths = [curve.width for curve in curves.values()]
    return parameter(help="bits of a coordinate", minimum=min(widths), maximum=max(widths))


def curve_among(curves: Mapping[str, Curve]) -> Any:
    """Declare the curve of a core, which is the first one by default."""
    return parameter(next(iter(curves)), "name of the elliptic curve", choices=tuple(curves))


@dataclasses.dataclass(frozen=True, kw_only=True)
class CurveCore(CoreParameters):
    """What a core for an elliptic curve is made with; see :class:`montgomery.CoreParameters`.

    The curve is one of a form that the kind takes, and a width that of a coordinate.
    """

    curve: str

    #: The curves that cores of the kind may be built for, and why one gives no result, if it may
    #: give none: the bits of what it sends are all 1 then.
    _curves: ClassVar[Mapping[str, Curve]]
    _refusal: ClassVar[str] = ""
    #: What the words of an operation hold, by the names of the inputs.
    _inputs: ClassVar[Mapping[str, str]]

    @property
    def domain(self) -> Any:
        """The :class:`~montgomery.numbers.curves.Curve`."""
        return curve_of(self.curve, self.width, self._curves)

    @property
    def _bits(self) -> int:
        """Bits of a number."""
        return self.width

    @property
    def field_words(self) -> int:
        """Number of words of a scalar or a coordinate."""
        return ceil_div(self._bits, self.word_width)

    @property
    def operands(self) -> Message:
        return Message(self.word_width, tuple(Field(name, self.field_words, meaning)
                                              for name, meaning in self._inputs.items()))

    @property
    def _traits(self) -> Traits:
        return Traits(checks=bool(self._refusal))

    def decode(self, words: Sequence[int]) -> int:
        """Return the result; :exc:`ValueError` also if the core gave none."""
        result = super().decode(words)
        if self._refusal and result == self._results.largest:
            raise ValueError(self._refusal.format(self.domain.name))
        return result

    def _check_fits(self, advice: str, **numbers: int) -> None:
        """Refuse numbers that do not fit in their words."""
        for name, value in numbers.items():
            check_integer(f"Operand {name}", value)
            if not 0 <= value < 1 << self._bits:
                raise ValueError(f"Operand {name} must be from 0 to 2**{self._bits} - 1, not "
                                 f"{shown(value)}; {advice}")


class VerifyingCore(CurveCore):
    """What a core that verifies signatures is made with: its result is a word, 1 or 0."""

    @property
    def result_words(self) -> int:
        return 1

    @property
    def _results(self) -> Message:
        return Message(self.word_width, (
            Field("result", 1, "1 if the signature is valid, 0 if it is not"),))
