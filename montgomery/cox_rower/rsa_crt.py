"""RSA with the Chinese remainder theorem on the Cox-Rower, from digits to digits."""

import dataclasses

from ..core import About, Field, Message, ceil_div, parameter
from ..kinds.exponentiator import exponent_fields, exponent_length, length_number
from ..kinds.rsa_crt import PUBLIC_NUMBERS, RsaCrt, check_parameter, public_exponent, public_fields
from .exponentiator import DigitParameters
from .microcode import RowerModel
from .multiplier import PAPER, listed

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(DigitParameters, RsaCrt):
    """Parameters of RSA with CRT: of a :class:`~montgomery.cox_rower.exponentiator.CoxRowerCore`.

    Bases have the size for factors, which is about half of that for their product N. There may be
    several sizes, of which each decryption takes the smallest one that is large enough for p and q.

    With ``keys="both"`` keys without CRT are taken too: those with q = 1, where p is the modulus,
    of up to half of ``width`` bits, ``exponent_p`` is the exponent, and ``exponent_q`` is 0. They
    take about the time of one of the two factors of a key with CRT, and a little more than on the
    core for keys without CRT alone, :mod:`montgomery.cox_rower.exponentiator`.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus N. Neither p nor q has more than half of them, rounded up.
    shortest : :class:`int`
        There are bases for ``width``, and for half of it, a quarter and so on that are not below
        this; 0 if none are wanted.
    keys : :class:`str`
        ``crt``, or ``both`` for keys with CRT and without on the same core, which checks nothing.
    check : :class:`str`
        See :func:`~montgomery.kinds.rsa_crt.check_parameter`.
    """

    _about = About(
        source=f"{PAPER}; Figures 3 and 5",
        summary="RSA with the Chinese remainder theorem in a residue number system",
        uses_blocks=True)
    exponents = ("exponent_p", "exponent_q")

    width: int = parameter(help="bits of the largest modulus", minimum=8, maximum=8192)
    shortest: int = parameter(0, "bits of the shortest modulus that has smaller bases of its own; "
                              "0 means none", minimum=0, maximum=8192)
    keys: str = parameter("crt", "what keys are taken: those with CRT, or both those and ones "
                          "without CRT, of half the width", choices=("crt", "both"))
    check: str = check_parameter()

    def _check_parameters(self):
        super()._check_parameters()
        if self.checks and self.single_too:
            raise ValueError("Check must be none with keys=both, since a key without CRT does not "
                             "tell the public exponent, not 'public'; choose check=none, or "
                             "keys=crt")

    @property
    def checks(self):
        return self.check == "public"

    @property
    def single_too(self):
        return self.keys == "both"

    @property
    def lengths(self):
        lengths = [self.factor_width]
        while self.shortest and lengths[-1] // 2 >= ceil_div(self.shortest, 2):
            lengths.append(lengths[-1] // 2)
        return tuple(lengths)

    @property
    def key_operands(self):
        """What the host finds, which is all but what depends on the bases."""
        n, r = self.bases[-1].n, self.word_width
        longest = (1 << n * r) - 1
        elements = sorted({each for bases in self.bases for each in bases.b}, reverse=True)
        digits, fields = exponent_fields(self.exponents, self.exponent_limit, r, self.window)
        if self.single_too:
            fields.insert(0, Field("factors", 1, "2 for a key with CRT; 1 for one without, where q "
                                   "is 1", "1 if q == 1 else 2", filler=2))
        fields += [
            *(public_fields(r) if self.checks else ()),
            Field("p", n, "the factor p", filler=longest),
            Field("q", n, "the factor q", filler=longest),
            Field("q_inverse", n, "q⁻¹ mod p: the number below p whose product with q is 1 modulo "
                  "p", "pow(q, -1, p)"),
            Field("p_inverse", n, "p⁻¹ mod q: the number below q whose product with p is 1 modulo "
                  "q", "pow(p, -1, q)"),
            Field("modulus", 2 * n, "the modulus m = p q", "p * q", filler=longest)]
        return Message(r, tuple(fields), (
            listed("B", elements), length_number(self), digits,
            *(PUBLIC_NUMBERS if self.checks else ())))

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the message raised to the exponent, modulo p q, by the steps of Figure 5.

        Without CRT, where q is 1, by those of Figure 4.
        """
        self._check_operands(message, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        factors, bits, public = self._operation(exponent_p, exponent_q, p, q, exponent_bits)
        exponents = [exponent_p, exponent_q][:len(factors)]
        result = RowerModel(self, factors).run(message, exponents, bits, public)
        return self._results.largest if result is None else result

    def _cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        return self._clocks(*self._operation(exponent_p, exponent_q, p, q, exponent_bits))

    def _operation(self, exponent_p, exponent_q, p, q, exponent_bits):
        """Return the factors, the length of the exponents, and the public exponent for a check."""
        bits = exponent_length(exponent_bits, exponent_p, exponent_q)
        public = public_exponent(exponent_p, exponent_q, p, q) if self.checks else 1
        return [p] if q == 1 else [p, q], bits, public
