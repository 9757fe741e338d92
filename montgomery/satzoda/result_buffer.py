"""Room for the results of two multiplications."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer, choose, look_up
from ..blocks.carry_save import gate

__all__ = ["ResultBuffer"]


class ResultBuffer(wiring.Component):
    """Buffer of two results, each of which comes in a word a clock, without back-pressure.

    It is :class:`~montgomery.blocks.word_buffer.WordBuffer` for two turns at a time: one result may
    be written while another one waits. So a multiplication that has begun needs no receiver to end.
    Latency: :attr:`LATENCY`. Throughput: a word a clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    count : :class:`int`
        Words of a result.

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from a word at ``data`` to that word at ``o``, when the buffer is empty.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word. Words of a result follow each other without gaps.
    data : :py:`In(width)`
        See ``push``.
    full : :py:`Out(1)`
        The next word written is the last of a result.
    freed : :py:`Out(1)`
        There is room for one more result.
    o : :py:`Out(stream.Signature(width))`
        The words, one in every clock if ``ready`` stays high.
    """

    LATENCY = 3

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({"push": In(1), "data": In(width), "full": Out(1), "freed": Out(1),
                          "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.count)
        m.submodules.read = read = Pointer(self.count)
        write_half, read_half = Signal(name="write_half"), Signal(name="read_half")
        # Results that are there and not looked up as a whole: at least one, two.
        waiting = Signal(2, name="waiting")
        found, valid = Signal(name="found"), Signal(name="valid")
        empty = Signal(name="empty", init=1)  # ~valid, for what is enabled by itself
        step = Signal(name="step")
        looks_up = Signal(name="look_up")
        comes = Signal(name="comes")
        m.d.comb += [
            step.eq(~valid | self.o.ready), looks_up.eq((empty | self.o.ready) & waiting[0]),
            write.step.eq(self.push), read.step.eq(looks_up), self.full.eq(write.last),
            comes.eq(self.push & write.first), self.freed.eq(looks_up & read.last),
            self.o.valid.eq(valid),
        ]
        # In gates, since a clock enable would come later still.
        left = gate(~self.freed, waiting) | gate(self.freed, waiting >> 1)
        m.d.sync += waiting.eq(gate(~comes, left) | gate(comes, Cat(1, left[0])))
        m.d.sync += write_half.eq(write_half ^ (self.push & write.last))
        with m.If(looks_up):
            m.d.sync += read_half.eq(read_half ^ read.last)
        words = look_up(m, self.width, self.count, write=write, read=read, push=self.push,
                        data=self.data, turns=(write_half, read_half))
        word = choose(m, words, read.bank, enable=step)
        with m.If(step):
            m.d.sync += self.o.payload.eq(word)
        m.d.sync += [found.eq(Mux(step, waiting[0], found)), valid.eq(Mux(step, found, valid)),
                     empty.eq(Mux(step, ~found, empty))]
        return m
