"""RSA in a residue number system: the Cox-Rower, from digits to digits."""

import dataclasses

from ..core import About, Field, Message
from ..kinds.exponentiator import Exponentiator, exponent_fields, exponent_length, length_number
from .microcode import RowerModel
from .parameters import DigitParameters, listed

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(DigitParameters, Exponentiator):
    """Parameters of a :class:`~montgomery.cox_rower.digit_core.CoxRowerCore` without CRT."""

    _about = About(
        source="Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
               "Montgomery Multiplication; Figures 3 and 4",
        summary="residue number system with windows on parallel units in a ring",
        uses_blocks=True)

    @property
    def operands(self):
        return Message(self.word_width, (Field("base", self.result_words, "the base"),))

    @property
    def key_operands(self):
        n, r = self.bases[0].n, self.word_width
        digits, fields = exponent_fields(self.exponents, self.exponent_limit, r, self.window)
        modulus = Field("modulus", n, "the modulus m", filler=(1 << r * n) - 1)
        return Message(r, (*fields, modulus),
                       (listed("B", self.bases[0].b), length_number(self), digits))

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        return RowerModel(self, [modulus]).run(base, [exponent], bits)

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        return self._clocks([modulus], exponent_length(exponent_bits, exponent))
