"""Sizes of the multi-step multiplier."""

import dataclasses
import itertools

from ..blocks.gather import Gather
from ..blocks.word_buffer import WordBuffer
from ..core import Cycles, ceil_div

__all__ = ["LOOK_UP", "Group", "StepLayout", "clocks"]

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


#: From the clock in which a word comes to the one in which it is on its way to its PE: it is
#: written, looked up, and chosen.
_MOVE = 3
#: From the start of an operation to the one of its first iteration, and from the last one to the
#: first word that is gathered: each time the registers of digit and head.
_ITERATION = 3


def clocks(layout):
    """Return the Cycles of a multiplication, and the clocks between independent results.

    An operation starts when x is complete, the lowest table of y is full, and the result before has
    been handed over.
    """
    g, words = layout, layout.operand_words
    # Words come from the port at once, one clock after they were joined, or cut in many clocks.
    converted = (g.ratio if g.ratio > 1 else 0) + (g.parts > 1)
    # From the first word on its way to the start: x, or y and its multiples.
    moving = max(words, g.entries) - 1
    # From the start.
    done = g.iterations + _ITERATION
    gathered = done + Gather.latency_of(words + 1)
    if g.subtracts:
        # The last word decides, a clock after the subtraction.
        kept = gathered + max(words, 2)
        ready = gathered + max(words + 2, 2 + WordBuffer.LATENCY)
    else:
        kept = gathered + 1
        ready = gathered + 1 + WordBuffer.LATENCY
    # The last word has left the buffer, or the core.
    empty = ready + g.parts * (words - 1) + g.slow_port * (1 + g.parts)
    load = words * g.parts - (g.ratio - 1)
    # From the last word of an operation to its start.
    start = converted - g.parts * (words - g.ahead) + _MOVE + moving
    return Cycles(
        # A key moves when all of it is there, and the next task comes when its tables are full.
        load_key=load + converted + max(words - 1, g.entries + 1) + _MOVE,
        load=load, compute=start + ready + converted, unload=load,
        interval=max(kept + _MOVE + moving, empty)), max(done + _MOVE + moving, empty)
