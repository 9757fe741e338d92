"""Keeps the words of a product until the memory takes them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.word_buffer import WordBuffer
from ..core import ceil_div

__all__ = ["ProductBuffer"]


class ProductBuffer(wiring.Component):
    """Buffer of a product, in words that are one or more of the multiplier.

    Latency: a word may be looked up in the clock after its last part was at ``data``. Throughput: a
    part comes and a word leaves per clock.

    Parameters
    ----------
    unit : :class:`~montgomery.units.unit.Unit`
    parts : :class:`int`
        Words of the multiplier in a word.

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
        part = Signal(range(self.parts), name="part")
        low = [Signal(self.unit.width, name=f"part_{place}", reset_less=True)
               for place in range(self.parts - 1)]
        whole, words = part == self.parts - 1, [*low, self.data]
        if left := count % self.parts:
            # Above the last word there is none.
            ends = buffer.full & (part == left - 1)
            words = [*low[:left - 1], Mux(ends, self.data, low[left - 1]),
                     *(gate(~ends, word) for word in words[left:])]
            whole |= ends
        m.d.comb += [buffer.data.eq(Cat(words)), buffer.push.eq(self.push & whole)]
        with m.If(self.push):
            m.d.sync += part.eq(Mux(whole, 0, part + 1))
            for place, word in enumerate(low):
                with m.If(part == place):
                    m.d.sync += word.eq(self.data)
        return m
