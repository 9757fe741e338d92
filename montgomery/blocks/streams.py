"""Streams of words, the least significant one first: of other widths, and through registers."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Narrow", "Skid", "Widen"]


class Narrow(wiring.Component):
    """Splits each word into ``ratio`` narrower ones, without a gap between words.

    Latency: the first narrow word is at ``o`` one clock after the wide word was accepted.
    Throughput: a narrow word per clock.

    A wide word has ``ratio`` words of ``width`` bits, 2 or more.
    """

    def __init__(self, width, ratio):
        self.width = width
        self.ratio = ratio
        super().__init__({
            "i": In(stream.Signature(width * ratio)), "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        data = Signal(self.width * self.ratio, reset_less=True)
        # One-hot from the top: left[0] marks the last narrow word.
        left = Signal(self.ratio)
        m.d.comb += [
            self.o.valid.eq(left.any()),
            self.o.payload.eq(data[:self.width]),
            self.i.ready.eq(~left.any() | (left[0] & self.o.ready)),
        ]
        with m.If(self.i.ready):
            m.d.sync += left.eq(self.i.valid << (self.ratio - 1))
        with m.Elif(self.o.ready):
            m.d.sync += left.eq(left >> 1)
        with m.If(self.i.ready):
            m.d.sync += data.eq(self.i.payload)
        with m.Elif(self.o.ready):
            m.d.sync += data.eq(data >> self.width)
        return m


class Widen(wiring.Component):
    """Joins ``ratio`` words into a wider one, without a gap between words.

    Latency: a wide word is at ``o`` one clock after its last narrow word was accepted. Throughput:
    a narrow word per clock.

    A wide word has ``ratio`` words of ``width`` bits, 2 or more.
    """

    def __init__(self, width, ratio):
        self.width = width
        self.ratio = ratio
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width * ratio)),
        })

    def elaborate(self, platform):
        m = Module()
        data = Signal(self.width * self.ratio, reset_less=True)
        # One-hot count of the narrow words held.
        filled = Signal(self.ratio + 1, init=1)
        m.d.comb += [
            self.o.valid.eq(filled[-1]),
            self.o.payload.eq(data),
            self.i.ready.eq(~filled[-1] | self.o.ready),
        ]
        with m.If(self.i.ready & self.i.valid):
            m.d.sync += data.eq(Cat(data, self.i.payload) >> self.width)
            m.d.sync += filled.eq(Cat(C(0, 1), filled[-1] | filled[0], filled[1:-1]))
        with m.Elif(self.i.ready):
            m.d.sync += filled.eq(Cat(filled[-1] | filled[0], filled[1:-1], C(0, 1)))
        return m


class Skid(wiring.Component):
    """Queue of two words: ``i.ready``, ``o.valid`` and ``o.payload`` come from registers.

    Latency: a word is at ``o`` one clock after it was accepted. Throughput: a word per clock.
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
