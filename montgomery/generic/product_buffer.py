"""Words on their way into a multiplier, and out of it."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import WordBuffer
from ..blocks.carry_save import gate
from ..core import ceil_div
from ..units.unit import pair_layout

__all__ = ["PairFeeder", "ProductBuffer"]


class PairFeeder(wiring.Component):
    """Buffer of both operands of a product.

    All words of a pair come before those of the next one, which must not come while the pair is
    fed. A word is one or more of the multiplier. If that takes x before y, it gets all words twice.

    Latency: the first word is at ``o`` :attr:`LATENCY` clocks after ``starts``. Throughput: a word
    per clock, with :attr:`BETWEEN` idle clocks before words come a second time.
    """

    LATENCY, BETWEEN = 3, 3

    def __init__(self, unit, parts):
        self.unit, self.parts = unit, parts
        super().__init__({
            # Words of the operands.
            "push": In(1), "x": In(parts * unit.width), "y": In(parts * unit.width),
            # The pair may be fed: no word of it will be missing when it is its turn.
            "starts": In(1),
            "o": Out(stream.Signature(pair_layout(unit.width))),  # for the multiplier
        })

    def elaborate(self, platform):
        m = Module()
        unit, width, parts = self.unit, self.unit.width, self.parts
        word = parts * width
        m.submodules.buffer = buffer = WordBuffer(2 * word, -(-unit.words // parts))
        feeds, first = Signal(name="feeds"), Signal(name="first", init=1)
        m.d.comb += [
            buffer.push.eq(self.push), buffer.data.eq(Cat(self.x, self.y)),
            buffer.available.eq(feeds), self.o.valid.eq(buffer.o.valid), self.o.p.first.eq(first)]
        x, y = buffer.o.payload[:word], buffer.o.payload[word:]
        moves, ends = self.o.valid & self.o.ready, buffer.last
        if parts == 1:
            m.d.comb += [self.o.p.x.eq(x), self.o.p.y.eq(y), buffer.o.ready.eq(self.o.ready)]
        else:
            part = Signal(range(parts), name="part")
            whole = part == parts - 1
            if unit.words % parts:
                whole |= buffer.last & (part == unit.words % parts - 1)
            m.d.comb += [self.o.p.x.eq(x.word_select(part, width)),
                         self.o.p.y.eq(y.word_select(part, width)),
                         buffer.o.ready.eq(self.o.ready & whole)]
            with m.If(moves):
                m.d.sync += part.eq(Mux(whole, 0, part + 1))
            ends = ends & whole
        with m.If(moves):
            m.d.sync += first.eq(ends)
        if unit.chains:
            with m.If(self.starts):
                m.d.sync += feeds.eq(1)
            with m.Elif(moves & ends):
                m.d.sync += feeds.eq(0)
        else:
            again, restarts = Signal(name="again"), Signal(name="restarts")
            m.d.sync += restarts.eq(moves & ends & ~again)
            with m.If(self.starts | restarts):
                m.d.sync += feeds.eq(1)
            with m.Elif(moves & ends):
                m.d.sync += [feeds.eq(0), again.eq(~again)]
        return m


class ProductBuffer(wiring.Component):
    """Buffer of a product, in words that are one or more of the multiplier.

    Latency: a word may be looked up in the clock after its last part was at ``data``. Throughput: a
    part comes and a word leaves per clock.
    """

    def __init__(self, unit, parts):
        self.unit, self.parts = unit, parts
        super().__init__({
            "push": In(1), "data": In(unit.width),  # a word of the multiplier
            "available": In(1),  # see WordBuffer
            "next": In(1),  # the word is taken
            "word": Out(parts * unit.width),  # from two clocks after ``available`` rises on
        })

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
