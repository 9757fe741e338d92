"""A board with the host's end of its serial line, for simulation."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .top import Top
from .uart import LEAST_DIVISOR, Receiver, Transmitter

__all__ = ["Line"]


class Line(wiring.Component):
    """A :class:`~boards.top.Top` on the fastest possible line, and the host's end of that line.

    Parameters
    ----------
    parameters : :class:`montgomery.CoreParameters`
    baud : :class:`int`
        Baud rate that the board states; the clock is a small multiple of it.

    Members
    -------
    i, o : :py:`In(stream.Signature(8))`, :py:`Out(stream.Signature(8))`
        Bytes to the board, and bytes from it. A byte from the board is lost unless it is taken at
        once.
    busy : :py:`Out(1)`
        That of the board.
    """

    def __init__(self, parameters, *, baud):
        self.frequency_hz = LEAST_DIVISOR * baud
        self.top = Top(parameters, frequency_hz=self.frequency_hz, baud=baud,
                       more={"simulated": True})
        super().__init__({"i": In(stream.Signature(8)), "o": Out(stream.Signature(8)),
                          "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.top = top = self.top
        m.submodules.transmitter = transmitter = Transmitter(LEAST_DIVISOR)
        m.submodules.receiver = receiver = Receiver(LEAST_DIVISOR)
        wiring.connect(m, wiring.flipped(self.i), transmitter.i)
        m.d.comb += [top.rx.eq(transmitter.tx), receiver.rx.eq(top.tx), self.busy.eq(top.busy),
                     self.o.valid.eq(receiver.o.valid), self.o.payload.eq(receiver.o.payload)]
        return m
