"""Rowers in a ring, the sequencer, and what is around them."""

from amaranth.hdl import Array, Module
from amaranth.lib import wiring

from ...cox_rower.correction import Correction
from ...cox_rower.multiplier import drained, row
from ...cox_rower.sequencer import Sequencer
from ...cox_rower.windows import Place, Windows
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
    params : :class:`~montgomery.decryption.cox_rower.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p, sets = self.params, self.params.sets.all
        n = sets[-1].bases.n
        m.submodules.windows = windows = Windows(p.word_width, p.exponent_words, crt=True)
        m.submodules.sequencer = sequencer = Sequencer(
            [program for programs in p.programs for program in programs], width=p.word_width,
            u=p.u, rows_in=(2 * Front.NUMBERS - 1) * (n // p.u), rows_out=0, first=Place.ONE)
        m.submodules.correction = correction = Correction(
            p.word_width, sets[0].reduction.width, 2 * n)
        rowers = row(m, sequencer, p.latency, list(zip(sets, p.layouts, strict=True)))

        m.submodules.front = front = Front(p.bases, p.u)
        wiring.connect(m, wiring.flipped(self.i), front.i)
        for source, target in ((front.header, windows.i), (front.modulus, correction.modulus),
                               (front.rows, sequencer.i)):
            wiring.connect(m, source, target)
        next_ = sequencer.next
        m.d.comb += [front.waits.eq(windows.waits), windows.takes.eq(sequencer.takes),
                     sequencer.more.eq(windows.more), correction.last.eq(2 * n - 1),
                     correction.doubles.eq(1)]
        m.d.comb += [next_[name].eq(windows.next[name]) for name in ("x", "y", "target", "last")]
        first_program = Array(range(0, len(sequencer.programs), len(p.programs[0])))[front.set]
        m.d.comb += next_.program.eq(first_program + windows.next.program)
        with m.If(front.modulus.valid & front.modulus.ready):
            # Words of the next key may come while digits go out.
            m.d.sync += correction.last_sum.eq(Array(2 * each.bases.n - 1 for each in sets)[
                front.set])
        drained(m, rowers, sequencer, correction)
        # A result waits until the words that may follow it can be taken.
        m.d.comb += [self.o.payload.eq(correction.o.payload),
                     self.o.valid.eq(correction.o.valid & sequencer.i.ready),
                     correction.o.ready.eq(self.o.ready & sequencer.i.ready)]
        return m
