"""Rowers in a ring, and the sequencer."""

import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from ..core import Signature
from .contents import contents, joined
from .rower import Rower
from .sequencer import Sequencer
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
    left, drains = Signal(range(len(rowers) + 1), name="$signal"), Signal(name="drains")
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

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.multiplier.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        p = self.params
        m.submodules.sequencer = sequencer = Sequencer(
            [p.program], width=p.word_width, u=p.u, rows_in=p.rows_in, rows_out=p.rows_out)
        wiring.connect(m, wiring.flipped(self.i), sequencer.i)
        wiring.connect(m, sequencer.o, wiring.flipped(self.o))
        # Number 1 by number 2 to number 1; number 0 is the key.
        m.d.comb += [sequencer.next.x.eq(1), sequencer.next.y.eq(2), sequencer.next.target.eq(1),
                     sequencer.next.last.eq(1)]
        row(m, sequencer, p.latency, [(p.rns, p.program.layout)])
        return m
