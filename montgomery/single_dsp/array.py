"""Several exponentiators behind one pair of streams."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from .branch import Branch
from .multiplier_component import index_width

__all__ = ["Array"]


class Array(wiring.Component):
    """Figure 6: several processors, each with one multiplier block and one block RAM, that share
    nothing but the ports.

    A key goes to all of them at once, and waits until none of them computes. Then the processors
    take turns: each is given the words of one exponentiation, and results come in
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

    Latency: that of a single processor, and 4 clocks and two for each level of the tree.
    Throughput: as many
    exponentiations at a time as there are processors; a word is taken every second clock.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.exponentiator.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`

    Attributes
    ----------
    done : :class:`~amaranth.hdl.Signal`
        A bit for each processor, which has a result, or nothing to do; a clock late for each level
        of the tree.
    all_done : :class:`~amaranth.hdl.Signal`
        All processors have a result, or nothing to do: the paper's "done". In the same clock as
        ``done``.
    """

    def __init__(self, params):
        self.params = params
        self.done = Signal(params.processors, name="done", init=-1)
        self.all_done = Signal(name="all_done", init=1)
        super().__init__(params.signature)

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
        # is a digit for each level at most, and another two, of which each takes four clocks. A key
        # waits as long, so that its words do not wait for processors that are not yet idle.
        fresh = Signal(name="fresh", init=1)
        settles = Signal(4 * (self.levels(count) + 3), name="settles", init=-1)
        m.d.sync += [fresh.eq(0), settles.eq(settles >> 1)]
        m.d.comb += tree.reset.eq(fresh)

        # -- Words: of a key to all processors, of an exponentiation to the one whose turn it is.
        word = Signal(self.params.word_width, name="$signal", reset_less=True)
        full, of_key = Signal(name="full"), Signal(name="of_key", reset_less=True)
        taking, to = Signal(count, name="$signal", init=1), Signal(count, name="to")  # one-hot
        # The next word is the first of a key or of an exponentiation. There is a key, as a whole.
        first, keyed = Signal(name="first", init=1), Signal(name="keyed")
        bits = index_width(self.params.result_words)
        last = Signal(bits, name="last", reset_less=True)  # words of a number, less one
        # Words behind this one; all of them 1 if none is.
        left = Signal(bits + 3, name="left", reset_less=True)
        busy = Signal(range(count + 1), name="$signal")
        may_begin = Signal(name="$signal", init=1)
        # Words have left here, and nobody may have seen yet that a processor computes.
        recent = Signal(4 * (self.levels(count) + 3), name="recent")
        may_load = Signal(name="may_load")
        sending, ended = Signal(name="sending"), Signal(name="ended")
        begins, goes = Signal(name="$signal"), Signal(name="goes")
        takes_key = Mux(first, self.k.valid, of_key)
        m.d.comb += [
            self.k.ready.eq(~full & (first | of_key) & ~settles[0]),
            # Not in the middle of a result, so that all exponentiations take as long to be sent.
            self.i.ready.eq(~full & keyed & ~takes_key & ~(first & sending)),
            goes.eq(full & (~first | Mux(of_key, may_load, may_begin))),
            begins.eq(goes & first & ~of_key),
            tree.word.eq(word), tree.of_key.eq(of_key), tree.to.eq(to),
        ]
        m.d.sync += [to.eq(0), recent.eq(recent >> 1), may_load.eq(tree.all_done & ~recent.any())]
        with m.If(~full):
            m.d.sync += [word.eq(Mux(takes_key, self.k.payload, self.i.payload)),
                         of_key.eq(takes_key),
                         full.eq(self.k.ready & self.k.valid | self.i.ready & self.i.valid)]
        with m.If(goes):
            m.d.sync += [full.eq(0), to.eq(taking | of_key.replicate(count)), left.eq(left - 1),
                         first.eq(0)]
            with m.If(first & of_key):
                # -1/M and three numbers
                m.d.sync += [keyed.eq(0), last.eq(word), left.eq(word[:bits] * 3 + 2)]
            with m.Elif(left[-1]):
                m.d.sync += [first.eq(1), keyed.eq(1), left.eq(last - 1)]
                with m.If(~of_key):
                    m.d.sync += [taking.eq(taking.rotate_left(1)), recent.eq(-1)]

        # -- Results, in the order of their turns; after as many as are busy, the next one is free.
        giving = Signal(count, name="giving", init=1)
        m.d.comb += [tree.turn.eq(giving), tree.free.eq(self.o.ready | settles[0]),
                     self.o.valid.eq(tree.full & ~tree.taken & ~settles[0]),
                     self.o.payload.eq(tree.digit)]
        gives = self.o.valid & self.o.ready
        m.d.sync += [ended.eq(tree.ends & gives),
                     sending.eq(Mux(gives, ~tree.ends, sending)), may_begin.eq(busy != count)]
        with m.If(begins != ended):  # one more, or one less
            m.d.sync += busy.eq(busy + Cat(Const(1, 1), ended.replicate(len(busy) - 1)))
        with m.If(ended):
            m.d.sync += giving.eq(giving.rotate_left(1))
        return m
