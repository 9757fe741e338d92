"""The digits of the exponents of a key, one after the other."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Exponent"]


class Exponent(wiring.Component):
    """Keeps the words of one or two exponents, and gives their digits, the highest one first.

    Latency: the first digit is there five clocks after ``loads``, and the next one five clocks
    after ``uses`` at the latest. Throughput: a digit every fifth clock.

    Parameters
    ----------
    width : :class:`int`
        Bits of a word; so many digits as fit are in a word, the highest ones first.
    words : :class:`int`
        Words of an exponent.
    window : :class:`int`
        Bits of a digit.
    count : :class:`int`
        Number of exponents, all of as many digits.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The number of digits, and the words of each exponent, which are taken at once. What is there
        in addition is ignored. A number of 0 stands for 1, and its bits beyond those of the most
        digits are ignored, so that no key can make the core busy for long.
    loads : :py:`In(1)`
        Begin with the first digit of an exponent.
    second : :py:`In(1)`
        Then: of the second one.
    uses : :py:`In(1)`
        The digit is not needed any more.
    digit : :py:`Out(window)`
        The digit.
    left : :py:`Out(...)`
        Digits that follow it.
    """

    def __init__(self, width, words, window, count):
        self.width, self.words, self.window, self.count = width, words, window, count
        super().__init__({"i": In(stream.Signature(width)), "loads": In(1), "second": In(1),
                          "uses": In(1), "digit": Out(window),
                          "left": Out(range(words * (width // window)))})

    def elaborate(self, platform):
        m = Module()
        window, words = self.window, self.count * self.words
        in_word = self.width // window  # digits
        m.submodules.memory = memory = Memory(shape=in_word * window, depth=words, init=[])
        write, read = memory.write_port(), memory.read_port()

        place = Signal(range(words + 1), name="place")
        length = Signal.like(self.left, name="length")
        m.d.comb += [self.i.ready.eq(1), write.data.eq(self.i.payload), write.addr.eq(place - 1),
                     write.en.eq(self.i.valid & (place != 0))]
        with m.If(self.i.valid):
            m.d.sync += place.eq(Mux(place == words, 0, place + 1))
            with m.If(place == 0):
                m.d.sync += length.eq(self.i.payload - (self.i.payload != 0))

        # The words wait in the memory, the current one is shifted. Reading takes most of a clock,
        # so that the next word waits in a register.
        word = Signal(range(words + 1), name="word")
        digits = Signal(in_word * window, name="digits")
        in_this = Signal(range(in_word), name="in_this")
        ahead = Signal(in_word * window, name="ahead")
        addressed, read_out = Signal(name="addressed"), Signal(name="read_out")
        fetched = Signal(name="fetched")
        m.d.comb += [read.addr.eq(word), self.digit.eq(digits[-window:])]
        m.d.sync += [ahead.eq(read.data), addressed.eq(self.loads), read_out.eq(addressed),
                     fetched.eq(read_out)]
        with m.If(self.loads):
            m.d.sync += [self.left.eq(length), word.eq(Mux(self.second, self.words, 0))]
        with m.Elif(fetched | (self.uses & (in_this == 0))):
            m.d.sync += [digits.eq(ahead), in_this.eq(in_word - 1), word.eq(word + 1)]
        with m.Elif(self.uses):
            m.d.sync += [digits.eq(digits << window), in_this.eq(in_this - 1)]
        with m.If(self.uses):
            m.d.sync += self.left.eq(self.left - 1)
        return m
