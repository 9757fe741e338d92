"""Clocks of the multi-step multiplier."""

from ..blocks.gather import Gather
from ..blocks.word_buffer import WordBuffer
from ..core import Cycles

__all__ = ["clocks"]

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
