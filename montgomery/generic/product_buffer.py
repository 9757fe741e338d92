"""Keeps the words of a product until the memory takes them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.word_buffer import WordBuffer
from ..core import ceil_div

__all__ = ["ProductBuffer"]


class ProductBuffer(wiring.Component):
    """Buffer of a product, in words that are one or two of the multiplier.

    Latency: a word may be looked up in the clock after its last part was at ``data``. Throughput: a
    part comes and a word leaves per clock.

    Parameters
    ----------
    unit : :class:`~montgomery.units.unit.Unit`
    parts : :class:`int`
        Words of the multiplier in a word, 1 or 2.

    Members
    -------
    push, data : :py:`In(1)`, :py:`In(unit.width)`
        A word of the multiplier.
    available : :py:`In(1)`
        See :class:`~montgomery.blocks.word_buffer.WordBuffer`.
    next : :py:`In(1)`
        The word is taken.
    word : :py:`Out(parts * unit.width)`
        From two clocks after ``available`` rises on.
    """

    def __init__(self, unit, parts):
        self.unit, self.parts = unit, parts
        super().__init__({
            "push": In(1), "data": In(unit.width), "available": In(1), "next": In(1),
            "word": Out(parts * unit.width)})

    def elaborate(self, platform):
        m = Module()
        count = self.unit.words
        m.submodules.buffer = buffer = WordBuffer(len(self.word), ceil_div(count, self.parts))
        m.d.comb += [buffer.available.eq(self.available), buffer.o.ready.eq(self.next),
                     self.word.eq(buffer.o.payload)]
        if self.parts == 1:
            m.d.comb += [buffer.push.eq(self.push), buffer.data.eq(self.data)]
            return m
        low, high = Signal(self.unit.width, name="low", reset_less=True), Signal(name="high")
        whole = high
        if count % 2:
            # Above the last word there is none.
            whole = high | buffer.full
            m.d.comb += buffer.data.eq(Cat(Mux(high, low, self.data), gate(high, self.data)))
        else:
            m.d.comb += buffer.data.eq(Cat(low, self.data))
        m.d.comb += buffer.push.eq(self.push & whole)
        with m.If(self.push):
            m.d.sync += [low.eq(self.data), high.eq(~whole)]
        return m
