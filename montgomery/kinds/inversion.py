"""Modular inversion: what an inverter is, and what all of them have in common."""

import dataclasses

from ..arithmetic import check_modulus, check_operand
from ..core import CoreParameters, Field, Kind, Message

__all__ = ["KIND", "Inverter"]

KIND = Kind(
    name="inversion", prefix="inversion", group="inverters", noun="inverter", nouns="inverters",
    operation="inversion", formula="1 / x mod modulus",
    inputs={"x": "Number to invert.", "modulus": "Odd modulus."})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Inverter(CoreParameters):
    """What an inverter is instantiated with; see :class:`montgomery.CoreParameters`.

    The result is 0 where x and the modulus have a factor in common.
    """

    _kind = KIND

    @property
    def operands(self):
        return Message(self.word_width, (
            Field("x", self.result_words, "the number x, below m"),
            Field("modulus", self.result_words, "the modulus m")))

    def _check_operands(self, x, modulus):
        check_modulus(modulus, width=self.width)
        check_operand("x", x, modulus)
