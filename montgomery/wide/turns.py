"""A queue for words that are late in their clock."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Turns"]


class Turns(wiring.Component):
    """Queue of two words, in two registers in turn, which nothing is in front of.

    :class:`~..blocks.skid.Skid` chooses between words in front of a register, and this one behind.

    Latency: a word is at ``o`` one clock after it was accepted. Throughput: a word per clock.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
    o : :py:`Out(stream.Signature(width))`
    will_be_ready : :py:`Out(1)`
        What ``i.ready`` is in the next clock.
    """

    LATENCY = 1

    def __init__(self, width):
        self.width = width
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
                          "will_be_ready": Out(1)})

    def elaborate(self, platform):
        m = Module()
        ready = Signal(init=1)
        valid, enters, leaves, to, at = (Signal(name=name) for name in (
            "valid", "enters", "leaves", "to", "at"))
        words = [Signal(self.width, name=f"word_{index}", reset_less=True) for index in range(2)]
        m.d.comb += [
            self.i.ready.eq(ready), enters.eq(self.i.valid & ready),
            self.o.valid.eq(valid), leaves.eq(valid & self.o.ready),
            self.o.payload.eq(Mux(at, words[1], words[0])),
            self.will_be_ready.eq(~valid | leaves | (ready & ~self.i.valid))]
        m.d.sync += [ready.eq(self.will_be_ready), valid.eq(enters | ~ready | (valid & ~leaves)),
                     to.eq(to ^ enters), at.eq(at ^ leaves)]
        for index, word in enumerate(words):
            # Without a word, what is there does not count.
            with m.If(ready & (to == index)):
                m.d.sync += word.eq(self.i.payload)
        return m
