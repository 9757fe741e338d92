"""A queue for the words of an operation."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from .ranges import BASE

__all__ = ["WordQueue"]


class WordQueue(wiring.Component):
    """Keeps words until those of an operation are there, and then gives them without a gap, however
    slowly they came. No word comes in before the last one goes out.

    Latency: :attr:`LATENCY` clocks from the last word that comes to the first one that goes.
    Throughput: a word per clock comes, or goes.

    Parameters
    ----------
    count : :class:`int`
        Words of an operation.

    Members
    -------
    i, o : :py:`In(stream.Signature(BASE))`, :py:`Out(stream.Signature(BASE))`
    """

    LATENCY = 1 + BlockRam.LATENCY

    def __init__(self, count):
        self.count = count
        super().__init__({"i": In(stream.Signature(BASE)), "o": Out(stream.Signature(BASE))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = BlockRam(BASE, self.count)
        place = Signal(range(self.count))
        full, found, moves, is_last = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(~full), memory.b.write.eq(self.i.valid & ~full),
            memory.b.address.eq(place), memory.b.data.eq(self.i.payload),
            memory.a.enable.eq(~self.o.valid | self.o.ready), memory.a.address.eq(place),
            self.o.payload.eq(memory.a.q), is_last.eq(place == self.count - 1),
            moves.eq(Mux(full, memory.a.enable, self.i.valid))]
        with m.If(memory.a.enable):
            m.d.sync += [found.eq(full), self.o.valid.eq(found)]
        with m.If(moves):
            m.d.sync += [place.eq(Mux(is_last, 0, place + 1)), full.eq(full ^ is_last)]
        return m
