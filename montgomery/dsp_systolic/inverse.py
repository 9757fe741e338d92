"""What finds m', the constant of a plain modulus."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Inverse"]


class Inverse(wiring.Component):
    """Finds m' = -1/m_0 modulo b, a bit a clock.

    The bits of m' are chosen, from the lowest, so that the lowest bits of m' m_0 + 1 are 0. What is
    left of that sum is shifted down by a bit each time.

    Latency: ``width`` + 1 clocks. Throughput: one inverse at a time.

    Parameters
    ----------
    width : :class:`int`
        Bits of a digit; b is 2**width.

    Members
    -------
    start : :py:`In(1)`, lowest : :py:`In(width)`
        Find m' for the odd digit m_0, which must stay.
    inverse : :py:`Out(width)`
        m', ``width`` + 1 clocks after ``start``.
    done : :py:`Out(1)`
        High from that clock until there is another ``start``; low before the first one.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({"start": In(1), "lowest": In(width), "inverse": Out(width),
                          "done": Out(1)})

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(self.width + 1), name="left")
        total, inverse = (Signal(self.width, name=name, reset_less=True)
                          for name in ("total", "inverse"))
        m.d.comb += self.inverse.eq(inverse)
        with m.If(self.start):
            m.d.sync += [left.eq(self.width), total.eq(1), self.done.eq(0)]
        with m.Elif(left != 0):
            added = total + Mux(total[0], self.lowest, 0)
            m.d.sync += [left.eq(left - 1), total.eq(added >> 1), self.done.eq(left == 1),
                         inverse.eq(Cat(inverse[1:], total[0]))]
        return m
