"""From the memory to the stream of results."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .processor import Processor

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Sends a number from the memory of a processor.

    A digit is asked for until it is there, since words of the next key or operation may be written
    in the same clock; and the next one is asked for when there is room for this one.

    Latency and throughput: the first word comes :attr:`LATENCY` clocks after ``send``, and a word
    every :attr:`PERIOD` clocks.

    Parameters
    ----------
    width : :class:`int`
        Bits per digit.

    Members
    -------
    o : :py:`Out(stream.Signature(width))`
        The digits, the lowest first.
    send : :py:`In(1)`
        Send the number. In the clock after, its digit 0 is asked for by the ports of the processor.
    is_0 : :py:`In(1)`
        Send digits of 0 in place of its own.
    next : :py:`Out(1)`
        From the next clock on the digit above is asked for; it may be one above the highest.
    lost : :py:`In(1)`
        In this clock the memory is not asked for the digit.
    last : :py:`Out(1)`
        The digit at ``o`` is the last one.
    sent : :py:`Out(1)`
        The last digit is sent in this clock.
    q : :py:`In(width + 1)`
        From the processor.
    """

    LATENCY = Processor.LATENCY + 2
    PERIOD = Processor.LATENCY

    def __init__(self, *, width):
        super().__init__({
            "o": Out(stream.Signature(width)), "send": In(1), "is_0": In(1), "next": Out(1),
            "lost": In(1), "last": Out(1), "sent": Out(1), "q": In(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        # Bit n: the digit was asked for n clocks ago. The last bit stays until there is room.
        asked = Signal(Processor.LATENCY)
        lost = Signal(Processor.LATENCY - 1, reset_less=True)
        full, arrives = Signal(name="full"), Signal(name="arrives")
        last = Signal(reset_less=True)
        digit = Signal.like(self.o.payload, name="digit", reset_less=True)
        m.d.comb += [
            self.o.valid.eq(full), self.o.payload.eq(digit),
            self.next.eq(asked[-1] & ~lost[-1] & ~full), self.last.eq(last),
            self.sent.eq(full & self.o.ready & last),
        ]
        m.d.sync += [
            lost.eq(Cat(self.lost, lost)), arrives.eq(self.next),
            asked.eq(Cat(self.send | self.next, asked[0] & ~(arrives & self.q[-1]), asked[1:])),
            asked[-1].eq(asked[-2] | (asked[-1] & ~self.next)),
        ]
        with m.If(~full):
            m.d.sync += [full.eq(arrives), digit.eq(self.q), last.eq(self.q[-1])]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(self.is_0):
            m.d.sync += digit.eq(0)
        return m
