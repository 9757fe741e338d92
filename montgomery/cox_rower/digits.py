"""From digits to digits: what RSA without CRT, and with it, have around the Rowers."""

import abc

from amaranth.hdl import Module
from amaranth.lib import wiring

from .correction import Correction
from .multiplier_component import drained, row
from .sequencer import Sequencer
from .windows import Place, Windows

__all__ = ["FromDigits"]


class FromDigits(wiring.Component, abc.ABC):
    """Rowers with a front that takes digits, and a correction that gives them.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
        With ``exponent_words``, the words of each exponent.

    Attributes
    ----------
    crt : bool
        There are two exponents.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    crt = False

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    @abc.abstractmethod
    def parts(self):
        """Return the front, the programs as ``Windows`` numbers them, and what :func:`row` takes.

        That is the latency of a Rower, and an ``Rns`` with its ``Layout`` for each base size, in
        rising order.
        """

    @abc.abstractmethod
    def instruct(self, m, front, windows, sequencer, correction):
        """Tell the sequencer what is next, and the correction how long its numbers are."""

    def elaborate(self, platform):
        m = Module()
        p = self.params
        front, programs, latency, sets = self.parts()
        slots = sets[-1][1].slots
        m.submodules.windows = windows = Windows(p.word_width, p.exponent_words, crt=self.crt)
        # Each number but the last with ones for base b.
        m.submodules.sequencer = sequencer = Sequencer(
            programs, width=p.word_width, u=front.u, rows_in=(2 * front.NUMBERS - 1) * slots,
            rows_out=0, first=Place.ONE)
        m.submodules.correction = correction = Correction(
            p.word_width, sets[0][0].reduction.width, max(p.result_words, 2))
        rowers = row(m, sequencer, latency, sets)

        m.submodules.front = front
        wiring.connect(m, wiring.flipped(self.i), front.i)
        for source, target in ((front.header, windows.i), (front.modulus, correction.modulus),
                               (front.rows, sequencer.i)):
            wiring.connect(m, source, target)
        m.d.comb += front.waits.eq(windows.waits)
        self.instruct(m, front, windows, sequencer, correction)

        drained(m, rowers, sequencer, correction)
        # A result waits until the words that may follow it can be taken.
        m.d.comb += [self.o.payload.eq(correction.o.payload),
                     self.o.valid.eq(correction.o.valid & sequencer.i.ready),
                     correction.o.ready.eq(self.o.ready & sequencer.i.ready)]
        return m
