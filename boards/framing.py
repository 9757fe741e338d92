"""Hardware for the frames of :mod:`boards.protocol`: bits on one side, bytes on the other.

A byte takes ten bits on the line, and each of these some clocks. So there is time to look at the
bits of a byte one after the other, the lowest first, which takes much less logic.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .protocol import ESCAPE, FLAG, FLIP

__all__ = ["Checksum", "FrameReceiver", "FrameTransmitter"]

#: The polynomial of CRC-32/ISO-HDLC, the highest power lowest, and what is left of a whole frame.
_POLYNOMIAL, _RESIDUE = 0xEDB88320, 0xDEBB20E3
_BYTE, _CHECKSUM = 8, 32


class Checksum(wiring.Component):
    """A CRC-32/ISO-HDLC of bits.

    Latency: a clock. Throughput: a bit per clock.

    Members
    -------
    start : :py:`In(1)`
        Begins anew.
    bit, valid : :py:`In(1)`
    gives : :py:`In(1)`
        Gives the checksum at ``out``, a bit per clock, and is empty then.
    out, right : :py:`Out(1)`
        The lowest bit of the checksum; the bits so far end in their own checksum.
    """

    def __init__(self):
        super().__init__({"start": In(1), "bit": In(1), "valid": In(1), "gives": In(1),
                          "out": Out(1), "right": Out(1)})

    def elaborate(self, platform):
        m = Module()
        rest = Signal(_CHECKSUM, init=(1 << _CHECKSUM) - 1)
        odd = Signal()
        m.d.comb += [self.out.eq(~rest[0]), self.right.eq(rest == _RESIDUE),
                     odd.eq((rest[0] ^ self.bit) & ~self.gives)]
        with m.If(self.start):
            m.d.sync += rest.eq(rest.init)
        with m.Elif(self.valid | self.gives):
            m.d.sync += rest.eq(rest[1:] ^ Mux(odd, _POLYNOMIAL, 0))
        return m


class FrameReceiver(wiring.Component):
    """Finds frames among bytes.

    Latency: a bit leaves a clock to eight after its byte.

    Members
    -------
    i : :py:`In(stream.Signature(8, always_ready=True))`
        Bytes from the line, at least ten clocks apart.
    o : :py:`Out(stream.Signature(1, always_ready=True))`
        What a frame holds, and its checksum; whether the frame is intact is known at its end only.
    done, intact : :py:`Out(1)`
        A frame of a byte or more has ended; it is intact.
    """

    def __init__(self):
        super().__init__({
            "i": In(stream.Signature(_BYTE, always_ready=True)),
            "o": Out(stream.Signature(1, always_ready=True)), "done": Out(1), "intact": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.checksum = checksum = Checksum()
        byte, left = Signal(_BYTE), Signal(range(_BYTE + 1))  # and bits of it that are to come
        empty, escaped = Signal(init=1), Signal()
        is_flag, is_escape = self.i.payload == FLAG, self.i.payload == ESCAPE
        m.d.comb += [
            self.o.payload.eq(byte[0]), self.o.valid.eq(left != 0),
            checksum.bit.eq(self.o.payload), checksum.valid.eq(self.o.valid),
            checksum.start.eq(self.done)]
        m.d.sync += self.done.eq(0)
        with m.If(self.o.valid):
            m.d.sync += [byte.eq(byte[1:]), left.eq(left - 1)]
        with m.If(self.i.valid):
            m.d.sync += escaped.eq(is_escape)
            with m.If(is_flag):
                m.d.sync += [self.done.eq(~empty), empty.eq(1),
                             self.intact.eq(checksum.right & ~escaped)]
            with m.Elif(~is_escape):
                m.d.sync += [byte.eq(self.i.payload ^ Mux(escaped, FLIP, 0)), left.eq(_BYTE),
                             empty.eq(0)]
        return m


class FrameTransmitter(wiring.Component):
    """Turns what frames hold into bytes for the line.

    Members
    -------
    i : :py:`In(stream.Signature(1))`
        What a frame holds; zeros are added until the last byte is whole.
    fills : :py:`In(1)`
        A frame is to be sent, or not all of its bits have been given.
    busy : :py:`Out(1)`
        A frame is being sent.
    o : :py:`Out(stream.Signature(8))`
    """

    def __init__(self):
        super().__init__({"i": In(stream.Signature(1)), "fills": In(1), "busy": Out(1),
                          "o": Out(stream.Signature(_BYTE))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.checksum = checksum = Checksum()
        byte, count = Signal(_BYTE), Signal(range(_BYTE + 1))  # and bits that are in it
        raw, flipped = Signal(), Signal()
        full, special = Signal(), Signal()
        m.d.comb += [
            full.eq(count == _BYTE), self.o.valid.eq(full),
            special.eq(~raw & ((byte == FLAG) | (byte == ESCAPE)) & ~flipped),
            self.o.payload.eq(Mux(special, ESCAPE, byte ^ Mux(flipped, FLIP, 0)))]
        with m.If(full & self.o.ready):
            m.d.sync += flipped.eq(special)
            with m.If(~special):
                m.d.sync += [count.eq(0), raw.eq(0)]

        def shift(bit):
            return [byte.eq(Cat(byte[1:], bit)), count.eq(count + 1)]

        flag = [byte.eq(FLAG), count.eq(_BYTE), raw.eq(1)]
        left = Signal(range(_CHECKSUM))
        with m.FSM() as fsm:
            with m.State("rest"):
                m.d.comb += checksum.start.eq(1)
                with m.If(self.fills):
                    m.d.sync += flag
                    m.next = "content"
            with m.State("content"), m.If(~full):
                with m.If(~self.fills & (count == 0)):
                    m.next = "checksum"
                with m.Elif(self.i.valid | ~self.fills):
                    m.d.comb += [self.i.ready.eq(1), checksum.valid.eq(1),
                                 checksum.bit.eq(self.i.payload & self.fills)]
                    m.d.sync += shift(checksum.bit)
            with m.State("checksum"), m.If(~full):
                m.d.comb += checksum.gives.eq(1)
                m.d.sync += [*shift(checksum.out), left.eq(left + 1)]
                with m.If(left == _CHECKSUM - 1):
                    m.next = "end"
            with m.State("end"), m.If(~full):
                m.d.sync += flag
                m.next = "rest"
        m.d.comb += self.busy.eq(~fsm.ongoing("rest"))
        return m
