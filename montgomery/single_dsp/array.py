"""Several exponentiators behind one pair of streams."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from ..core import Signature
from .branch import Branch
from .multiplier_component import index_width

__all__ = ["Array"]


class Array(wiring.Component):
    """Figure 6: several processors, each with one multiplier block and one block RAM, that share
    nothing but the ports.

    The processors take turns: each is given the words of one exponentiation, and results come in
    the order in which the exponentiations were sent. So a result waits for those of all
    exponentiations before it, and its processor takes no other exponentiation meanwhile: a long one
    holds up the short ones behind it (head-of-line blocking).

    In the paper (Section III-D) each processor has a signal "run" of its own; here each one starts
    when it has its last word, while others still take theirs. The paper's parameter n enables n
    of 128 processors; here there is no such parameter, and all processors that are made work.

    The processors do not share memories. A product keeps both ports of its memory busy in every
    clock, so two processors on one memory would take twice the clocks. In the paper two processors
    each have half of a block RAM with two ports of its own: 18 of the 36 kbit of a Virtex-6 or
    7-series block. Placement joins such halves, since a processor asks for no more than 18 kbit. A
    block of an ECP5 holds 18 kbit, and there is nothing to share.

    Words go through a tree of registers, two clocks per level, so that an array is as fast as its
    slowest processor, however far apart the processors are. The words of an exponentiation, and the
    exponentiations, are counted at the ports: an idle processor takes its words without a pause.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.exponentiator.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    done : :py:`Out(processors)`
        The processor has a result, or nothing to do; a clock late for each level of the tree.
    all_done : :py:`Out(1)`
        All processors have a result, or nothing to do: the paper's "done". In the same clock as
        ``done``.
    """

    def __init__(self, params):
        self.params = params
        ports = Signature(params.word_width)
        super().__init__(dict(ports.members) | {
            "done": Out(params.processors, init=-1), "all_done": Out(1, init=1)})

    @staticmethod
    def levels(processors):
        """Return the number of branches on the way to a processor."""
        return next(levels for levels in range(1, processors + 1)
                    if Branch.most(levels) >= processors)

    @classmethod
    def latency(cls, processors):
        """Return the clocks that the ports take more than those of a single processor."""
        return 4 + 2 * cls.levels(processors)

    def elaborate(self, platform):
        m = Module()
        count = self.params.processors
        m.submodules.tree = tree = Branch(self.params, count, self.levels(count))
        m.d.comb += [self.done.eq(tree.done), self.all_done.eq(tree.all_done)]

        # -- After a reset, which the tree passes on; what is on the way from it is no result. That
        # is a digit for each level at most, and another two, of which each takes four clocks.
        fresh = Signal(name="fresh", init=1)
        settles = Signal(4 * (self.levels(count) + 3), name="settles", init=-1)
        m.d.sync += [fresh.eq(0), settles.eq(settles >> 1)]
        m.d.comb += tree.reset.eq(fresh)

        # -- Words, to the processor whose turn it is.
        word = Signal(self.params.word_width, name="$signal", reset_less=True)
        full = Signal(name="full")
        taking, to = Signal(count, name="$signal", init=1), Signal(count, name="to")  # one-hot
        header = Signal(name="header", init=1)
        bits = index_width(self.params.result_words)
        # Words behind this one; all of them 1 if none is.
        left = Signal(bits + 3, name="left", reset_less=True)
        busy = Signal(range(count + 1), name="$signal")
        may_begin = Signal(name="$signal", init=1)
        ended = Signal(name="ended")
        begins, goes = Signal(name="$signal"), Signal(name="goes")
        m.d.comb += [self.i.ready.eq(~full), goes.eq(full & (~header | may_begin)),
                     begins.eq(goes & header), tree.word.eq(word), tree.to.eq(to)]
        with m.If(~full):
            m.d.sync += [word.eq(self.i.payload), full.eq(self.i.valid)]
        m.d.sync += to.eq(0)
        with m.If(goes):
            m.d.sync += [full.eq(0), to.eq(taking), left.eq(left - 1)]
            with m.If(header):
                # -1/M and four numbers, of which this is the length less one
                m.d.sync += [left.eq(Cat(Const(3, 2), word[:bits])), header.eq(0)]
            with m.Elif(left[-1]):
                m.d.sync += [header.eq(1), taking.eq(taking.rotate_left(1))]

        # -- Results, in the order of their turns; after as many as are busy, the next one is free.
        giving = Signal(count, name="giving", init=1)
        m.d.comb += [tree.turn.eq(giving), tree.free.eq(self.o.ready | settles[0]),
                     self.o.valid.eq(tree.full & ~tree.taken & ~settles[0]),
                     self.o.payload.eq(tree.digit)]
        m.d.sync += [ended.eq(tree.ends & self.o.valid & self.o.ready), may_begin.eq(busy != count)]
        with m.If(begins != ended):  # one more, or one less
            m.d.sync += busy.eq(busy + Cat(Const(1, 1), ended.replicate(len(busy) - 1)))
        with m.If(ended):
            m.d.sync += giving.eq(giving.rotate_left(1))
        return m
