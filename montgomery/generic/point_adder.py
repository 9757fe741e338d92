"""Sums of numbers that pass by word by word."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.values import add_with_carry

__all__ = ["PointAdder"]


class PointAdder(wiring.Component):
    """``total = ± a + b + row``, ``± a + 2 b + row`` and so on, a word in each step.

    Latency: three steps from words to a word of the total. Throughput: a word in each step.
    """

    def __init__(self, width):
        super().__init__({
            "tick": In(1),  # a step ends
            # The words are the lowest ones; they were two steps ago.
            "first": In(1), "begins": In(1),
            "a": In(width), "b": In(width),  # words of the operands
            # What counts of them.
            "has_a": In(1), "has_b": In(1), "negative": In(1), "twice": In(1),
            "row": In(width),  # the word of what is added to the sum that stands at ``raw``
            # A word of the sum before that, and the carry from it.
            "raw": Out(width), "carry": Out(1),
            "total": Out(width),
        })

    def elaborate(self, platform):
        m = Module()
        width = len(self.a)
        above = Signal(name="above", reset_less=True)  # the bit that leaves b when it is doubled
        raw = Signal(width, name="raw_word", reset_less=True)
        carry, more = Signal(name="carry_bit", reset_less=True), Signal(reset_less=True)
        total = Signal(width, name="total_word", reset_less=True)
        a, b = (Signal(width, name=f"counted_{name}", reset_less=True) for name in "ab")
        first, plus_1 = (Signal(name=name, reset_less=True) for name in ("lowest", "plus_1"))
        with m.If(self.tick):
            m.d.sync += [
                above.eq(self.b[-1]), first.eq(self.first), plus_1.eq(self.negative),
                a.eq(gate(self.has_a, self.a) ^ self.negative.replicate(width)),
                b.eq(gate(self.has_b, Mux(self.twice, Cat(above & ~self.first, self.b[:-1]),
                                          self.b))),
                Cat(raw, carry).eq(add_with_carry(a, b, Mux(first, plus_1, carry))),
                Cat(total, more).eq(add_with_carry(raw, self.row, more & ~self.begins))]
        m.d.comb += [self.raw.eq(raw), self.carry.eq(carry), self.total.eq(total)]
        return m
