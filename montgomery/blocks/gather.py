"""Words from many places, brought to one."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..core import ceil_div
from .carry_save import gate

__all__ = ["Gather"]


class Gather(wiring.Component):
    """Brings words that are chosen one per clock to one place.

    Latency: :meth:`latency_of`. Throughput: a word per clock.
    """

    #: Words that are brought together in the first clock, in two levels of gates.
    GROUP = 8

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({
            "words": In(width).array(count),
            "chosen": In(count),  # at most one bit is high
            "word": Out(width),  # the word that was chosen, or 0
        })

    @classmethod
    def latency_of(cls, count):
        """Return the clocks through the gates of ``count`` words."""
        latency, left = 1, ceil_div(count, cls.GROUP)
        while left > 1:
            latency, left = latency + 1, ceil_div(left, 4)
        return latency

    def elaborate(self, platform):
        m = Module()
        level = [gate(self.chosen[index], self.words[index]) for index in range(self.count)]
        fan_in = self.GROUP
        while True:
            joined = []
            for start in range(0, len(level), fan_in):
                word = Signal(self.width, reset_less=True)
                m.d.sync += word.eq(reduce(or_, level[start:start + fan_in]))
                joined.append(word)
            level, fan_in = joined, 4
            if len(level) == 1:
                break
        m.d.comb += self.word.eq(level[0])
        return m
