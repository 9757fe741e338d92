"""Rowers in a ring, the sequencer, and what is around them."""

from amaranth.hdl import Array

from .digits import FromDigits

__all__ = ["RsaCrtCore"]


class RsaCrtCore(FromDigits):
    """Figure 5: an RSA decryption by the Chinese remainder theorem in a residue number system, on
    parallel units in a ring, the Rowers.

    A number is the list of its remainders modulo the elements of two bases. All is done modulo p
    first and then modulo q, on the same Rowers. When a key has come, a divider finds what the
    product of base B and its square are modulo each factor, and the Rowers find what its cube is,
    and the inverse of the factor modulo the elements of base B; all of this stays with the key.

    A message is converted to remainders in both bases together. Montgomery's reduction of it gives
    a number below twice the factor, which the cube brings into Montgomery's form; the paper divides
    the message by the factor instead. The Rowers find the power by windows of some bits, and its
    product with the inverse of the other factor. The two results are each multiplied by the other
    factor and added, the sum is converted to an ordinary number from both bases together, and
    corrected to below p q.

    The paper's LSI (Table 1) does RSA without and with CRT on the same Rowers. So does this core
    with ``keys="both"``: a key without CRT is one of a single factor N, of the length that p and q
    may have, and the list of operations has those of Figure 4 too. The last conversion is the same,
    of the sum of the result and N. With ``keys="crt"`` the core does RSA with CRT alone;
    :mod:`montgomery.cox_rower.exponentiator` is the core for RSA without CRT alone.

    Latency: that of an exponentiation of half the length for each factor, one after the other, and
    the conversions from and to digits. Throughput: one operation at a time; the words of the next
    message are taken while the result is handed over.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.rsa_crt.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    @property
    def both(self):
        return self.params.keys == "both"

    def parts(self):
        p = self.params
        return ([program for programs in p.programs for program in programs], p.latency,
                list(zip(p.sets.all, p.layouts, strict=True)))

    def measure(self, m, front, correction):
        m.d.comb += [correction.doubles.eq(1), correction.last.eq(self.params.result_words - 1)]
        with m.If(~front.gives):
            # The next key may come while digits go out.
            m.d.sync += correction.last_sum.eq(Array(2 * each.n - 1 for each in front.sets)[
                front.set])
