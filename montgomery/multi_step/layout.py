"""Sizes and times of the multi-step multiplier."""

import dataclasses
import itertools

from ..blocks.gather import Gather
from ..core import Cycles, ceil_div

__all__ = ["LOOK_UP", "Group", "Layout"]

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
class Layout:
    """Sizes and times of :class:`~montgomery.multi_step.multiplier_component.Multiplier`.

    Attributes
    ----------
    width : :class:`int`
        Bits of an operand.
    steps : :class:`int`
        Bits of x, and of the quotient, that are used up in a clock.
    pe_width : :class:`int`
        Columns of a processing element (PE), and bits per word inside.
    groups : tuple of :class:`Group`
        The bits of a clock, lowest first.
    look_up : :class:`bool`
        Multiples are looked up, and not gated.
    operand_words : :class:`int`
        Words of an operand.
    ratio : :class:`int`
        Words inside per word of the streams, or 1.
    parts : :class:`int`
        Words of the streams per word inside, or 1.
    """

    width: int
    steps: int
    pe_width: int
    groups: tuple[Group, ...]
    look_up: bool
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
        size = LOOK_UP if params.quotient == "ahead" else 1
        count = ceil_div(params.steps, size)
        edges = [ceil_div(params.steps * index, count) for index in range(count + 1)]
        return cls(
            width=params.width, steps=params.steps, pe_width=pe_width,
            groups=tuple(Group(offset=low, size=high - low)
                         for low, high in itertools.pairwise(edges)),
            look_up=size > 1, ratio=ratio, parts=parts,
            operand_words=(ceil_div(params.width, word) * ratio if ratio > 1
                           else ceil_div(params.width, pe_width)))

    @property
    def elements(self):
        """PEs above the head, which has the lowest ``steps`` columns."""
        # With a product of the next digit of x in it, the number is below 2**(width + 2 steps + 1).
        return max(self.operand_words, ceil_div(self.width + self.steps + 1, self.pe_width))

    @property
    def digits(self):
        """Digits of x, of ``steps`` bits: t, or t + 1 where there is a remainder r."""
        return ceil_div(self.width, self.steps)

    @property
    def entries(self):
        """Multiples of an operand in a table."""
        return 1 << max(group.size for group in self.groups)

    @property
    def preparation(self):
        """Clocks for which a multiplication waits for its tables, longer than for its operands.

        An entry takes a clock. Tables of the modulus are filled while y is loaded, and those of y
        while x is; those of y wait for the others.
        """
        if not self.look_up:
            return 0
        return 2 * max(0, self.entries - self.operand_words * self.parts)

    @property
    def iterations(self):
        """Clocks of the head: two for the first product to reach it, then one per digit."""
        return self.digits + 2

    @property
    def subtraction(self):
        """Clocks from the end of the last iteration in the head to the first word of the result.

        The result is complete in one PE after the other, and is gathered and compared with the
        modulus word by word; the last word decides.
        """
        gather = Gather.latency_of(self.operand_words + 1)
        # Two clocks of a buffer for the first word are hidden behind those for the others.
        return gather + self.operand_words + 2 + max(0, 3 - self.operand_words)

    @property
    def cycles(self):
        """:class:`~montgomery.Cycles` of a multiplication."""
        load, unload = 3 * self.operand_words, self.operand_words
        compute = 4 + self.preparation + self.iterations + self.subtraction
        if self.ratio > 1:
            # Narrowing a word takes a clock, and the word is accepted as a whole before its parts.
            load -= self.ratio - 1
            compute += 2 * self.ratio
            unload -= self.ratio - 1
        elif self.parts > 1:
            load *= self.parts
            compute += 2
            unload *= self.parts
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)
