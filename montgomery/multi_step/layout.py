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
    """Neighbouring bits of the ``steps`` bits that are used up in a clock.

    Attributes
    ----------
    offset : :class:`int`
        Index of the lowest one.
    size : :class:`int`
        Number of bits.
    """

    offset: int
    size: int

    @property
    def part(self):
        """The slice of all ``steps`` bits."""
        return slice(self.offset, self.offset + self.size)


@dataclasses.dataclass(frozen=True, kw_only=True)
class StepLayout:
    """Sizes of :class:`~.multiplier_component.StepMultiplier`.

    Attributes
    ----------
    width : :class:`int`
        Bits of the modulus.
    word_width : :class:`int`
        Bits per word of the streams.
    bits : :class:`int`
        Bits of an operand, and of a result.
    r_bits : :class:`int`
        The logarithm of R: all iterations of the paper.
    subtracts : :class:`bool`
        A result is reduced below the modulus.
    steps : :class:`int`
        Bits of x, and of the quotient, that are used up in a clock.
    pe_width : :class:`int`
        Columns of a processing element (PE), and bits per word inside.
    groups : tuple of :class:`Group`
        The bits of a clock, lowest first.
    operand_words : :class:`int`
        Words of an operand.
    ratio : :class:`int`
        Words inside per word of the streams, or 1.
    parts : :class:`int`
        Words of the streams per word inside, or 1.
    """

    width: int
    word_width: int
    bits: int
    r_bits: int
    subtracts: bool
    steps: int
    pe_width: int
    groups: tuple[Group, ...]
    operand_words: int
    ratio: int
    parts: int

    @classmethod
    def of(cls, params):
        """Return the layout for :class:`montgomery.multi_step.multiplier.Parameters`."""
        # Lower neighbours get the lowest ``steps`` columns of a PE in the clock in which they are
        # added; what these columns get from above must not be as late.
        least = max(params.pe_width, 2 * params.steps)
        word = params.word_width
        pe_width = min((part for part in range(least, word + 1) if word % part == 0),
                       default=word * ceil_div(least, word))
        ratio, parts = max(word // pe_width, 1), max(pe_width // word, 1)
        count = ceil_div(params.steps, LOOK_UP)
        edges = [ceil_div(params.steps * index, count) for index in range(count + 1)]
        subtracts = params.subtraction == "final"
        bits = params.width if subtracts else params.width + 1
        return cls(
            width=params.width, word_width=word, bits=bits, subtracts=subtracts,
            r_bits=params.r.bit_length() - 1, steps=params.steps, pe_width=pe_width,
            groups=tuple(Group(offset=low, size=high - low)
                         for low, high in itertools.pairwise(edges)),
            ratio=ratio, parts=parts,
            operand_words=(ceil_div(bits, word) * ratio if ratio > 1
                           else ceil_div(bits, pe_width)))

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

        All others are in time if they come at the rate of the port, though they move on at one per
        clock: one comes every :attr:`parts` clocks, and may move on a clock after it came.
        """
        return 1 + ceil_div((self.operand_words - 1) * (self.parts - 1), self.parts)

    @property
    def iterations(self):
        """Clocks of the head: two for the first product to reach it, then one per digit."""
        return self.digits + 2

    @property
    def slow_port(self):
        """Whether words of an operation may take longer than its iterations.

        Then an operation starts when the result before has left, so that operations that send both
        operands, one of them, or none follow at one rate.
        """
        return self.parts > self.iterations + 6
