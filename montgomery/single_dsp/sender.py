"""From the memory to the stream of results."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .processor import Processor

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Sends a number from the memory of a processor.

    A read of the memory is repeated until it succeeds, since a word of the next key or operation
    may be written in the same clock. The next digit is read when this one has room.

    Latency: the first word comes two clocks after digit 0. Throughput: a word every :attr:`PERIOD`
    clocks.

    Members
    -------
    o : :py:`Out(stream.Signature(width))`
        The digits, of ``width`` bits, the lowest first.
    start : :py:`In(1)`
        Send the number. From the next clock on, the processor reads its digit 0.
    zero : :py:`In(1)`
        Send 0 in place of the number.
    advance : :py:`Out(1)`
        From the next clock on, the processor has to read the next digit; after the highest one, it
        may read any.
    blocked : :py:`In(1)`
        In this clock the processor does not read.
    last, sent : :py:`Out(1)`
        The digit at ``o`` is the last one; and it is sent in this clock.
    q : :py:`In(width + 1)`
        A digit from the processor, and above it its flag.
    """

    PERIOD = Processor.LATENCY

    def __init__(self, width):
        super().__init__({
            "o": Out(stream.Signature(width)), "start": In(1), "zero": In(1), "advance": Out(1),
            "blocked": In(1), "last": Out(1), "sent": Out(1), "q": In(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        # Bit n: the digit was asked for n clocks ago. The last bit stays until there is room.
        asked = Signal(Processor.LATENCY)
        blocked = Signal(Processor.LATENCY - 1, reset_less=True)
        full, arrives = Signal(name="full"), Signal(name="arrives")
        last = Signal(reset_less=True)
        digit = Signal.like(self.o.payload, name="digit", reset_less=True)
        m.d.comb += [
            self.o.valid.eq(full), self.o.payload.eq(digit),
            self.advance.eq(asked[-1] & ~blocked[-1] & ~full), self.last.eq(last),
            self.sent.eq(full & self.o.ready & last),
        ]
        m.d.sync += [
            blocked.eq(Cat(self.blocked, blocked)), arrives.eq(self.advance),
            asked.eq(Cat(self.start | self.advance, asked[0] & ~(arrives & self.q[-1]), asked[1:])),
            asked[-1].eq(asked[-2] | (asked[-1] & ~self.advance)),
        ]
        with m.If(~full):
            m.d.sync += [full.eq(arrives), digit.eq(self.q), last.eq(self.q[-1])]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(self.zero):
            m.d.sync += digit.eq(0)
        return m
