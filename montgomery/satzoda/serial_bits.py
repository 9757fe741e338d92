"""The bits of x, one after the other."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.word_buffer import WordBuffer

__all__ = ["SerialBits"]


class SerialBits(wiring.Component):
    """Holds the words of x and gives its bits, lowest first.

    The first word goes to a shift register, the others to a memory.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    count : :class:`int`
        Number of words.

    Members
    -------
    load : :py:`In(1)`
        ``x`` is the next word.
    first : :py:`In(1)`
        And it is the first.
    x : :py:`In(width)`
        See ``load``.
    running : :py:`In(1)`
        Bits are needed. Low for two clocks or more before that.
    running_next : :py:`In(1)`
        ``running`` in the next clock.
    window : :py:`In(1)`
        The bit of the next clock is used up in that clock, if bits are needed then.
    bit : :py:`Out(1)`
        The bit; 0 while ``running`` is low.
    next_bit : :py:`Out(1)`
        ``bit`` in the next clock.
    """

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({
            "load": In(1), "first": In(1), "x": In(width), "running": In(1),
            "running_next": In(1), "window": In(1), "bit": Out(1), "next_bit": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shift = Signal(self.width, name="shift", reset_less=True)
        position = Signal(range(self.width), name="position", reset_less=True)
        at_end = Signal(name="at_end", reset_less=True)
        advance = Signal(name="advance")
        word = Signal(self.width, name="word")  # the next one; 0 above the last
        if self.count > 1:
            m.submodules.buffer = buffer = WordBuffer(self.width, self.count - 1)
            used = Signal(name="used")
            m.d.sync += used.eq(advance & at_end)
            m.d.comb += [buffer.push.eq(self.load & ~self.first), buffer.data.eq(self.x),
                         buffer.available.eq(self.running), buffer.o.ready.eq(used),
                         word.eq(buffer.o.payload)]
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
