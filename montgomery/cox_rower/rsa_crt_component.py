"""Rowers in a ring, the sequencer, and what is around them."""

from amaranth.hdl import Array

from .digits import FromDigits
from .rsa_crt_front import Front

__all__ = ["Decryption"]


class Decryption(FromDigits):
    """Figure 5: an RSA decryption by the Chinese remainder theorem in a residue number system, on
    parallel units in a ring, the Rowers.

    A number is the list of its remainders modulo the elements of two bases, A and B. All is done
    modulo p first and then modulo q, on the same Rowers. A divider finds what the product of base
    B, its square and the message are modulo the factor. The Rowers find the inverse of the factor
    modulo the elements of base B, the power of the message by windows of four bits, and its product
    with the inverse of the other factor. The two results are each multiplied by the other factor
    and added, the sum is converted to an ordinary number from both bases together, and corrected to
    below p q.

    What depends on p and q alone is found again for each message, even if the key stays. The paper
    (Section 3.2) advises to find it once for a key. The paper's LSI (Table 1) does RSA without and
    with CRT on the same Rowers. This core does RSA with CRT alone;
    :mod:`montgomery.cox_rower.exponentiator` is the core for RSA without CRT.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.rsa_crt.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    crt = True

    def parts(self):
        p = self.params
        return (Front(p.bases, p.u), [program for programs in p.programs for program in programs],
                p.latency, list(zip(p.sets.all, p.layouts, strict=True)))

    def instruct(self, m, front, windows, sequencer, correction):
        programs, next_ = self.params.programs, sequencer.next
        m.d.comb += [windows.takes.eq(sequencer.takes), sequencer.more.eq(windows.more),
                     correction.last.eq(self.params.result_words - 1), correction.doubles.eq(1)]
        m.d.comb += [next_[name].eq(windows.next[name]) for name in ("x", "y", "target", "last")]
        # Those of a size are numbered from its first one on.
        first = Array(range(0, len(sequencer.programs), len(programs[0])))[front.set]
        m.d.comb += next_.program.eq(first + windows.next.program)
        with m.If(front.modulus.valid & front.modulus.ready):
            # Words of the next key may come while digits go out.
            m.d.sync += correction.last_sum.eq(Array(2 * each.n - 1 for each in front.sets)[
                front.set])
