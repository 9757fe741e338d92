"""A serial line: eight data bits, no parity, one stop bit."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["Receiver", "Transmitter", "divisor"]

#: Clocks a bit with which a receiver still finds the middle of a bit.
LEAST_DIVISOR = 4
#: Of a bit, how far a receiver may be off at the end of a byte: half of it is left for the host.
_TOLERANCE = 0.25
_BITS = 10


def divisor(clock_hz, baud):
    """Return the number of clocks per bit; :exc:`ValueError` if the line is too fast for them."""
    clocks = round(clock_hz / baud)
    slip = _BITS * abs(clocks * baud / clock_hz - 1)
    if clocks < LEAST_DIVISOR or slip > _TOLERANCE:
        raise ValueError(f"{baud} baud is too fast for a clock of {clock_hz / 1e6:g} MHz, or a "
                         f"bit takes no whole number of clocks; take {clock_hz // 16} baud or "
                         "less, such as 115200")
    return clocks


def _due(m, rests, clocks, most):
    """Return a signal that is high every so many clocks, the first time that long after a rest."""
    timer = Signal(range(most))
    due = Signal()
    # Seen a clock late, and counted from the clock after.
    m.d.sync += [due.eq(timer == clocks - 2), timer.eq(timer + 1)]
    with m.If(rests | due):
        m.d.sync += timer.eq(0)
    return due


class Receiver(wiring.Component):
    """Receives bytes from a line, on which a bit takes ``divisor`` clocks.

    Members
    -------
    rx : :py:`In(1)`
        The line, in no clock domain.
    o : :py:`Out(stream.Signature(8, always_ready=True))`
        The bytes that end in a stop bit; others are dropped.
    """

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__({"rx": In(1, init=1),
                          "o": Out(stream.Signature(8, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        line = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.rx, line, init=1)
        bits = Signal(range(_BITS + 1))
        # Half a bit after its beginning, the start bit is still there.
        due = _due(m, bits == 0, Mux(bits == _BITS, self._divisor // 2, self._divisor),
                   self._divisor)
        m.d.sync += self.o.valid.eq(0)
        with m.If(bits == 0), m.If(~line):
            m.d.sync += bits.eq(_BITS)
        with m.Elif(due):
            m.d.sync += bits.eq(bits - 1)
            with m.If((bits == _BITS) & line):
                m.d.sync += bits.eq(0)
            with m.Elif(bits == 1):
                m.d.sync += self.o.valid.eq(line)
            with m.Else():
                m.d.sync += self.o.payload.eq(Cat(self.o.payload[1:], line))
        return m


class Transmitter(wiring.Component):
    """Sends bytes to a line, on which a bit takes ``divisor`` clocks.

    Members
    -------
    i : :py:`In(stream.Signature(8))`
    tx : :py:`Out(1)`
        The line, driven by a register.
    """

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "tx": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        bits = Signal(range(_BITS + 1))
        rest = Signal(_BITS - 1)
        due = _due(m, bits == 0, self._divisor, self._divisor)
        m.d.comb += self.i.ready.eq(bits == 0)
        with m.If(bits == 0), m.If(self.i.valid):
            m.d.sync += [self.tx.eq(0), rest.eq(Cat(self.i.payload, 1)), bits.eq(_BITS)]
        with m.Elif(due):
            m.d.sync += [bits.eq(bits - 1), self.tx.eq(rest[0]), rest.eq(Cat(rest[1:], 1))]
        return m
