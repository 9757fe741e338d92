"""A core behind a serial line, on any board; and with the host's end of the line, simulated."""

import dataclasses
import json

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from montgomery.bus import RegisterMap
from montgomery.bus.shell import Shell
from montgomery.core import kind_of, name_of

from .framing import FrameReceiver, FrameTransmitter
from .master import Master
from .uart import LEAST_DIVISOR, Receiver, Transmitter, divisor

__all__ = ["BAUD", "Line", "Top", "description"]

BAUD = 115_200
#: Registers that the block RAM of every device can hold.
MOST = 1 << 14


def description(parameters, *, clock_hz, baud, **more):
    """Return a board's description of itself for JSON, which names the core as the registry does.
    """
    params = dataclasses.asdict(parameters)
    return {"arch": name_of(parameters), "kind": kind_of(parameters).name,
            "width": params.pop("width"),
            "params": params, "clock_hz": clock_hz, "baud": baud, **more}


class Top(wiring.Component):
    """A core behind a serial line that speaks :mod:`boards.protocol`.

    Parameters
    ----------
    frequency_hz : :class:`int`
        Frequency of the clock.
    baud : :class:`int`
        Bits per second of the line.
    more : :class:`dict` or ``None``
        Further entries of the :func:`description`.

    Members
    -------
    rx : :py:`In(1)`
        The line from the host, in no clock domain.
    tx : :py:`Out(1)`
        The line to the host.
    busy, error : :py:`Out(1)`
        The core works on an operation; the board refused the last request.

    Raises
    ------
    ValueError
        If the line is too fast for the clock, or there are too many registers.
    """

    def __init__(self, parameters, *, frequency_hz, baud=BAUD, more=None):
        self._divisor = divisor(frequency_hz, baud)
        said = description(parameters, clock_hz=frequency_hz, baud=baud, **(more or {}))
        self.registers = RegisterMap(parameters, clear=True, text=json.dumps(
            said, separators=(",", ":")).encode())
        if self.registers.size // 8 > MOST:
            raise ValueError(f"Registers of the results and of the operands and the key must be "
                             f"{MOST} or fewer each, unlike those of {name_of(parameters)} with "
                             f"{parameters.width} bits; take a smaller width")
        super().__init__({"rx": In(1, init=1), "tx": Out(1, init=1), "busy": Out(1),
                          "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = Receiver(self._divisor)
        m.submodules.transmitter = transmitter = Transmitter(self._divisor)
        m.submodules.frames = frames = FrameReceiver()
        m.submodules.replies = replies = FrameTransmitter()
        m.submodules.master = master = Master(self.registers)
        m.submodules.shell = shell = Shell(self.registers, overlaps=True)
        wiring.connect(m, receiver.o, frames.i)
        wiring.connect(m, frames.o, master.i)
        wiring.connect(m, master.o, replies.i)
        wiring.connect(m, replies.o, transmitter.i)
        m.d.comb += [
            receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx),
            master.done.eq(frames.done), master.intact.eq(frames.intact),
            replies.fills.eq(master.fills), master.sends.eq(replies.busy),
            shell.address.eq(master.number), shell.data.eq(master.data),
            shell.write.eq(master.write), master.found.eq(shell.q),
            self.busy.eq(master.busy), self.error.eq(master.error)]
        return m


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
