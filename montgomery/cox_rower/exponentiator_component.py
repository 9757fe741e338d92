"""Rowers in a ring, the sequencer, and who says what they multiply."""

from .digits import FromDigits
from .exponentiator_front import Front

__all__ = ["Exponentiator"]


class Exponentiator(FromDigits):
    """Figure 4: an exponentiation in a residue number system, on parallel units in a ring, the
    Rowers.

    A number is the list of its remainders modulo the elements of two bases, A and B. A divider
    finds what the product of base B and its square are modulo the modulus, and the Rowers find the
    inverse of the modulus modulo the elements of base B. The base of the power is converted to
    remainders, brought into Montgomery's form, and raised to the exponent by windows of four bits:
    four squares and one product for each digit of four bits, whatever the digit. The power leaves
    Montgomery's form, is converted to an ordinary number, and is corrected to below the modulus.

    What depends on the modulus alone is found again for each power, even if the modulus stays. The
    paper (Section 3) advises to find it once for a key. The paper's LSI (Table 1) does RSA without
    and with CRT on the same Rowers. This core does RSA without CRT alone;
    :mod:`montgomery.cox_rower.rsa_crt` is the core for RSA with CRT.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.exponentiator.Parameters`

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
