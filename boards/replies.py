"""The replies of a board, one after the other."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .framing import FrameTransmitter
from .protocol import REPLY, VERSION, Type

__all__ = ["NOTE", "Replies"]


#: The layout of a short reply; ``problem`` is the payload of an ``ERROR``.
NOTE = data.StructLayout({"type": 8, "tag": 32, "problem": 8})


class Replies(wiring.Component):
    """Sends short replies, the description, which are bytes, and results.

    Members
    -------
    note : :py:`In(stream.Signature(NOTE))`
        Short replies; each is taken when it was sent.
    type, tag, length, result : :py:`In(8)`, :py:`In(32)`, :py:`In(16)`,
            :py:`In(stream.Signature(8))`
        The type, tag, number of bytes and payload of a result.
    ready, finish : :py:`In(1)`, :py:`Out(1)`
        A result is ready; it was sent.
    o : :py:`Out(stream.Signature(8))`
        Bytes for the line. A reset breaks off the reply that is being sent.
    """

    def __init__(self, description):
        self._description = description
        super().__init__({
            "note": In(stream.Signature(NOTE)),
            "type": In(8), "tag": In(32), "length": In(16), "result": In(stream.Signature(8)),
            "ready": In(1), "finish": Out(1), "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.frame = frame = FrameTransmitter()
        wiring.connect(m, frame.o, wiring.flipped(self.o))
        size = len(self._description)
        m.submodules.description = memory = Memory(shape=8, depth=size, init=self._description)
        read = memory.read_port()
        place = Signal(range(size + 1))
        is_note = Signal()
        note = self.note.payload
        is_info = Signal()
        is_error = Signal()
        m.d.comb += [
            # A byte is taken every other clock at most, so that the next one is there in time.
            read.addr.eq(place),
            is_info.eq(note.type == Type.INFO | REPLY),
            is_error.eq(note.type == Type.ERROR | REPLY),
            frame.header.version.eq(VERSION)]
        with m.If(frame.i.valid & frame.i.ready):
            m.d.sync += place.eq(place + 1)
        with m.If(is_note):
            m.d.comb += [
                frame.header.type.eq(note.type), frame.header.tag.eq(note.tag),
                frame.header.length.eq(Mux(is_info, size, is_error)),
                frame.i.payload.eq(Mux(is_info, read.data, note.problem)), frame.i.valid.eq(1)]
        with m.Else():
            m.d.comb += [
                frame.header.type.eq(self.type), frame.header.tag.eq(self.tag),
                frame.header.length.eq(self.length), frame.i.payload.eq(self.result.payload),
                frame.i.valid.eq(self.result.valid), self.result.ready.eq(frame.i.ready)]
        with m.FSM():
            with m.State("idle"):
                m.d.sync += [is_note.eq(self.note.valid), place.eq(0)]
                with m.If(self.note.valid | self.ready):
                    m.next = "start"
            with m.State("start"):
                m.d.comb += frame.start.eq(1)
                m.next = "busy"
            with m.State("busy"), m.If(~frame.busy):
                m.d.comb += [self.note.ready.eq(is_note), self.finish.eq(~is_note)]
                m.next = "done"
            with m.State("done"):
                # What was ready has been taken by now.
                m.next = "settle"
            with m.State("settle"):
                m.next = "idle"
        return m
