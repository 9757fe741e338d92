"""A queue for the digits of a number."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Queue"]


class Queue(wiring.Component):
    """First in, first out; what is pushed without room is lost.

    Parameters
    ----------
    width : :class:`int`
        Bits a word.
    depth : :class:`int`
        Words there is room for besides the one at ``o``.

    Members
    -------
    push : :py:`In(1)`
    data : :py:`In(width)`
    o : :py:`Out(stream.Signature(width))`
        A word a clock after it was pushed.
    alone : :py:`Out(1)`
        No other word waits behind the one at ``o``.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({"push": In(1), "data": In(width), "o": Out(stream.Signature(width)),
                          "alone": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=self.width, depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        level = Signal(range(self.depth + 1))
        some = Signal()
        valid = Signal()
        payload = Signal(self.width, reset_less=True)
        pop = Signal()
        moves = Signal()  # there will be room at ``o``
        passes = Signal()  # a word goes there at once
        push = Signal()
        m.d.comb += [
            moves.eq(~valid | self.o.ready), passes.eq(self.push & moves & ~some),
            push.eq(self.push & ~passes), write.en.eq(push), write.data.eq(self.data),
            pop.eq(some & moves),
            self.o.valid.eq(valid), self.o.payload.eq(payload), self.alone.eq(~some),
        ]
        for port, step in ((write, push), (read, pop)):
            if self.depth > 1:
                with m.If(step):
                    m.d.sync += port.addr.eq(Mux(port.addr == self.depth - 1, 0, port.addr + 1))
        with m.If(push & ~pop):
            m.d.sync += [level.eq(level + 1), some.eq(1)]
        with m.If(~push & pop):
            m.d.sync += [level.eq(level - 1), some.eq(level != 1)]
        with m.If(moves):
            m.d.sync += [valid.eq(some | self.push), payload.eq(Mux(some, read.data, self.data))]
        return m
