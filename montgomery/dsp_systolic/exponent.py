"""The exponent, bit by bit."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam

__all__ = ["Exponent"]


class Exponent(wiring.Component):
    """Keeps an exponent in a block RAM, and gives its bits from the highest one.

    Latency: eight clocks from ``rewind`` to the first bit. Throughput: a bit per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word, 4 or more.
    words : :class:`int`
        Words of the exponent, of which the highest one comes first.
    window : :class:`int`
        Bits of a digit of the exponent.

    Members
    -------
    write : :py:`In(1)`, index : :py:`In(range(words))`, word : :py:`In(width)`
        Keep a word.
    rewind : :py:`In(1)`
        Begin with the first word again. The first bit may be taken eight clocks later.
    take : :py:`In(1)`
        Move the next bit into ``digit``. One a clock.
    digit : :py:`Out(window)`
        The bits that were taken last, the last one lowest; 0 after ``rewind``.
    """

    def __init__(self, width, words, window):
        self.width, self.words = width, words
        super().__init__({"write": In(1), "index": In(range(words)), "word": In(width),
                          "rewind": In(1), "take": In(1), "digit": Out(window)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = BlockRam(self.width, max(self.words, 2))
        following = Signal(range(self.words + 1), name="following")
        # Bits of ``bits`` after the next one: -1 if there is one bit.
        left = Signal(range(-1, self.width - 1), name="left", init=-1)
        bits = Signal(self.width, name="bits", reset_less=True)
        filling = Signal(6, name="filling")
        m.d.sync += [
            memory.a.write.eq(self.write), memory.a.address.eq(self.index),
            memory.a.data.eq(self.word), filling.eq(Cat(self.rewind, filling)),
        ]
        m.d.comb += memory.b.address.eq(following)
        with m.If(self.take):
            m.d.sync += [self.digit.eq(Cat(bits[-1], self.digit)), bits.eq(bits << 1),
                         left.eq(left - 1)]
        with m.If(filling[-1] | (self.take & (left < 0))):
            m.d.sync += [bits.eq(memory.b.q), left.eq(self.width - 2), following.eq(following + 1)]
        with m.If(self.rewind):
            m.d.sync += [following.eq(0), self.digit.eq(0)]
        return m
