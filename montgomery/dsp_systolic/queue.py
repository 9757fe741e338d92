"""A queue for the digits of the result."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Queue"]


class Queue(wiring.Component):
    """First in, first out; what is pushed without room is lost.

    Members
    -------
    push : :py:`In(1)`
    data : :py:`In(width)`
    o : :py:`Out(stream.Signature(width))`
        A word two clocks after it was pushed.
    empty : :py:`Out(1)`
        There is none.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({"push": In(1), "data": In(width), "o": Out(stream.Signature(width)),
                          "empty": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=self.width, depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        level = Signal(range(self.depth + 1))
        some = Signal()
        valid = Signal()
        payload = Signal(self.width, reset_less=True)
        pop = Signal()
        m.d.comb += [
            write.en.eq(self.push), write.data.eq(self.data),
            pop.eq(some & (~valid | self.o.ready)),
            self.o.valid.eq(valid), self.o.payload.eq(payload),
            self.empty.eq(~some & ~valid),
        ]
        for port, step in ((write, self.push), (read, pop)):
            if self.depth > 1:
                with m.If(step):
                    m.d.sync += port.addr.eq(Mux(port.addr == self.depth - 1, 0, port.addr + 1))
        with m.If(self.push & ~pop):
            m.d.sync += [level.eq(level + 1), some.eq(1)]
        with m.If(~self.push & pop):
            m.d.sync += [level.eq(level - 1), some.eq(level != 1)]
        with m.If(pop):
            m.d.sync += [valid.eq(1), payload.eq(read.data)]
        with m.Elif(self.o.ready):
            m.d.sync += valid.eq(0)
        return m
