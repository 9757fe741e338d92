"""Frames of :mod:`boards.protocol` in hardware."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from .protocol import ESCAPE, FLAG, FLIP, HEADER_BYTES, TRAILER_BYTES

__all__ = ["FrameReceiver", "FrameTransmitter", "header_signature"]

_HEADER = (("version", 8), ("type", 8), ("tag", 32), ("length", 16))


def header_signature():
    """Return the fields of a frame's header, in their order."""
    return wiring.Signature({name: Out(width) for name, width in _HEADER})


class FrameReceiver(wiring.Component):
    """Finds frames among bytes.

    Parameters
    ----------
    max_payload : :class:`int`
        Of longer frames it only says that they are too long.

    Members
    -------
    i : :py:`In(stream.Signature(8, always_ready=True))`
        Bytes of the line, with two clocks or more from one to the next.
    header : :py:`Out(header_signature())`
        Whole from the first byte of the payload on.
    first : :py:`Out(1)`
        The next byte is the first one of the payload.
    payload : :py:`Out(stream.Signature(8, always_ready=True))`
        The payload, before it is known whether the frame is intact.
    done, intact, overlong : :py:`Out(1)`
        A frame has ended; it is as it was sent; it has more bytes than there may be.
    """

    def __init__(self, max_payload):
        self._max_payload = max_payload
        super().__init__({
            "i": In(stream.Signature(8, always_ready=True)),
            "header": Out(header_signature()), "first": Out(1),
            "payload": Out(stream.Signature(8, always_ready=True)),
            "done": Out(1), "intact": Out(1), "overlong": Out(1)})

    def elaborate(self, platform):
        m = Module()
        header, most = self.header, HEADER_BYTES + self._max_payload + TRAILER_BYTES
        count = Signal(range(most + 2))
        # Of the payload that is still to come.
        left = Signal(range(self._max_payload + 1))
        escaped, escapes, full = Signal(), Signal(), Signal()
        byte, flag, found = Signal(8), Signal(), Signal()
        m.submodules.crc = crc = CRC32_ISO_HDLC(data_width=8).create()
        m.d.comb += [
            flag.eq(self.i.valid & (self.i.payload == FLAG)),
            escapes.eq(self.i.payload == ESCAPE),
            found.eq(self.i.valid & ~flag & ~escapes & ~full),
            byte.eq(Mux(escaped, self.i.payload ^ FLIP, self.i.payload)),
            full.eq(count == most + 1),
            crc.start.eq(count == 0), crc.data.eq(byte), crc.valid.eq(found),
            self.payload.payload.eq(byte), self.payload.valid.eq(found & (left != 0)),
        ]
        m.d.sync += [self.done.eq(0), self.first.eq(0)]
        with m.If(flag):
            m.d.sync += [count.eq(0), left.eq(0), escaped.eq(0), self.done.eq(count != 0)]
            # The checksum has been ready since the last byte.
            m.d.sync += [
                self.overlong.eq(full), self.intact.eq(
                    crc.match_detected & ~escaped & ~full
                    & (count == header.length + HEADER_BYTES + TRAILER_BYTES))]
        with m.Elif(self.i.valid & escapes):
            m.d.sync += escaped.eq(1)
        with m.Elif(found):
            m.d.sync += [count.eq(count + 1), escaped.eq(0)]
            with m.If(count < HEADER_BYTES):
                fields = Cat(getattr(header, name) for name, _ in _HEADER)
                m.d.sync += fields.eq(Cat(fields[8:], byte))
            with m.Elif(left != 0):
                m.d.sync += left.eq(left - 1)
            with m.If(count == HEADER_BYTES - 1):
                length = Cat(header.length[8:], byte)
                m.d.sync += [self.first.eq(1),
                             left.eq(Mux(length > self._max_payload, 0, length))]
        return m


class FrameTransmitter(wiring.Component):
    """Makes bytes for the line out of frames.

    Members
    -------
    header : :py:`In(header_signature())`
        Must not change while a frame is sent.
    i : :py:`In(stream.Signature(8))`
        The payload, of as many bytes as the header says.
    start : :py:`In(1)`
        Begin a frame, if none is being sent. A reset breaks one off, which the flag before the next
        one ends.
    busy : :py:`Out(1)`
        A frame is being sent.
    o : :py:`Out(stream.Signature(8))`
        Bytes for the line.
    """

    def __init__(self):
        super().__init__({"header": In(header_signature()), "i": In(stream.Signature(8)),
                          "start": In(1), "busy": Out(1),
                          "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        # Bytes to be sent as they are, or in two where they look like a flag.
        byte, valid, ready, raw = Signal(8), Signal(), Signal(), Signal()
        special, flipped = Signal(), Signal()
        m.d.comb += [
            special.eq(~raw & ((byte == FLAG) | (byte == ESCAPE))),
            self.o.valid.eq(valid),
            self.o.payload.eq(Mux(special, Mux(flipped, byte ^ FLIP, ESCAPE), byte)),
            ready.eq(self.o.ready & (flipped | ~special)),
        ]
        with m.If(valid & self.o.ready):
            m.d.sync += flipped.eq(special & ~flipped)

        m.submodules.crc = crc = CRC32_ISO_HDLC(data_width=8).create()
        m.d.comb += [crc.start.eq(self.start), crc.data.eq(byte)]
        fields = Cat(getattr(self.header, name) for name, _ in _HEADER)
        rest = Signal(8 * HEADER_BYTES)
        left = Signal(16)
        m.d.comb += byte.eq(rest[:8])
        last = left == 0

        def shift():
            with m.If(ready):
                m.d.sync += [rest.eq(rest[8:]), left.eq(left - 1)]

        with m.FSM():
            with m.State("idle"), m.If(self.start):
                m.next = "begin"
            with m.State("begin"):
                m.d.comb += [raw.eq(1), byte.eq(FLAG), valid.eq(1), self.busy.eq(1)]
                m.d.sync += [rest.eq(fields), left.eq(HEADER_BYTES - 1)]
                with m.If(ready):
                    m.next = "header"
            with m.State("header"):
                m.d.comb += [valid.eq(1), self.busy.eq(1), crc.valid.eq(ready)]
                shift()
                with m.If(ready & last):
                    m.d.sync += left.eq(self.header.length)
                    m.next = "payload"
            with m.State("payload"):
                m.d.comb += [byte.eq(self.i.payload), self.busy.eq(1),
                             valid.eq(self.i.valid & ~last), self.i.ready.eq(ready & ~last),
                             crc.valid.eq(valid & ready)]
                with m.If(last):
                    m.d.sync += [rest.eq(crc.crc), left.eq(TRAILER_BYTES - 1)]
                    m.next = "checksum"
                with m.Elif(valid & ready):
                    m.d.sync += left.eq(left - 1)
            with m.State("checksum"):
                m.d.comb += [valid.eq(1), self.busy.eq(1)]
                shift()
                with m.If(ready & last):
                    m.next = "end"
            with m.State("end"):
                m.d.comb += [raw.eq(1), byte.eq(FLAG), valid.eq(1), self.busy.eq(1)]
                with m.If(ready):
                    m.next = "idle"
        return m
