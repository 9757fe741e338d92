"""Hardware: B and B**2 modulo a factor, which the Rowers cannot find."""

import itertools

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.skid import Skid
from ..core import ceil_div, to_words
from .divider import Divider

__all__ = ["KeyDivider"]


def _dividends(bases):
    """Return the words of B, and those of B**2."""
    return [to_words(value, bases.r, ceil_div(value.bit_length(), bases.r))
            for value in (bases.b_product, bases.b_product ** 2)]


class KeyDivider(wiring.Component):
    """Divides B and then B**2 by a number in a block RAM.

    B and B**2 of each set are in a ROM. The divider is given a word every fourth clock: there are
    registers on both sides of the memories. The time depends on the number of words of the divisor.

    Latency: :meth:`clocks`. Throughput: one number at a time.

    Parameters
    ----------
    sets : tuple of :class:`~montgomery.cox_rower.bases.BaseSet`
        In rising order of their size.

    Members
    -------
    go : :py:`In(1)`
        Divide, until ``done``.
    set : :py:`In(range(len(sets)))`, top : :py:`In(range(n))`
        Number of the set; place of the highest word of the divisor that is not 0.
    part : :py:`Out(...)`
        Number of the word of the divisor that is read, or of the remainder that is given.
    word : :py:`In(r)`
        The word of the divisor, a clock after the block RAM was given its address.
    remainder : :py:`Out(stream.Signature(r))`
        The words of B, and then of B**2, modulo the number, which do not wait.
    is_square, done : :py:`Out(1)`
        The remainder is that of B**2; this is its last word.
    """

    READ = 1 + BlockRam.LATENCY  # from the number of a word to the word

    def __init__(self, sets):
        self.sets, self.dividends = sets, [_dividends(bases) for bases in sets]
        n, self.width = sets[-1].n, sets[-1].r
        longest = max(len(each) for pair in self.dividends for each in pair)
        super().__init__({
            "go": In(1), "set": In(range(len(sets))), "top": In(range(n)),
            "part": Out(range(max(n, longest))), "word": In(self.width),
            "remainder": Out(stream.Signature(self.width)), "is_square": Out(1), "done": Out(1)})

    @classmethod
    def clocks(cls, bases, factor):
        """Return the clocks of both divisions by a factor."""
        words = ceil_div(factor.bit_length(), bases.r)
        return sum(Divider.clocks(len(each), words, bases.r) + 6 * words + 1
                   for each in _dividends(bases))

    def elaborate(self, platform):
        m = Module()
        m.submodules.divider = divider = Divider(self.width, max(self.sets[-1].n, 2))
        m.submodules.to_divider = to_divider = Skid(self.width)
        wiring.connect(m, to_divider.o, divider.i)
        wiring.connect(m, divider.o, wiring.flipped(self.remainder))
        # The sets one after the other, of each B and then B**2.
        dividends = list(itertools.chain.from_iterable(self.dividends))
        starts = list(itertools.accumulate(map(len, dividends), initial=0))
        m.submodules.dividends = rom = Memory(shape=self.width, depth=starts[-1],
                                              init=itertools.chain.from_iterable(dividends))
        read = rom.read_port()
        address = Signal(range(starts[-1]), name="address", reset_less=True)
        # Block RAM without a register of its own is slow: nothing but a register is behind it.
        dividend = Signal(self.width, name="dividend", reset_less=True)

        def of_dividend(values):
            """Return which of the values of B and B**2 of each set is needed now."""
            return Array(values)[Cat(self.is_square, self.set)]

        last = of_dividend([len(each) - 1 for each in dividends])
        part, count = Signal.like(self.part), Signal(self.width, name="count")
        fetched, sent = Signal(self.READ, name="fetched"), Signal(name="sent")
        m.d.sync += [address.eq(of_dividend(starts[:-1]) + part), dividend.eq(read.data),
                     count.eq(last + 1 - self.top)]
        m.d.comb += [self.part.eq(part), read.addr.eq(address),
                     to_divider.i.valid.eq(fetched[-1]),
                     sent.eq(fetched[-1] & to_divider.i.ready)]
        with m.FSM() as fsm:
            fetches = fsm.ongoing("divisor") | fsm.ongoing("dividend")
            m.d.sync += fetched.eq(Mux(fetches & ~sent, Cat(1, fetched), 0))
            with m.State("length"), m.If(self.go):
                m.d.comb += [to_divider.i.valid.eq(1), to_divider.i.payload.eq(self.top)]
                m.next = "count"  # the divider is idle
            with m.State("count"):
                m.d.comb += [to_divider.i.valid.eq(1), to_divider.i.payload.eq(count)]
                m.next = "divisor"
            with m.State("divisor"):
                m.d.comb += to_divider.i.payload.eq(self.word)
                with m.If(sent):
                    m.d.sync += part.eq(part + 1)
                    with m.If(part == self.top):
                        m.d.sync += part.eq(last)
                        m.next = "dividend"
            with m.State("dividend"):
                m.d.comb += to_divider.i.payload.eq(dividend)
                with m.If(sent):
                    m.d.sync += part.eq(part - 1)
                    with m.If(part == 0):
                        m.d.sync += part.eq(0)
                        m.next = "remainder"
            with m.State("remainder"), m.If(self.remainder.valid):
                m.d.sync += part.eq(part + 1)
                with m.If(part == self.top):
                    m.d.comb += self.done.eq(self.is_square)
                    m.d.sync += [part.eq(0), self.is_square.eq(~self.is_square)]
                    m.next = "length"
        return m
