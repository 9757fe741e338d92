"""Rowers in a ring, the sequencer, and who says what they multiply."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from ...cox_rower.correction import Correction
from ...cox_rower.multiplier import drained, row
from ...cox_rower.sequencer import Sequencer
from ...cox_rower.windows import Place, Windows
from .front import Front

__all__ = ["Exponentiator"]


class Exponentiator(wiring.Component):
    """One exponentiation after the other: Figure 4.

    The divider finds B mod N and B**2 mod N, and the Rowers the inverse of N modulo the elements of
    base b. The base is converted to residues, brought into the Montgomery domain and raised to the
    exponent by windows of four bits; the power leaves the domain, is converted to digits, and these
    are corrected to below the modulus.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.cox_rower.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p, inner = self.params, self.params.multiplier
        m.submodules.windows = windows = Windows(inner.word_width, p.exponent_words)
        n = inner.rns.bases.n
        m.submodules.sequencer = sequencer = Sequencer(
            p.programs, width=inner.word_width, u=inner.u, rows_in=9 * inner.slots, rows_out=0,
            first=Place.ONE)
        m.submodules.correction = correction = Correction(
            inner.word_width, inner.rns.reduction.width, max(n, 2))
        rowers = row(m, sequencer, inner.latency, [(inner.rns, sequencer.layout)])

        m.submodules.front = front = Front(inner.rns.bases, inner.u)
        wiring.connect(m, wiring.flipped(self.i), front.i)
        for source, target in ((front.header, windows.i), (front.modulus, correction.modulus),
                               (front.rows, sequencer.i)):
            wiring.connect(m, source, target)
        m.d.comb += [front.waits.eq(windows.waits), sequencer.next.eq(windows.next),
                     windows.takes.eq(sequencer.takes), sequencer.more.eq(windows.more)]

        m.d.comb += [correction.last.eq(n - 1), correction.last_sum.eq(n - 1)]
        drained(m, rowers, sequencer, correction)
        # A result waits until the words that may follow it can be taken.
        m.d.comb += [self.o.payload.eq(correction.o.payload),
                     self.o.valid.eq(correction.o.valid & sequencer.i.ready),
                     correction.o.ready.eq(self.o.ready & sequencer.i.ready)]
        return m
