"""Rowers in a ring, and the sequencer."""

import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFO

from .contents import contents, joined
from .rower import Rower
from .sequencer import Load, Sequencer
from .steps import Factor

__all__ = ["Multiplier", "drained", "row"]


def row(m, sequencer, latency, sets):
    """Add the Rowers to a sequencer; return them.

    Parameters
    ----------
    latency : :class:`int`
        Of a Rower.
    sets : list of tuple of :class:`~.rns.Rns` and :class:`~.layout.Layout`
        Of each base size.
    """
    rns, layout = sets[0]
    rowers = [Rower(rns.bases, rns.reduction, layout, latency, *each) for each in joined(
        [contents(each, sequencer.u, its_layout) for each, its_layout in sets])]
    m.d.comb += sequencer.last.eq(rowers[-1].r2)
    before = Mux(sequencer.enters, sequencer.word, rowers[-1].r2)
    for index, rower in enumerate(rowers):
        m.submodules[f"rower_{index}"] = rower
        m.d.comb += [rower.control.eq(sequencer.control),
                     rower.store_r2.eq(sequencer.store_r2), rower.before.eq(before)]
        before = rower.r2
    if sequencer.layout.converts:
        # The bits of the exponents for N**-1, from the highest: each step is one.
        r, control = rns.bases.r, sequencer.control
        bit = Signal(range(r), name="bit")
        with m.If((control.factor == Factor.CHOSEN) & control.element.matches(
                *(each.element("choose", each.slots - 1) for _, each in sets))):
            m.d.sync += bit.eq(Mux(bit == r - 1, 0, bit + 1))
        m.d.comb += [rower.bit.eq(bit) for rower in rowers]
    return rowers


def drained(m, rowers, sequencer, correction):
    """Let the sums of Equation 9 out of a :func:`row`, lowest digit first."""
    # They come from the first Rower, for as many clocks as there are Rowers.
    left, drains = Signal(range(len(rowers) + 1), name="left"), Signal(name="drains")
    m.d.sync += drains.eq(sequencer.control.drain)
    with m.If(drains):
        m.d.sync += left.eq(len(rowers))
    with m.Elif(left != 0):
        m.d.sync += left.eq(left - 1)
    for rower, after in itertools.pairwise(rowers):
        m.d.comb += rower.drain_before.eq(after.drain)
    m.d.comb += [correction.i.payload.eq(rowers[0].drain), correction.i.valid.eq(left != 0)]


class Multiplier(wiring.Component):
    """Parallel units in a ring, the Rowers, which multiply in a residue number system.

    A number is the list of its remainders modulo the elements of two bases, and numbers are
    multiplied remainder by remainder, without a carry between them. Montgomery's reduction divides
    by the product of base B; it takes the conversion of a number from one base to the other, and
    back.

    Each Rower serves some elements of either base. In each clock it multiplies two remainders, adds
    the product to a sum, and reduces sums modulo an element. For a conversion the Rowers hand
    remainders round in the ring, and the Cox, an adder of the upper bits of these, finds the
    multiple of a base's product that has to be subtracted.

    A key is received into a queue as soon as the result before it is ready, and goes to the Rowers
    when that has been taken. Words go to the Rowers one a clock. A result comes a word every other
    clock, with a pause for each row of it, and the next operands go in after it.

    Latency: the clocks of the program, about 2 n**2 / u for n elements in either base on u Rowers.
    Throughput: one multiplication at a time.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.multiplier.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p = self.params
        # Number 1 by number 2 to number 1; number 0 is the key.
        m.submodules.sequencer = sequencer = Sequencer(
            [p.program], width=p.word_width, u=p.u, rows_out=p.rows_out,
            loads=(Load(1, p.rows_in), Load(0, p.key_rows, runs=False)))
        wiring.connect(m, sequencer.o, wiring.flipped(self.o))
        words = p.key_rows * p.u
        m.submodules.queue = queue = SyncFIFO(width=p.word_width, depth=words)

        # -- Keys, which wait in the queue for the Rowers. No operation begins while one is coming.
        has_key, under_way = Signal(name="has_key"), Signal(name="under_way")
        left = Signal(range(words), name="left", init=words - 1)
        m.d.comb += [self.k.ready.eq(queue.w_rdy & ~under_way), queue.w_data.eq(self.k.payload),
                     queue.w_en.eq(self.k.valid & self.k.ready)]
        with m.If(queue.w_en):
            m.d.sync += [left.eq(Mux(left == 0, words - 1, left - 1)), has_key.eq(left == 0)]

        # -- What the next word of the Rowers is of.
        loads_key, loaded_key = Signal(name="loads_key"), Signal(name="loaded_key")
        may_begin = Signal(name="may_begin")
        m.d.comb += [
            loads_key.eq(Mux(sequencer.fresh, queue.r_rdy, loaded_key)),
            may_begin.eq(~loads_key & (~sequencer.fresh | (has_key & ~self.k.valid))),
            sequencer.load.eq(loads_key),
            sequencer.i.payload.eq(Mux(loads_key, queue.r_data, self.i.payload)),
            sequencer.i.valid.eq(Mux(loads_key, queue.r_rdy, self.i.valid & may_begin)),
            queue.r_en.eq(loads_key & sequencer.i.ready),
            self.i.ready.eq(may_begin & sequencer.i.ready),
        ]
        m.d.sync += loaded_key.eq(loads_key)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += under_way.eq(1)
        with m.Elif(self.o.valid):
            m.d.sync += under_way.eq(0)
        m.d.comb += [sequencer.next.x.eq(1), sequencer.next.y.eq(2), sequencer.next.target.eq(1),
                     sequencer.next.last.eq(1)]
        row(m, sequencer, p.latency, [(p.rns, p.program.layout)])
        return m
