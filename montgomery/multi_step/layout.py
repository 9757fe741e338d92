"""Sizes of the multi-step multiplier."""

import dataclasses
import itertools

from ..core import ceil_div

__all__ = ["LOOK_UP", "Group", "StepLayout"]

#: Bits of a digit whose multiples are looked up: a distributed RAM has 16 words (on ECP5, Nexus and
#: Gowin).
LOOK_UP = 4


@dataclasses.dataclass(frozen=True, kw_only=True)
class Group:
    """``size`` bits, from bit ``offset`` on, of the ``steps`` bits that are used up in a clock."""

    offset: int
    size: int

    @property
    def part(self):
        """The slice of all ``steps`` bits."""
        return slice(self.offset, self.offset + self.size)


class StepLayout:
    """Sizes of :class:`~.multiplier_component.StepMultiplier`, for all that it is made of."""

    def __init__(self, params):
        self.width, self.word_width, self.steps = params.width, params.word_width, params.steps
        #: A result is reduced below the modulus.
        self.subtracts = params.subtraction == "final"
        #: Bits of an operand, and of a result.
        self.bits = params.width if self.subtracts else params.width + 1
        #: The logarithm of R: all iterations of the paper.
        self.r_bits = params.r.bit_length() - 1
        # Lower neighbours get the lowest ``steps`` columns of a PE in the clock in which they are
        # added; what these columns get from above must not be as late.
        least, word = max(params.pe_width, 2 * self.steps), self.word_width
        #: Columns of a processing element (PE), and bits per word inside.
        self.pe_width = min((part for part in range(least, word + 1) if word % part == 0),
                            default=word * ceil_div(least, word))
        #: Words inside per word of the streams, or 1; words of the streams per word inside, or 1.
        self.ratio, self.parts = max(word // self.pe_width, 1), max(self.pe_width // word, 1)
        #: Words of an operand inside, and at the ports.
        self.operand_words = ceil_div(self.bits, word * self.parts) * self.ratio
        self.port_words = self.operand_words * self.parts // self.ratio
        count = ceil_div(self.steps, LOOK_UP)
        edges = [ceil_div(self.steps * index, count) for index in range(count + 1)]
        #: The bits of a clock, lowest first, as :class:`Group`.
        self.groups = [Group(offset=low, size=high - low)
                       for low, high in itertools.pairwise(edges)]
        #: Multiples of an operand in a table.
        self.entries = 1 << max(group.size for group in self.groups)
        #: PEs above the head, which has the lowest ``steps`` columns. With a product of the next
        #: digit of x in it, the number is below 2**(bits + 2 steps + 1).
        self.elements = max(self.operand_words,
                            ceil_div(self.bits + self.steps + 1, self.pe_width))
        #: Digits of x, of ``steps`` bits: t, or t + 1 where there is a remainder r.
        self.digits = ceil_div(self.r_bits, self.steps)
        #: Clocks of the head: two for the first product to reach it, then one per digit.
        self.iterations = self.digits + 2
        #: Words that have come when an operation begins to move. All others are in time if one
        #: comes every ``parts`` clocks, though they move on at one per clock.
        self.ahead = 1 + ceil_div((self.operand_words - 1) * (self.parts - 1), self.parts)
        #: Words of an operation may take longer than its iterations. Then an operation starts when
        #: the result before has left: operations follow at one rate, whether they send both
        #: operands, one of them, or none.
        self.slow_port = self.parts > self.iterations + 6
