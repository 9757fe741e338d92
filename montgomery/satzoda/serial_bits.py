"""The bits of x, one after the other."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer, choose, look_up
from ..blocks.delay import later

__all__ = ["SerialBits"]


class SerialBits(wiring.Component):
    """Holds the words of x and gives its bits, lowest first.

    The first word goes to a shift register, the others to a memory. Latency: the first bit two
    clocks after the first word. Throughput: a bit a clock.

    Parameters
    ----------
    width, count : :class:`int`
        Bits per word; number of words.

    Members
    -------
    x : :py:`In(width)`
        A word while ``load`` is high, and the first one while ``first`` is.
    load, first : :py:`In(1)`
    running_next, window : :py:`In(1)`
        A bit is needed in the next clock; it is used up in that clock.
    bit, next_bit : :py:`Out(1)`
        The bit; 0 while none is needed. And ``bit`` in the next clock.
    """

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({
            "load": In(1), "first": In(1), "x": In(width), "running_next": In(1),
            "window": In(1), "bit": Out(1), "next_bit": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shift = Signal(self.width, reset_less=True)
        position = Signal(range(self.width), reset_less=True)
        at_end = Signal(reset_less=True)
        advance = Signal()
        word = Const(0, self.width)  # the next one
        if self.count > 1:
            used = Signal()
            m.d.sync += used.eq(advance & at_end)
            word = self._following(m, used)
        with m.If(self.first):
            m.d.sync += [position.eq(0), at_end.eq(0)]
        with m.Elif(advance):
            m.d.sync += [position.eq(Mux(at_end, 0, position + 1)),
                         at_end.eq(position == self.width - 2)]
        with m.If(self.first | advance):
            m.d.sync += shift.eq(Mux(self.first, self.x, Mux(at_end, word, shift >> 1)))
        following = Mux(at_end, word[0], shift[1])
        m.d.comb += self.next_bit.eq(Mux(advance, following, shift[0]) & self.running_next)
        m.d.sync += [advance.eq(self.window & self.running_next), self.bit.eq(self.next_bit)]
        return m

    def _following(self, m, used):
        """Return the next of the words after the first, three clocks after the last was ``used``.

        That is in time, since a word has four bits or more.
        """
        m.submodules.write = write = Pointer(self.count - 1)
        m.submodules.read = read = Pointer(self.count - 1)
        push = self.load & ~self.first
        m.d.comb += [write.step.eq(push), read.step.eq(used | self.first),
                     read.rewind.eq(self.first)]
        words = look_up(m, self.width, self.count - 1, write=write, read=read, push=push,
                        data=self.x)
        word = choose(m, words, read.bank)
        return word if len(words) == 1 else later(m, word, 1, "word")
