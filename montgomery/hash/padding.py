"""The padding of a message to whole blocks, FIPS 180-4, 5.1.1."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Padding"]

_BLOCK, _LENGTH = 64, 8


class Padding(wiring.Component):
    """Adds to each message a one, zeros, and its length in bits, up to a multiple of 512 bits.

    Members
    -------
    i : :py:`In(stream.Signature(MessageByte))`
        See :class:`~montgomery.hash.sha1.MessageByte`.
    o : :py:`Out(stream.Signature(8))`
        Bytes, in the clock in which they come, as far as they are the message's.
    last : :py:`Out(1)`
        This is the last byte of the last block.
    """

    i: In(stream.Signature(data.StructLayout({"data": 8, "end": 1})))
    o: Out(stream.Signature(8))
    last: Out(1)

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(_BLOCK), name="place")
        length = Signal(8 * _LENGTH - 3, name="length")  # in bytes, at most 2**61 - 1
        bits = Signal(8 * _LENGTH, name="bits", reset_less=True)
        message, mark, zeros, tail = (Signal(name="message", init=1), Signal(name="mark"),
                                      Signal(name="zeros"), Signal(name="tail"))
        is_data = message & ~self.i.payload.end
        m.d.comb += [
            self.i.ready.eq(message & (self.i.payload.end | self.o.ready)),
            self.o.valid.eq((is_data & self.i.valid) | ~message),
            self.o.payload.eq(Mux(message, self.i.payload.data,
                                  Mux(tail, bits[-8:], Mux(mark, Const(0x80, 8), 0)))),
            self.last.eq(tail & (place == _BLOCK - 1)),
        ]
        with m.If(message & self.i.valid & self.i.payload.end):
            m.d.sync += [message.eq(0), mark.eq(1), bits.eq(length << 3), length.eq(0)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(message):
                m.d.sync += length.eq(length + 1)
            with m.If(mark | zeros):
                to_tail = place == _BLOCK - _LENGTH - 1
                m.d.sync += [mark.eq(0), zeros.eq(~to_tail), tail.eq(to_tail)]
            with m.If(tail):
                m.d.sync += bits.eq(bits << 8)
                with m.If(place == _BLOCK - 1):
                    m.d.sync += [tail.eq(0), message.eq(1)]
        return m
