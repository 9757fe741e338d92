"""A queue of two words, which cuts the paths of a stream in both directions."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Skid"]


class Skid(wiring.Component):
    """Queue of two words: ``i.ready``, ``o.valid`` and ``o.payload`` come from registers.

    Latency: a word is at ``o`` one clock after it was accepted. Throughput: a word per clock.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
    o : :py:`Out(stream.Signature(width))`
    """

    LATENCY = 1

    def __init__(self, width):
        self.width = width
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        ready = Signal(init=1)
        valid = Signal()
        payload, spare = (Signal(self.width, name=name, reset_less=True)
                          for name in ("payload", "spare"))
        m.d.comb += [self.i.ready.eq(ready), self.o.valid.eq(valid), self.o.payload.eq(payload)]
        moves = Signal()
        m.d.comb += moves.eq(self.o.ready | ~valid)
        m.d.sync += ready.eq(moves | (ready & ~self.i.valid))
        with m.If(ready):
            m.d.sync += spare.eq(self.i.payload)
        with m.If(moves):
            m.d.sync += [valid.eq(self.i.valid | ~ready),
                         payload.eq(Mux(ready, self.i.payload, spare))]
        return m
