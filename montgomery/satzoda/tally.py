"""A count that is quick to change."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Tally"]


class Tally(wiring.Component):
    """Number of words in a queue, or of places that are free.

    The lowest three bits change in the next clock, the others a clock later. When the number goes
    from 7 to 8, ``some`` and ``enough`` may be 0 for two clocks. They are never 1 wrongly.

    Latency: ``some`` follows ``up`` in the next clock, and ``enough`` in the one after that.
    Throughput: a step per clock.

    Parameters
    ----------
    limit, init : :class:`int`
        The largest number, and the number at first.

    Members
    -------
    up, down : :py:`In(1)`
        Add 1 to the number; subtract 1. If both are high, the number stays.
    some : :py:`Out(1)`
        If high, the number is not 0. It stays high while there is no ``down``.
    enough : :py:`Out(1)`
        If high, the number was :data:`ENOUGH` or more in the clock before.
    """

    ENOUGH = 4

    def __init__(self, limit, init=0):
        self.limit = limit
        self.init = init
        super().__init__({"up": In(1), "down": In(1), "some": Out(1, init=init > 0),
                          "enough": Out(1, init=init >= self.ENOUGH)})

    def elaborate(self, platform):
        m = Module()
        low = Signal(3, init=self.init % 8)
        high = Signal(range(max(self.limit // 8 + 1, 2)), name="high", init=self.init // 8)
        carry, borrow = Signal(name="carry"), Signal(name="borrow")
        # Up to two clocks late: the number is 6 or more if this is high, and 9 or less if not.
        many = Signal(init=self.init >= 8)
        with m.If(self.up ^ self.down):
            m.d.sync += low.eq(low + Mux(self.up, 1, -1))
        with m.If(carry ^ borrow):
            m.d.sync += high.eq(high + Mux(carry, 1, -1))
        m.d.sync += [
            carry.eq(self.up & ~self.down & low.all()),
            borrow.eq(self.down & ~self.up & ~low.any()),
            many.eq(high.any()),
            self.some.eq(self.up | low[1:].any() | many | (self.some & ~self.down)),
            self.enough.eq(low[2] | many),
        ]
        return m
