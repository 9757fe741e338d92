"""Rowers in a ring, the sequencer, and who says what they multiply."""

from ...cox_rower.digits import FromDigits
from .front import Front

__all__ = ["Exponentiator"]


class Exponentiator(FromDigits):
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

    def parts(self):
        programs, inner = self.params.programs, self.params.multiplier
        return (Front(inner.rns.bases, inner.u), programs, inner.latency,
                [(inner.rns, programs[0].layout)])

    def instruct(self, m, front, windows, sequencer, correction):
        last = self.params.result_words - 1
        m.d.comb += [sequencer.next.eq(windows.next), windows.takes.eq(sequencer.takes),
                     sequencer.more.eq(windows.more), correction.last.eq(last),
                     correction.last_sum.eq(last)]
