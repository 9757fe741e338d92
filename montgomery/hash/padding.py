"""The padding of a message to whole blocks, FIPS 180-4, 5.1.1."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .algorithm import BLOCK, LENGTH, MARK

__all__ = ["MessageByte", "Padding"]


class MessageByte(data.Struct):
    """An octet of a message; or, with ``end``, what comes after its last octet, if it has one."""

    data: 8
    end: 1


class Padding(wiring.Component):
    """Adds to each message a one, zeros, and its length in bits, up to a multiple of 512 bits.

    Latency: none. Throughput: an octet a clock, but for the clock that takes the end.

    Parameters
    ----------
    longest : :class:`int`
        Octets of the longest message. The length of a longer one is wrong, and only that.

    Members
    -------
    i : :py:`In(stream.Signature(MessageByte))`
        Octets of messages, and after each message an end.
    o : :py:`Out(stream.Signature(8))`
        Octets of blocks.
    last : :py:`Out(1)`
        This is the last octet of the last block.
    """

    def __init__(self, longest):
        self.longest = longest
        super().__init__({"i": In(stream.Signature(MessageByte)), "o": Out(stream.Signature(8)),
                          "last": Out(1)})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(BLOCK))
        length = Signal(range(self.longest + 1))
        before_length = place == BLOCK - LENGTH - 1
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(place + 1)
        with m.FSM(name="state"):
            with m.State("MESSAGE"):
                # The end is taken as octets are, so that it takes a clock of its own everywhere.
                m.d.comb += [self.i.ready.eq(self.o.ready), self.o.payload.eq(self.i.payload.data),
                             self.o.valid.eq(self.i.valid & ~self.i.payload.end)]
                with m.If(self.i.valid & self.i.ready):
                    with m.If(self.i.payload.end):
                        m.next = "MARK"
                    with m.Else():
                        m.d.sync += length.eq(length + 1)
            with m.State("MARK"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(MARK)]
                with m.If(self.o.ready):
                    m.next = "ZEROS"
                    with m.If(before_length):
                        m.next = "LENGTH"
            with m.State("ZEROS"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready & before_length):
                    m.next = "LENGTH"
            with m.State("LENGTH"):
                m.d.comb += [self.o.valid.eq(1), self.last.eq(place == BLOCK - 1)]
                bits = Cat(Const(0, 3), length)
                with m.Switch(place[:3]):
                    for start in range(0, len(bits), 8):
                        with m.Case(LENGTH - 1 - start // 8):
                            m.d.comb += self.o.payload.eq(bits[start:start + 8])
                with m.If(self.o.ready & self.last):
                    m.d.sync += length.eq(0)
                    m.next = "MESSAGE"
        return m
