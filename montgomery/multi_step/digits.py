"""The first factor, and the clocks of an operation."""

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from .loader import moved_signature

__all__ = ["FactorDigits"]


class FactorDigits(wiring.Component):
    """Keeps x and serves it in digits of ``steps`` bits.

    x is served with zeros below, so that the last digit is whole: Figure 2's Remainder comes first.

    Latency: two clocks from ``start`` to the first digit. Throughput: a digit per clock.

    Members
    -------
    moved : :py:`In(moved_signature(layout))`
        Words of x.
    prepared : :py:`In(1)`
        Multiples of y are there when the first digit is; high until ``done``.
    reserved : :py:`In(1)`
        There is no place for the result yet.
    start : :py:`Out(1)`
        An operation begins.
    digit : :py:`Out(steps)`
        The digits, one per clock, from two clocks after ``start``; 0 before and after.
    clear : :py:`Out(1)`
        Low from two clocks after the first digit.
    done : :py:`Out(1)`
        The head has the end of the last iteration.
    """

    def __init__(self, layout):
        self.layout = layout
        super().__init__({
            "moved": In(moved_signature(layout)), "prepared": In(1), "reserved": In(1),
            "start": Out(1), "digit": Out(layout.steps), "clear": Out(1, init=1), "done": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        waiting = Signal()  # with x complete
        serving = Signal()
        left = Signal(range(g.iterations + 2))
        m.d.comb += self.start.eq((waiting | self.moved.last) & self.prepared & ~self.reserved)
        m.d.sync += [
            waiting.eq((waiting | self.moved.last) & ~self.start),
            serving.eq((serving | self.start) & ~self.done),
            self.done.eq(serving & (left == 0)),
        ]
        with m.If(serving):
            m.d.sync += left.eq(left - 1)
        with m.Else():
            m.d.sync += left.eq(g.iterations + 1)
        late = Signal(2)
        m.d.sync += [late.eq(Cat(serving, late)), self.clear.eq(~late[-1])]

        # -- The digits of x.
        empty = g.digits * g.steps - g.r_bits
        x = Signal(empty + g.bits, reset_less=True)
        shifted = Cat(x[g.steps:], C(0, g.steps))
        for index in range(g.operand_words):
            low = index * g.pe_width
            part = slice(low + empty, min(low + g.pe_width, g.bits) + empty)
            with m.If(serving):
                m.d.sync += x[part].eq(shifted[part])
            with m.Elif(self.moved.place[index]):
                m.d.sync += x[part].eq(self.moved.x)
        if empty:
            m.d.sync += x[:empty].eq(gate(serving, shifted[:empty]))
        m.d.sync += self.digit.eq(gate(serving, x[:g.steps]))
        return m
