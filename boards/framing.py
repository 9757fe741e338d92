"""Hardware for the frames of :mod:`boards.protocol`, and for the replies of a board in them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .protocol import ESCAPE, FLAG, FLIP, HEADER_BYTES, REPLY, TRAILER_BYTES, VERSION, Type

__all__ = ["HEADER", "NOTE", "FrameReceiver", "FrameTransmitter", "Replies"]

HEADER = data.StructLayout({"version": 8, "type": 8, "tag": 32, "length": 16})


class FrameReceiver(wiring.Component):
    """Finds frames among bytes, and reports those of more than ``max_payload`` as overlong.

    Members
    -------
    i : :py:`In(stream.Signature(8, always_ready=True))`
        Bytes from the line, at least eight clocks apart.
    header : :py:`Out(HEADER)`
        The header of the frame, complete from the first byte of the payload on.
    first : :py:`Out(1)`
        The next byte is the first byte of the payload.
    payload : :py:`Out(stream.Signature(8, always_ready=True))`
        The payload; whether the frame is intact is known at its end only.
    done, intact, overlong : :py:`Out(1)`
        A frame has ended; it is intact; it is too long.
    """

    def __init__(self, max_payload):
        self._max_payload = max_payload
        super().__init__({
            "i": In(stream.Signature(8, always_ready=True)),
            "header": Out(HEADER), "first": Out(1),
            "payload": Out(stream.Signature(8, always_ready=True)),
            "done": Out(1), "intact": Out(1), "overlong": Out(1)})

    def elaborate(self, platform):
        m = Module()
        header, most = self.header, HEADER_BYTES + self._max_payload + TRAILER_BYTES
        # A byte is looked at in one clock, and used in the next.
        flag = Signal()
        escape = Signal()
        plain = Signal()
        seen = Signal(8)
        is_flag, is_escape = self.i.payload == FLAG, self.i.payload == ESCAPE
        m.d.sync += [
            flag.eq(self.i.valid & is_flag), escape.eq(self.i.valid & is_escape),
            plain.eq(self.i.valid & ~is_flag & ~is_escape), seen.eq(self.i.payload)]

        count = Signal(range(most + 2))
        escaped = Signal()
        # Of the payload that is still to come.
        left = Signal(range(self._max_payload + 1))
        # Known long before the next byte comes.
        full, empty, in_header, complete, ends = (Signal(name=name) for name in (
            "full", "empty", "in_header", "complete", "ends"))
        size = Signal(17)
        m.submodules.crc = crc = CRC32_ISO_HDLC(data_width=8).create()
        m.d.sync += [
            full.eq(count == most + 1), empty.eq(count == 0), in_header.eq(count < HEADER_BYTES),
            ends.eq(count == HEADER_BYTES - 1),
            size.eq(header.length + HEADER_BYTES + TRAILER_BYTES),
            complete.eq(crc.match_detected & (count == size))]
        byte = Signal(8)
        found = Signal()
        m.d.comb += [
            byte.eq(Mux(escaped, seen ^ FLIP, seen)), found.eq(plain & ~full),
            crc.start.eq(empty & found), crc.data.eq(byte), crc.valid.eq(found),
            self.payload.payload.eq(byte), self.payload.valid.eq(found & (left != 0))]

        m.d.sync += [self.done.eq(0), self.first.eq(0)]
        with m.If(self.first):
            m.d.sync += left.eq(Mux(header.length > self._max_payload, 0, header.length))
        with m.If(flag):
            m.d.sync += [count.eq(0), left.eq(0), escaped.eq(0), self.done.eq(~empty),
                         self.overlong.eq(full), self.intact.eq(complete & ~escaped & ~full)]
        with m.Elif(escape):
            m.d.sync += escaped.eq(1)
        with m.Elif(found):
            m.d.sync += [count.eq(count + 1), escaped.eq(0), self.first.eq(ends)]
            with m.If(in_header):
                m.d.sync += header.eq(Cat(header.as_value()[8:], byte))
            with m.Elif(left != 0):
                m.d.sync += left.eq(left - 1)
        return m


class FrameTransmitter(wiring.Component):
    """Turns frames into bytes for the line.

    Members
    -------
    header : :py:`In(HEADER)`
        Must not change while a frame is sent.
    i : :py:`In(stream.Signature(8))`
        The payload, of as many bytes as the header states.
    start : :py:`In(1)`
        Begins a frame, if none is being sent. A reset breaks a frame off; the flag before the next
        frame ends it.
    busy : :py:`Out(1)`
        A frame is being sent.
    o : :py:`Out(stream.Signature(8))`
    """

    def __init__(self):
        super().__init__({"header": In(HEADER), "i": In(stream.Signature(8)),
                          "start": In(1), "busy": Out(1),
                          "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        # The byte on its way to the line: as it is, or in two where it looks like a flag.
        byte = Signal(8)
        full = Signal()
        raw = Signal()
        flipped = Signal()
        special = ~raw & ((byte == FLAG) | (byte == ESCAPE))
        m.d.comb += [self.o.valid.eq(full),
                     self.o.payload.eq(Mux(special, Mux(flipped, byte ^ FLIP, ESCAPE), byte))]
        with m.If(full & self.o.ready):
            m.d.sync += [flipped.eq(special & ~flipped), full.eq(special & ~flipped)]

        m.submodules.crc = crc = CRC32_ISO_HDLC(data_width=8).create()
        checked = Signal()
        m.d.comb += [crc.start.eq(self.start), crc.data.eq(byte), crc.valid.eq(checked)]
        m.d.sync += checked.eq(0)
        rest = Signal(8 * HEADER_BYTES)
        left = Signal(16)
        last = Signal()
        # There is a byte every other clock at most, so that this is known in time.
        m.d.sync += last.eq(left == 0)

        def send(value, *, is_flag=False):
            return [byte.eq(value), full.eq(1), raw.eq(is_flag)]

        with m.FSM() as fsm:
            with m.State("idle"), m.If(self.start):
                m.next = "begin"
            with m.State("begin"), m.If(~full):
                m.d.sync += [*send(FLAG, is_flag=True), rest.eq(self.header),
                             left.eq(HEADER_BYTES - 1)]
                m.next = "header"
            with m.State("header"), m.If(~full):
                m.d.sync += [*send(rest[:8]), checked.eq(1), rest.eq(rest[8:]),
                             left.eq(left - 1)]
                with m.If(last):
                    m.d.sync += left.eq(self.header.length)
                    m.next = "payload"
            with m.State("payload"):
                m.d.comb += self.i.ready.eq(~full & ~last)
                with m.If(~full & last):
                    m.d.sync += [rest.eq(crc.crc), left.eq(TRAILER_BYTES - 1)]
                    m.next = "settle"
                with m.Elif(~full & self.i.valid):
                    m.d.sync += [*send(self.i.payload), checked.eq(1), left.eq(left - 1)]
            with m.State("settle"):
                m.next = "checksum"
            with m.State("checksum"), m.If(~full):
                m.d.sync += [*send(rest[:8]), rest.eq(rest[8:]), left.eq(left - 1)]
                with m.If(last):
                    m.next = "end"
            with m.State("end"), m.If(~full):
                m.d.sync += send(FLAG, is_flag=True)
                m.next = "idle"
        m.d.comb += self.busy.eq(~fsm.ongoing("idle"))
        return m


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
