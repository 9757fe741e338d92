"""Rowers in a ring, the sequencer, and who says what they multiply."""

from .digits import FromDigits

__all__ = ["Exponentiator"]


class Exponentiator(FromDigits):
    """Figure 4: an exponentiation in a residue number system, on parallel units in a ring, the
    Rowers.

    A number is the list of its remainders modulo the elements of two bases, A and B. When a key has
    come, a divider finds what the product of base B and its square are modulo the modulus, and the
    Rowers find the inverse of the modulus modulo the elements of base B; all of this stays with the
    key. For a message, the base of the power is converted to remainders, brought into Montgomery's
    form, and raised to the exponent by windows of some bits: as many squares and one product for
    each digit of so many bits, whatever the digit. The power leaves Montgomery's form, is converted
    to an ordinary number, and is corrected to below the modulus.

    The paper's LSI (Table 1) does RSA without and with CRT on the same Rowers. This core does RSA
    without CRT alone; :mod:`montgomery.cox_rower.rsa_crt` is the core for RSA with CRT, and with
    ``keys="both"`` for RSA without it too.

    Latency: for each digit of the exponent, as many multiplications as it has bits and one more;
    beside these, the powers, the conversions and the correction. Throughput: one exponentiation at
    a time; the words of the next base are taken while the result is handed over.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.exponentiator.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def parts(self):
        programs, inner = self.params.programs, self.params.inner
        return programs, inner.latency, [(inner.rns, programs[0].layout)]

    def measure(self, m, front, correction):
        last = self.params.result_words - 1
        m.d.comb += [correction.last.eq(last), correction.last_sum.eq(last)]
