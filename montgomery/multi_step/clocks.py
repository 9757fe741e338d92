"""Clocks of the multi-step multiplier."""

from ..blocks.gather import Gather
from ..blocks.word_buffer import WordBuffer
from ..core import Cycles

__all__ = ["StepClocks"]

#: From the clock in which a word comes to the one in which it is on its way to its PE: it is
#: written, looked up, and chosen.
_MOVE = 3
#: From the start of an operation to the one of its first iteration, and from the last one to the
#: first word that is gathered: each time the registers of digit and head.
_ITERATION = 3


class StepClocks:
    """When what happens, in an environment that never waits.

    An operation starts when x is complete, the lowest table of y is full, and the result before has
    been handed over.

    Parameters
    ----------
    layout : :class:`~.layout.StepLayout`
    """

    def __init__(self, layout):
        self._layout = g = layout
        self._words = g.operand_words
        # Words come from the port at once, one clock after they were joined, or cut in many clocks.
        self._cut = g.ratio if g.ratio > 1 else 0
        self._joined = g.parts > 1
        # From the first word on its way to the start: x, or y and its multiples.
        self._moving = max(self._words, g.entries) - 1
        # From the start.
        self._done = g.iterations + _ITERATION
        gathered = self._done + Gather.latency_of(self._words + 1)
        if g.subtracts:
            # The last word decides, a clock after the subtraction.
            self._kept = gathered + max(self._words, 2)
            self._ready = gathered + max(self._words + 2, 2 + WordBuffer.LATENCY)
        else:
            self._kept = gathered + 1
            self._ready = gathered + 1 + WordBuffer.LATENCY
        # The last word has left the buffer, or the core.
        self._empty = (self._ready + g.parts * (self._words - 1)
                       + g.slow_port * (1 + g.parts))

    @property
    def cycles(self):
        """:class:`~montgomery.Cycles` of every multiplication."""
        g, words = self._layout, self._words
        load = words * g.parts - (g.ratio - 1)
        converted = self._cut + self._joined
        # From the last word of an operation to its start.
        start = converted - g.parts * (words - g.ahead) + _MOVE + self._moving
        return Cycles(
            # A key moves when all of it is there, and the next task comes when its tables are full.
            load_key=load + converted + max(words - 1, g.entries + 1) + _MOVE,
            load=load, compute=start + self._ready + converted, unload=load,
            interval=max(self._kept + _MOVE + self._moving, self._empty))

    @property
    def initiation(self):
        """Clocks between independent results."""
        return max(self._done + _MOVE + self._moving, self._empty)
