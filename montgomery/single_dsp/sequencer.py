"""The pairs of clocks of a product: how many there are, and what issues them."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .micro_ops import TABLE

__all__ = ["PairSequencer", "product_clocks"]

#: Digits from which on the next q is known in time.
_SHORTEST = 4


def product_clocks(digits):
    """Return the clocks from a product to the next, where this takes operands from the memory."""
    iteration = 2 * max(digits, _SHORTEST) + 6
    return 4 + digits * iteration


class PairSequencer(wiring.Component):
    """The loops of Algorithm 3: issues pairs of clocks, with a multiplication in each clock.

    The paper's iteration ends with a pair for the carries, and waits for the next q then. Here that
    q is nearly found by then, and waited for in a single pair:

    =========  ========================  ===========================================================
    pair       multiplications           what they are for
    =========  ========================  ===========================================================
    special    X_0 Y_{i+1}, t (-1/M)     the lower half of the second one is q
    none       none                      q leaves the multiplier, far away
    0 to d-1   X_j Y_i, q M_j            digit j of S + X Y_i + q M; digit 0 is 0
    flush      none                      digit d, the carries alone
    =========  ========================  ===========================================================

    Digit 1 is digit 0 of the next S; with the product of the special pair before it makes the next
    t = X_0 Y_{i+1} + S_0, in time for the special pair that follows if there are four digits. Where
    there are fewer, pairs for digits of 0 fill the iteration up to four.

    The first iteration is preceded by a pair that reads X_0 and multiplies Y_0 by it, which is the
    first t, and another one, in which that leaves the multiplier.

    Latency: the first pair is issued in the clock after ``begin``. Throughput: a product in
    :func:`product_clocks`, a pair every second clock without a pause.

    Parameters
    ----------
    index_width : :class:`int`
        Bits of the index of a digit, 3 or more.

    Members
    -------
    begin : :py:`In(1)`
        Begin a product, when nothing is ``busy``.
    last : :py:`In(index_width)`
        Index of the highest digit.
    y_ends : :py:`In(1)`
        The digit of Y of the current iteration is the highest.
    start, special, pair_0, pair_1, rest, flush, first_special, first, beyond, tops : :py:`Out(1)`
        The pair is such a one of :data:`~.table.TABLE`.
    pair : :py:`Out(1)`
        It is the pair of a digit.
    odd : :py:`Out(1)`
        The second clock of a pair.
    j : :py:`Out(index_width)`
        Index of the digit of X and M; 0 where there is none.
    i, i_ahead : :py:`Out(index_width)`
        Index of the digit of Y in a pair 0; and in a special pair, and in the first pair.
    busy, done : :py:`Out(1)`
        A pair is issued; this is the last clock of a product.
    """

    def __init__(self, index_width):
        super().__init__({pair: Out(1) for pair in TABLE} | {
            "begin": In(1), "last": In(index_width), "y_ends": In(1), "pair": Out(1),
            "odd": Out(1), "j": Out(index_width), "i": Out(index_width),
            "i_ahead": Out(index_width), "busy": Out(1), "done": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        start, pair, flush, odd, beyond = self.start, self.pair, self.flush, self.odd, self.beyond
        waits = Signal()  # the pair after the first one
        hole = Signal()  # the pair after the special one
        more = Signal()  # digits from 3 on, and the flush
        # These are 0 when they are needed, or set by the beginning of a product.
        j, i, i_ahead = (Signal.like(self.j, name=name, reset_less=True)
                         for name in ("j", "i", "i_ahead"))
        # In the second clock: the digit is the highest.
        highest = Signal(reset_less=True)
        ends = Signal()
        m.d.comb += [
            self.j.eq(j), self.i.eq(i), self.i_ahead.eq(i_ahead),
            self.first_special.eq(self.special & self.first),
            ends.eq(pair & more & (highest | beyond)), self.done.eq(flush & odd & self.y_ends),
        ]
        m.d.sync += [
            self.busy.eq(self.begin | (self.busy & ~self.done)), odd.eq(self.busy & ~odd),
            start.eq(self.begin | (start & ~odd)),
            self.first.eq(self.begin | (self.first & ~(flush & odd))),
            highest.eq(j == self.last),
        ]
        with m.If(odd):
            m.d.sync += [
                waits.eq(start),
                self.special.eq(waits | (flush & ~self.y_ends)),
                hole.eq(self.special),
                self.pair_0.eq(hole),
                self.pair_1.eq(self.pair_0),
                self.rest.eq(self.pair_1 | (self.rest & ~ends)),
                pair.eq(hole | (pair & ~ends)),
                more.eq(self.rest),
                flush.eq(ends),
                self.tops.eq(pair & highest),
                beyond.eq(pair & (beyond | highest)),
            ]
            with m.If(start | self.pair_0):  # 0 and 1 at first
                m.d.sync += [i.eq(i_ahead), i_ahead.eq(i_ahead + 1)]
        with m.If(~pair):
            m.d.sync += j.eq(0)
        with m.Elif(odd):
            m.d.sync += j.eq(j + 1)
        with m.If(self.begin):
            m.d.sync += [i.eq(0), i_ahead.eq(0)]
        return m
