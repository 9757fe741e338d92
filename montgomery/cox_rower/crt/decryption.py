"""Rowers in a ring, the sequencer, and what is around them."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from ..correction import Correction
from ..multiplier import drained, row
from ..sequencer import Sequencer
from ..windows import Place, Windows
from .front import Front

__all__ = ["Decryption"]


class Decryption(wiring.Component):
    """One RSA decryption after the other: Figure 5.

    All is done modulo p first and then modulo q, on the same Rowers: the divider finds what B, B**2
    and the message leave, and the Rowers the inverse of the factor modulo the elements of base b,
    the power, and its product by the inverse of the other factor. The results are multiplied by the
    other factor, converted to digits from both bases together, and corrected to below N.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.crt.Parameters`

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
        bases = inner.rns.bases
        m.submodules.windows = windows = Windows(inner.word_width, p.exponent_words, crt=True)
        m.submodules.sequencer = sequencer = Sequencer(
            p.programs, width=inner.word_width, u=inner.u,
            rows_in=(2 * Front.NUMBERS - 1) * inner.slots, rows_out=0, first=Place.ONE)
        m.submodules.correction = correction = Correction(
            inner.word_width, inner.rns.reduction.width, 2 * bases.n)
        rowers = row(m, inner, sequencer)

        m.submodules.front = front = Front(bases, inner.u)
        wiring.connect(m, wiring.flipped(self.i), front.i)
        for source, target in ((front.header, windows.i), (front.modulus, correction.modulus),
                               (front.rows, sequencer.i)):
            wiring.connect(m, source, target)
        m.d.comb += [front.waits.eq(windows.waits), sequencer.next.eq(windows.next),
                     windows.takes.eq(sequencer.takes), sequencer.more.eq(windows.more),
                     correction.last.eq(2 * bases.n - 1), correction.doubles.eq(1)]
        drained(m, rowers, sequencer, correction)
        # A result waits until the words that may follow it can be taken.
        m.d.comb += [self.o.payload.eq(correction.o.payload),
                     self.o.valid.eq(correction.o.valid & sequencer.i.ready),
                     correction.o.ready.eq(self.o.ready & sequencer.i.ready)]
        return m
