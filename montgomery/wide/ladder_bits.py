"""Bits of a scalar, as a ladder takes them: from the highest one, each added to the one before."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.delay import later
from .primes import DIGITS
from .ranges import BASE

__all__ = ["LadderBits", "ladder_bits"]


def ladder_bits(scalar, bits):
    """Return for each bit, from the highest one, whether it is not the one above."""
    return [(scalar ^ scalar >> 1) >> place & 1 for place in reversed(range(bits))]


class LadderBits(wiring.Component):
    """Keeps a scalar, clamped as RFC 7748 says for X25519, and gives digits of 0 and 1.

    A digit is 1 where a bit is not the one above: then the two points of a ladder change places.

    Latency: a clock from ``next`` to the digit. Throughput: a digit in four clocks.

    Members
    -------
    push, word : :py:`In(1)`, :py:`In(BASE)`
        Take a word of the scalar, the lowest one first. The last one makes bit 254 next.
    next : :py:`In(1)`
        Give the next digit.
    magnitude, negative : :py:`Out(1)`
        The digit, which is not negative.
    """

    def __init__(self):
        super().__init__({"push": In(1), "word": In(BASE), "next": In(1), "magnitude": Out(1),
                          "negative": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = Memory(shape=BASE, depth=DIGITS, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        to, at = Signal(range(DIGITS)), Signal(range(DIGITS * BASE), reset_less=True)
        word = self.word
        m.d.comb += [write.en.eq(self.push), write.addr.eq(to), read.addr.eq(at[4:]),
                     write.data.eq(Cat(word[:3] & (to != 0).replicate(3), word[3:-2],
                                       word[-2] | (to == DIGITS - 1),
                                       word[-1] & (to != DIGITS - 1)))]
        row = later(m, read.data, 1, "row")
        bit = later(m, row.bit_select(at[:4], 1), 1, "bit")
        above = Signal(reset_less=True)
        with m.If(self.push):
            m.d.sync += [to.eq(to + 1), at.eq(DIGITS * BASE - 2), above.eq(0)]
        with m.Elif(self.next):
            m.d.sync += [at.eq(at - 1), above.eq(bit), self.magnitude.eq(bit ^ above)]
        return m
