"""Issues the pairs of clocks of a product, one after the other."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .datapath import ISSUED
from .schedule import Schedule

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """The loops of Algorithm 3; see :class:`~montgomery.single_dsp.schedule.Schedule`.

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
    start : :py:`Out(1)`
        The first pair of all, for X_0 and Y_0.
    special, pair_0, pair_1, flush : :py:`Out(1)`
        These pairs.
    pair : :py:`Out(1)`
        The pair of any digit.
    odd : :py:`Out(1)`
        The second clock of a pair.
    first : :py:`Out(1)`
        Before or in the first iteration, where S is 0.
    beyond : :py:`Out(1)`
        In a pair, the digit is above the highest one; in a flush.
    tops : :py:`Out(1)`
        In a pair, and in a flush: the digit before it was the highest one.
    j : :py:`Out(index_width)`
        Index of the digit of X and M; 0 where there is none.
    i : :py:`Out(index_width)`
        Index of the digit of Y in a pair 0.
    i_ahead : :py:`Out(index_width)`
        Likewise, of the digit above it in a special pair, and in the first pair.
    busy : :py:`Out(1)`
        A pair is issued.
    done : :py:`Out(1)`
        This is the last clock of a product.
    """

    def __init__(self, index_width):
        self.index_width = index_width
        super().__init__({name: Out(width) for name, width in ISSUED.items()} | {
            "begin": In(1), "last": In(index_width), "y_ends": In(1), "pair": Out(1),
            "tops": Out(1), "j": Out(index_width), "i": Out(index_width),
            "i_ahead": Out(index_width), "busy": Out(1), "done": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        waits, hole = Signal(Schedule.WAITS), Signal()  # one-hot; the pair after the special one
        more = Signal()  # digits from 3 on, and the flush
        highest = Signal()  # in the second clock: the digit is the highest
        ends = Signal()
        # Not reset: the beginning of a product does that, and nothing stands before it then.
        i, i_ahead = (Signal.like(self.i, name=name, reset_less=True) for name in ("i", "i_ahead"))
        rest = Signal()  # digits from 2 on
        m.d.comb += [
            self.i.eq(i), self.i_ahead.eq(i_ahead),
            ends.eq(self.pair & more & (highest | self.beyond)),
            self.done.eq(self.flush & self.odd & self.y_ends),
        ]
        m.d.sync += [self.odd.eq(self.busy & ~self.odd), highest.eq(self.j == self.last)]
        with m.If(self.odd):
            m.d.sync += [
                self.start.eq(0),
                waits.eq(Cat(self.start, waits)),
                self.special.eq(waits[-1] | (self.flush & ~self.y_ends)),
                hole.eq(self.special),
                self.pair_0.eq(hole),
                self.pair_1.eq(self.pair_0),
                rest.eq(self.pair_1 | (rest & ~ends)),
                self.pair.eq(hole | (self.pair & ~ends)),
                more.eq(rest),
                self.flush.eq(ends),
                self.tops.eq(self.pair & highest),
                self.beyond.eq(self.pair & (self.beyond | highest)),
                self.busy.eq(~self.done),
            ]
            with m.If(self.flush):
                m.d.sync += self.first.eq(0)
            with m.If(self.start | self.pair_0):
                m.d.sync += i_ahead.eq(i_ahead + 1)
            with m.If(self.pair_0):
                m.d.sync += i.eq(i_ahead)
        with m.If(~self.pair):
            m.d.sync += self.j.eq(0)
        with m.Elif(self.odd):
            m.d.sync += self.j.eq(self.j + 1)
        with m.If(self.begin):
            m.d.sync += [self.start.eq(1), self.busy.eq(1), self.first.eq(1), i.eq(0),
                         i_ahead.eq(0)]
        return m
