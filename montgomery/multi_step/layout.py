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
    """Sizes of :class:`~.multiplier_component.StepMultiplier`.

    Parameters
    ----------
    params : :class:`~.multiplier.Parameters`

    Attributes
    ----------
    width, word_width, steps : :class:`int`
        Those of ``params``.
    bits : :class:`int`
        Bits of an operand, and of a result.
    r_bits : :class:`int`
        The logarithm of R: all iterations of the paper.
    subtracts : :class:`bool`
        A result is reduced below the modulus.
    pe_width : :class:`int`
        Columns of a processing element (PE), and bits per word inside.
    groups : list of :class:`Group`
        The bits of a clock, lowest first.
    operand_words : :class:`int`
        Words of an operand.
    ratio : :class:`int`
        Words inside per word of the streams, or 1.
    parts : :class:`int`
        Words of the streams per word inside, or 1.
    """

    def __init__(self, params):
        self.width, self.word_width, self.steps = params.width, params.word_width, params.steps
        self.subtracts = params.subtraction == "final"
        self.bits = params.width if self.subtracts else params.width + 1
        self.r_bits = params.r.bit_length() - 1
        # Lower neighbours get the lowest ``steps`` columns of a PE in the clock in which they are
        # added; what these columns get from above must not be as late.
        least, word = max(params.pe_width, 2 * self.steps), self.word_width
        self.pe_width = min((part for part in range(least, word + 1) if word % part == 0),
                            default=word * ceil_div(least, word))
        self.ratio, self.parts = max(word // self.pe_width, 1), max(self.pe_width // word, 1)
        self.operand_words = ceil_div(self.bits, word * self.parts) * self.ratio
        count = ceil_div(self.steps, LOOK_UP)
        edges = [ceil_div(self.steps * index, count) for index in range(count + 1)]
        self.groups = [Group(offset=low, size=high - low)
                       for low, high in itertools.pairwise(edges)]

    @property
    def port_words(self):
        """Words of an operand at the ports."""
        return self.operand_words * self.parts // self.ratio

    @property
    def elements(self):
        """PEs above the head, which has the lowest ``steps`` columns."""
        # With a product of the next digit of x in it, the number is below 2**(bits + 2 steps + 1).
        return max(self.operand_words, ceil_div(self.bits + self.steps + 1, self.pe_width))

    @property
    def digits(self):
        """Digits of x, of ``steps`` bits: t, or t + 1 where there is a remainder r."""
        return ceil_div(self.r_bits, self.steps)

    @property
    def entries(self):
        """Multiples of an operand in a table."""
        return 1 << max(group.size for group in self.groups)

    @property
    def ahead(self):
        """Words that have come when an operation begins to move.

        All others are in time if one comes every :attr:`parts` clocks, though they move on at one
        per clock.
        """
        return 1 + ceil_div((self.operand_words - 1) * (self.parts - 1), self.parts)

    @property
    def iterations(self):
        """Clocks of the head: two for the first product to reach it, then one per digit."""
        return self.digits + 2

    @property
    def slow_port(self):
        """Whether words of an operation may take longer than its iterations.

        Then an operation starts when the result before has left: operations follow at one rate,
        whether they send both operands, one of them, or none.
        """
        return self.parts > self.iterations + 6
