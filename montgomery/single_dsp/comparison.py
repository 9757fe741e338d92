"""Whether a number equals the modulus, digit by digit."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..core import ceil_div

__all__ = ["Comparison"]


class Comparison(wiring.Component):
    """Compares two numbers of which a memory gives the digits in turns.

    Latency: ``equal`` counts two clocks after ``ends``; throughput: a pair of digits in two clocks.

    Parameters
    ----------
    width : :class:`int`
        Bits per digit.

    Members
    -------
    begin : :py:`In(1)`
        Begin, when nothing is compared: the numbers are equal so far.
    q : :py:`In(width + 1)`
        A digit, and above it its flag.
    second : :py:`In(1)`
        ``q`` is a digit of the second number; the same digit of the first one came a clock before.
    ends : :py:`Out(1)`
        In the clock before there were the highest digits.
    equal : :py:`Out(1)`
        The numbers are equal. It stays until ``begin``.
    """

    def __init__(self, *, width):
        super().__init__({"begin": In(1), "q": In(width + 1), "second": In(1), "ends": Out(1),
                          "equal": Out(1)})

    def elaborate(self, platform):
        m = Module()
        before = Signal.like(self.q, name="before", reset_less=True)
        differs = Signal(ceil_div(len(self.q) - 1, 2), name="differs", reset_less=True)
        compares, differ, equal = (Signal(name=name, reset_less=True)
                                   for name in ("compares", "differ", "equal"))
        m.d.comb += self.equal.eq(equal)
        m.d.sync += [
            before.eq(self.q), differ.eq(differs.any()), compares.eq(self.second),
            self.ends.eq(self.second & before[-1]),
            equal.eq(self.begin | (equal & ~(compares & differ))),
            *(two.eq(self.q[2 * pair:2 * pair + 2] != before[2 * pair:2 * pair + 2])
              for pair, two in enumerate(differs)),
        ]
        return m
