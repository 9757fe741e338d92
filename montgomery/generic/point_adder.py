"""Sums of numbers that pass by word by word, brought below the bound on the way."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.values import add_with_carry

__all__ = ["PointAdder"]


class PointAdder(wiring.Component):
    """``total = ± a + b - k M``, ``± a + 2 b - k M`` and so on, a word in each step.

    First the highest words of the operands come, whose sum tells k, and then all words from the
    lowest one on.

    Latency: two steps from words to a word of the total. Throughput: a word in each step.

    Parameters
    ----------
    layout : :class:`~.point_layout.PointLayout`
    rows : :class:`int`
        Number of rows.

    Members
    -------
    tick : :py:`In(1)`
        A step ends.
    first : :py:`In(1)`
        The words are the lowest ones, or the lowest of the highest ones.
    highest : :py:`In(1)`
        They are the last of the highest ones, in the step before.
    begins : :py:`In(1)`
        They are the lowest ones, in the step before.
    a, b : :py:`In(width)`
        Words of the operands.
    has_a, has_b, negative, twice : :py:`In(1)`
        What counts of them.
    corrects, given, row : :py:`In(1)`, :py:`In(1)`, :py:`In(range(rows))`
        Whether k is chosen, or the row is given.
    at : :py:`Out(range(rows))`, correction : :py:`In(width)`
        The row, and its word for the sum, which stands at ``raw``.
    raw, carry : :py:`Out(width)`, :py:`Out(1)`
        A word of the sum before the correction, and the carry from it.
    total : :py:`Out(width)`
    """

    def __init__(self, layout, rows):
        self.layout = layout
        width = layout.width
        super().__init__({
            "tick": In(1), "first": In(1), "highest": In(1), "begins": In(1), "a": In(width),
            "b": In(width), "has_a": In(1), "has_b": In(1), "negative": In(1), "twice": In(1),
            "corrects": In(1), "given": In(1), "row": In(range(rows)), "at": Out(range(rows)),
            "correction": In(width), "raw": Out(width), "carry": Out(1), "total": Out(width)})

    def elaborate(self, platform):
        m = Module()
        layout, width = self.layout, self.layout.width
        above = Signal(name="above", reset_less=True)  # the bit that leaves b when it is doubled
        raw = Signal(width, name="raw_word", reset_less=True)
        carry, more = Signal(name="carry_bit", reset_less=True), Signal(reset_less=True)
        total = Signal(width, name="total_word", reset_less=True)
        row = Signal.like(self.at, name="row_now", reset_less=True)
        b = gate(self.has_b, Mux(self.twice, Cat(above & ~self.first, self.b[:-1]), self.b))
        a = gate(self.has_a, self.a) ^ self.negative.replicate(width)

        # The words that are looked at for k, of which the last one is in ``raw``.
        seen, estimate = [raw], layout.estimate
        for place in range(len(estimate.words) - 1):
            before = Signal(width, name=f"before_{place}", reset_less=True)
            with m.If(self.tick):
                m.d.sync += before.eq(seen[0])
            seen.insert(0, before)
        low = estimate.shift - estimate.words[0] * width
        bits = Cat(seen)[low:low + estimate.bits]
        chosen = Signal(range(8))
        with m.Switch(bits):
            for value, times in estimate.multiples.items():
                with m.Case(value % (1 << estimate.bits)):
                    m.d.comb += chosen.eq(times % 8)
        with m.If(self.tick):
            m.d.sync += [
                above.eq(self.b[-1]), Cat(raw, carry).eq(add_with_carry(
                    a, b, Mux(self.first, self.negative, carry))),
                Cat(total, more).eq(add_with_carry(
                    raw, self.correction, more & ~self.begins))]
            with m.If(self.highest):
                m.d.sync += row.eq(Mux(self.given, self.row,
                                       Mux(self.corrects, chosen, C(0, len(row)))))
        m.d.comb += [self.at.eq(row), self.raw.eq(raw), self.carry.eq(carry),
                     self.total.eq(total)]
        return m
