"""What the bit-serial designs of Satzoda, Chang and Jong share outside the datapath."""

import dataclasses
from typing import ClassVar

from ..blocks.banks import WordBuffer
from ..core import Cycles, Message, Traits, ceil_div, parameter, plural
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

    Its processing elements (PEs) are a :class:`ring <.serial_multiplier.Ring>`, or its adders a
    row. In a row each word of B and N has a place of its own, and the row as a whole does an
    iteration in ``hop`` clocks: seen from outside it is a ring of one PE.
    """

    pe_width: int = parameter(16, "bits per processing element; must divide word_width", minimum=4,
                              maximum=64)

    #: Clocks from a PE to the next.
    hop: ClassVar[int]
    #: Clocks from the result's first word in carry-save form to that word in binary, 2 or more.
    resolve: ClassVar[int]
    #: It is a row.
    stationary: ClassVar[bool] = False
    #: Least number of words in a ring.
    least_words: ClassVar[int] = 2

    def _check_parameters(self):
        self._check_divides_word("pe_width")

    # -- Words of the streams, and of ``pe_width`` bits.

    @property
    def result_words(self):
        return ceil_div(self.iterations, self.word_width)

    @property
    def operands(self):
        return factors(self, side_by_side=True)

    @property
    def key_operands(self):
        return Message(self.word_width, (modulus_field(self),))

    @property
    def ratio(self):
        """Words of ``pe_width`` bits in a word of the streams."""
        return self.word_width // self.pe_width

    @property
    def operand_words(self):
        """Words of ``pe_width`` bits in an operand as it is sent."""
        return self.result_words * self.ratio

    @property
    def sum_words(self):
        """Words of ``pe_width`` bits in a sum."""
        # Before its shift an iteration's sum is below 3m + 2m + m < 2**(width + 3).
        return max(self.operand_words, ceil_div(self.width + 3, self.pe_width))

    # -- The ring.

    @property
    def elements(self):
        """PEs, and iterations in a revolution."""
        return 1 if self.stationary else ceil_div(max(self.sum_words, self.least_words), self.hop)

    @property
    def ring_words(self):
        """Clocks of a revolution, and words in a ring."""
        return self.elements * self.hop

    @property
    def revolutions(self):
        """Revolutions before the one in which the result appears."""
        return self.iterations // self.elements

    @property
    def tap(self):
        """The PE that would do the iteration after the last: its inputs are the result."""
        return self.iterations % self.elements

    # -- Clocks.

    @property
    def longest_wait(self):
        """Clocks that a word of operands waits at most for its place, after a pause."""
        return 0 if self.stationary else self.ring_words - 1

    @property
    def _start(self):
        """Clocks from the first word of operands to word 0 in the first revolution."""
        # In a ring, the first word defines place 0, and the first iteration starts when that has
        # come round.
        return self.operand_words - self.ratio + 2 if self.stationary else self.ring_words

    @property
    def _initiation(self):
        """Clocks from a result to the next one, of independent multiplications."""
        # The operands of the next one may follow the last revolution of the one before. A ring of
        # two words takes a clock to announce its last revolution, and a row three.
        if self.stationary:
            return self._start + self.revolutions * self.ring_words + 3
        return self._start + (self.revolutions + 1) * self.ring_words + (self.ring_words == 2)

    @property
    def cycles(self):
        load = unload = self.operand_words - self.ratio + 1
        # A word of the result in binary takes a clock to be stored and two to be read; wider words
        # of the streams are put together after that.
        compute = (self._start - load + 1 + 2 + self.hop * self.iterations + self.resolve
                   + WordBuffer.LATENCY + (self.ratio if self.ratio > 1 else 0))
        # The next one may begin in the clock after the first word of the result.
        interval = max(self._initiation, load + compute)
        # In a ring, the first word of the modulus is fetched.
        load_key = self.operand_words + (2 if self.stationary else 3)
        return Cycles(load_key=load_key, load=load, compute=compute, unload=unload,
                      interval=interval)

    @property
    def _traits(self):
        wait = self.longest_wait
        advice = ("Send one word per clock: words of y have fixed places in a ring that turns once "
                  f"in {self.ring_words} clocks. After a pause within a multiplication, the "
                  f"next word may have to wait up to {plural(wait, 'clock')}.")
        return Traits(initiation=self._initiation, advice=advice if wait else "")
