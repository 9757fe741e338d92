"""Rowers in a ring, the sequencer, and who says what they multiply."""

import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from ...cox_rower.correction import Correction
from ...cox_rower.multiplier import row
from ...cox_rower.sequencer import Sequencer
from ...cox_rower.windows import Windows

__all__ = ["Exponentiator"]


class Exponentiator(wiring.Component):
    """One exponentiation after the other: steps 4 to 9 of Figure 4.

    The base is converted to residues, brought into the Montgomery domain and raised to the exponent
    by windows of four bits; the power leaves the domain, is converted to digits, and these are
    corrected to below the modulus.

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
            p.programs, width=inner.word_width, u=inner.u, rows_in=p.rows_in, rows_out=0)
        m.submodules.correction = correction = Correction(
            inner.word_width, inner.rns.reduction.width, max(n, 2))
        rowers = row(m, inner, sequencer)

        # -- The first words are for ``windows``, the next ones for ``correction``. They come when
        # rows could come too.
        of_modulus = Signal(range(n + 1))  # words
        is_modulus = Signal()
        m.d.comb += is_modulus.eq(~windows.waits & (of_modulus != 0))
        with m.If(windows.waits):
            m.d.sync += of_modulus.eq(n)
        with m.Elif(correction.modulus.valid & correction.modulus.ready):
            m.d.sync += of_modulus.eq(of_modulus - 1)
        for target in (windows.i, correction.modulus, sequencer.i):
            m.d.comb += target.payload.eq(self.i.payload)
        m.d.comb += [
            windows.i.valid.eq(self.i.valid & sequencer.i.ready),
            correction.modulus.valid.eq(self.i.valid & is_modulus),
            sequencer.i.valid.eq(self.i.valid & ~windows.waits & ~is_modulus),
            self.i.ready.eq(Mux(is_modulus, correction.modulus.ready, sequencer.i.ready)),
            sequencer.next.eq(windows.next), windows.takes.eq(sequencer.takes),
            sequencer.more.eq(windows.more),
        ]

        # -- The sums come from the first Rower, for as many clocks as there are Rowers.
        draining = Signal(range(inner.u + 1))
        with m.If(sequencer.control.drain):
            m.d.sync += draining.eq(inner.u)
        with m.Elif(draining != 0):
            m.d.sync += draining.eq(draining - 1)
        for rower, after in itertools.pairwise(rowers):
            m.d.comb += rower.drain_before.eq(after.drain)
        m.d.comb += [correction.last.eq(n - 1), correction.i.payload.eq(rowers[0].drain),
                     correction.i.valid.eq(draining != 0)]
        # A result waits until the words that may follow it can be taken.
        m.d.comb += [self.o.payload.eq(correction.o.payload),
                     self.o.valid.eq(correction.o.valid & sequencer.i.ready),
                     correction.o.ready.eq(self.o.ready & sequencer.i.ready)]
        return m
