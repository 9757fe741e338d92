"""What the bit-serial designs of Satzoda, Chang and Jong share outside the datapath."""

import dataclasses
from typing import ClassVar

from ..core import Message, Traits, ceil_div, parameter, plural
from ..kinds.multiplier import Multiplier, factors, modulus_field

__all__ = ["BitwiseParameters", "Radix2Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class BitwiseParameters(Multiplier):
    """Parameters of a radix-2 multiplier whose products chain without a final subtraction.

    The paper's algorithms run ``width`` iterations. These run ``width + 2`` on operands below twice
    the modulus, so that results may be operands again (Walter, "Montgomery exponentiation needs no
    final subtractions").
    """

    #: The one of :mod:`.algorithms` that the architecture follows.
    algorithm: ClassVar

    @property
    def iterations(self):
        """Number of iterations, one bit of ``x`` each."""
        return self.width + 2

    @property
    def r(self):
        return 1 << self.iterations

    def bound(self, modulus):
        """Operands and results are below twice the modulus."""
        return 2 * modulus

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        return self.algorithm(x, y, modulus, self.iterations)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Radix2Parameters(BitwiseParameters):
    """Parameters of a radix-2 multiplier that takes and gives its operands in words.

    Parameters
    ----------
    pe_width : :class:`int`
        Bits that a processing element handles per clock; divides ``word_width``.
    """

    #: :class:`~.geometry.Geometry` of the hardware.
    geometry: ClassVar

    pe_width: int = parameter(16, "bits per processing element; must divide word_width", minimum=4,
                              maximum=64)

    def _check_parameters(self):
        if self.word_width % self.pe_width:
            rule = self.__dataclass_fields__["word_width"].metadata
            near = min(range(self.pe_width, rule["maximum"] + 1, self.pe_width),
                       key=lambda multiple: abs(multiple - self.word_width))
            raise ValueError(f"Word width {self.word_width} must be a multiple of pe_width "
                             f"{self.pe_width}; the nearest one is {near}")

    @property
    def _traits(self):
        wait = self.geometry.longest_wait
        advice = ("Send one word per clock: words of y have fixed places in a ring that turns once "
                  f"in {self.geometry.words} clocks. After a pause within a multiplication, the "
                  f"next word may have to wait up to {plural(wait, 'clock')}.")
        return Traits(initiation=self.geometry.initiation, advice=advice if wait else "")

    @property
    def result_words(self):
        return ceil_div(self.iterations, self.word_width)

    @property
    def operand_words(self):
        """Words of ``pe_width`` bits in an operand as it is sent."""
        return self.result_words * self.ratio

    @property
    def ratio(self):
        """Words of ``pe_width`` bits in a word of the streams."""
        return self.word_width // self.pe_width

    @property
    def operands(self):
        return factors(self, side_by_side=True)

    @property
    def key_operands(self):
        return Message(self.word_width, (modulus_field(self),))

    @property
    def cycles(self):
        return self.geometry.cycles
