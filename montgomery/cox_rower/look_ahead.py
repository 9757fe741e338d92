"""A small memory that is read a clock before its word is used."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["LookAhead"]


class LookAhead(wiring.Component):
    """A memory whose word is there in the same clock as the register with its address.

    It is told what that register will be, so that the memory is read in the clock before, and what
    is done with the word is all there is between two registers. A word that is written then is the
    word that is read.

    Latency: the word is there in the clock after ``next``. Throughput: one word is read and one is
    written per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    depth : :class:`int`
        Number of words.

    Members
    -------
    next : :py:`In(range(depth))`
        The address in the next clock.
    data : :py:`Out(width)`
        The word at the address.
    target : :py:`In(range(depth))`, value : :py:`In(width)`, write : :py:`In(1)`
        What is written, if anything.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({"next": In(range(depth)), "data": Out(width),
                          "target": In(range(depth)), "value": In(width), "write": In(1)})

    def elaborate(self, platform):
        m = Module()
        # Synthesis may put the register into a block RAM, whose words come late in the clock.
        m.submodules.words = words = Memory(shape=self.width, depth=self.depth, init=[],
                                            attrs={"ram_style": "distributed"})
        write, read = words.write_port(), words.read_port(domain="comb")
        late = Signal(self.width, name="late", reset_less=True)
        m.d.comb += [write.addr.eq(self.target), write.data.eq(self.value),
                     write.en.eq(self.write), read.addr.eq(self.next), self.data.eq(late)]
        m.d.sync += late.eq(read.data)
        with m.If(self.write & (self.target == self.next)):
            m.d.sync += late.eq(self.value)
        return m
