"""The digits of an exponent, from the highest."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate

__all__ = ["Digits"]


class Digits(wiring.Component):
    """Cuts the words of an exponent into digits, by a shift of a bit in every second clock.

    Latency: a digit of w bits is ready 2 w + 1 clocks after the one before was taken, and later
    where a word of the exponent has to be fetched.

    Throughput: a bit of the exponent every second clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    bits : :class:`int`
        Bits per digit.
    words : :class:`int`
        Words of the longest exponent.
    most : :class:`int`
        Digits of the longest exponent.

    Members
    -------
    start : :py:`In(1)`, count : :py:`In(range(most + 1))`
        Begin with the first word, if ``take`` is high besides. So many digits are wanted.
    free : :py:`In(1)`
        The memory is told to read word number ``index`` in this clock, and goes on with what it
        was told in the two clocks before.
    index : :py:`Out(range(words + 1))`
        Number of the word that is wanted.
    word : :py:`In(width)`
        The word that the memory was told to read three clocks ago. It stays for another clock
        whether the memory goes on or not, if the memory was told so twice.
    digit : :py:`Out(bits)`, ready : :py:`Out(1)`, last : :py:`Out(1)`
        The current digit, if ``ready``, and whether it is the last one.
    take : :py:`In(1)`
        Go on to the next digit.
    """

    def __init__(self, width, bits, *, words, most):
        self.width, self.bits = width, bits
        super().__init__({
            "start": In(1), "count": In(range(most + 1)),
            "free": In(1), "index": Out(range(words + 1)), "word": In(width),
            "digit": Out(bits), "ready": Out(1), "last": Out(1), "take": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        word = Signal(self.width, reset_less=True)
        held = Signal(range(self.width + 1))  # bits in word
        empty = Signal(init=1)
        missing = Signal(self.bits + 1, init=1)  # bits of the digit, one-hot
        left = Signal.like(self.count)  # digits from the current one on
        fewer = Signal.like(self.count)  # with the next
        ends = Signal()  # with the next
        reading = Signal(3)  # clocks since the word was asked for
        m.d.comb += self.ready.eq(missing[0])

        fetched = Signal()
        shifts = Signal()
        # Enables come from registers. What the memory was told three clocks ago it was told in the
        # clock after, too: so the word is still there a clock later.
        m.d.sync += [fetched.eq(empty & reading.all() & ~fetched & ~self.start),
                     shifts.eq(~empty & ~missing[0] & ~shifts & ~self.start),
                     reading.eq(gate(~(fetched | self.start), Cat(self.free & empty, reading)[:3]))]
        # A digit takes longer than this to become ready.
        m.d.sync += [fewer.eq(left - 1), ends.eq(left == 2)]
        with m.If(fetched):
            m.d.sync += [word.eq(self.word), held.eq(self.width), empty.eq(0),
                         self.index.eq(self.index + 1)]
        with m.If(shifts):
            m.d.sync += [word.eq(word << 1), self.digit.eq(Cat(word[-1], self.digit)),
                         missing.eq(missing >> 1), held.eq(held - 1), empty.eq(held == 1)]
        with m.If(self.take):
            m.d.sync += [missing.eq(1 << self.bits), left.eq(fewer), self.last.eq(ends)]
        with m.If(self.start):
            m.d.sync += [empty.eq(1), self.index.eq(0),
                         left.eq(self.count), self.last.eq(self.count == 1)]
        return m
