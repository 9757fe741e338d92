"""RSA decryption with the Chinese remainder theorem on the Cox-Rower, from digits to digits."""

import dataclasses
import functools
import math

from ..core import About, Field, Message, Traits, ceil_div, parameter, plural
from ..kinds.exponentiator import BLINDING_BITS, exponent_length, length_number
from ..kinds.rsa_crt import CONSTANT_TIME, RsaCrt
from .clocks import cycles_of
from .control import Program
from .exponentiation import exponent_fields, exponent_words
from .kept import index_of_set
from .key import prepare
from .layout import Layout
from .multiplier import Parameters as _Multiplier
from .multiplier import latency_of, listed
from .places import Places
from .plans import conversion, inversion, key, product
from .rower import products
from .rsa import decrypt, decrypt_crt, prepare_crt
from .rsa_crt_component import RsaCrtCore
from .schedule import schedule
from .sets import BaseSets

__all__ = ["Parameters", "RsaCrtCore"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(RsaCrt):
    """Parameters of :class:`RsaCrtCore`.

    Bases have the size for factors, which is about half of that for their product N. There may be
    several sizes, of which each decryption takes the smallest one that is large enough for p and q.

    All numbers are digits. What depends on p and q alone is found when the key has come, so that
    the paper's times are those of ``cycles.compute``. That time depends on the length of the
    exponents, in digits of ``window`` bits, and where there are several sizes on which one it is;
    that of the key on the lengths of p and q, in words.

    With ``keys="both"`` keys without CRT are taken too: those with q = 1, where p is the modulus,
    of up to half of ``width`` bits, ``exponent_p`` is the exponent, and ``exponent_q`` is 0; see
    :meth:`montgomery.kinds.rsa_crt.RsaCrt.without_crt`. They take about the time of one of the two
    factors of a key with CRT, and a little more than on the core for keys without CRT alone,
    :mod:`montgomery.cox_rower.exponentiator`.

    Exponents may be 64 bits longer than a factor, for a host that blinds them.

    Factors that are not coprime to base b are refused; see
    :class:`montgomery.cox_rower.multiplier.Parameters`.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus N. Neither p nor q has more than half of them, rounded up.
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer.
    window : :class:`int`
        Bits of a digit of the exponent; the paper has 4. There are 2**window powers in a table.
    shortest : :class:`int`
        There are bases for ``width``, and for half of it, a quarter and so on that are not below
        this; 0 if none are wanted.
    keys : :class:`str`
        ``crt``, or ``both`` for keys with CRT and without on the same core.
    """

    _about = About(
        source="Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
               "Montgomery Multiplication; Figures 3 and 5",
        summary="RSA with the Chinese remainder theorem in a residue number system",
        uses_blocks=True)

    width: int = parameter(help="bits of the largest modulus", minimum=8, maximum=8192)
    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)
    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)
    shortest: int = parameter(0, "bits of the shortest modulus that has smaller bases of its own; "
                              "0 means none", minimum=0, maximum=8192)
    keys: str = parameter("crt", "what keys are taken: those with CRT, or both those and ones "
                          "without CRT, of half the width", choices=("crt", "both"))

    def _check_parameters(self):
        _ = self.sets.all  # refuses what it cannot be made with

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.cox_rower.multiplier.Parameters` of those with the largest bases."""
        return _Multiplier(width=self.factor_width, word_width=self.word_width, rowers=self.rowers)

    @property
    def u(self):
        """Number of Rowers."""
        return self.inner.u

    @functools.cached_property
    def sets(self):
        """The :class:`~montgomery.cox_rower.sets.BaseSets`."""
        lengths = [self.factor_width]
        while self.shortest and lengths[-1] // 2 >= ceil_div(self.shortest, 2):
            lengths.append(lengths[-1] // 2)
        return BaseSets(self.word_width, self.u, tuple(lengths))

    @property
    def bases(self):
        """The :class:`~montgomery.cox_rower.bases.BaseSet` of each size."""
        return tuple(rns.bases for rns in self.sets.all)

    def rns(self, p, q):
        """Return the :class:`~montgomery.cox_rower.rns.Rns` for factors."""
        return self.sets.all[index_of_set(self.bases, p, q)]

    @property
    def latency(self):
        """Clocks of a Rower's pipeline: those for the largest bases, which take the longest."""
        return latency_of(self.sets.sizes[-1], self.u)

    @property
    def places(self):
        """The :class:`~montgomery.cox_rower.places.Places` of numbers."""
        return Places(self.window, crt=True)

    @functools.cached_property
    def layouts(self):
        """The :class:`~montgomery.cox_rower.layout.Layout` of each size."""
        sizes = self.sets.sizes
        return Layout.of_sets([n // self.u for n in sizes], sizes, self.places.count,
                              converts=True, crt=True)

    @functools.cached_property
    def programs(self):
        """Of each size, each :class:`~montgomery.cox_rower.control.Program`, as in ``Windows``.

        Multiplication, Equations 8 and 9; a step of N**-1, what the key is made of, and step 9; and
        Equation 8 of a message.
        """
        found = []
        for layout in self.layouts:
            size = layout.n, self.u, self.latency
            plans = (schedule(*size), conversion(*size, to_rns=True),
                     conversion(*size, to_rns=False, crt=True), inversion(*size), key(*size),
                     product(*size), conversion(*size, to_rns=True, crt=True))
            found.append([Program(plan, layout) for plan in plans])
        return found

    @property
    def exponent_limit(self):
        return self.factor_width + BLINDING_BITS

    @property
    def exponent_words(self):
        """Words of the longest exponent."""
        return exponent_words(self.exponent_limit, self.word_width, self.window)

    @property
    def header_words(self):
        """Words of a key before those of the factors."""
        return 1 + self._traits.single_factor + 2 * self.exponent_words

    @property
    def result_words(self):
        return 2 * self.bases[-1].n

    @functools.cached_property
    def _traits(self):
        return Traits(
            coprime_to=math.prod(bases.b_product for bases in self.bases),
            products=products(self.u, self.word_width, self.sets.reduction),
            single_factor=self.keys == "both",
            advice=f"{CONSTANT_TIME} It counts in digits of {plural(self.window, 'bit')}. The time "
                   "that a key takes depends on the lengths of p and q in words.")

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the message raised to the exponent, modulo p q, by the steps of Figure 5.

        Without CRT, where q is 1, by those of Figure 4.
        """
        self._check_operands(message, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent_p, exponent_q)
        rns = self.rns(p, q)
        if q == 1:
            return decrypt(rns, prepare(rns, p), message, exponent_p, exponent_bits=bits,
                           window=self.window, both=True)
        return decrypt_crt(rns, prepare_crt(rns, p, q), message, exponent_p, exponent_q,
                           exponent_bits=bits, window=self.window)

    @property
    def key_operands(self):
        """See :attr:`montgomery.CoreParameters.key_operands`; all is found by the host but what
        depends on the bases.
        """
        n = self.bases[-1].n
        longest = (1 << n * self.word_width) - 1
        elements = sorted({each for bases in self.bases for each in bases.b}, reverse=True)
        digits, fields = exponent_fields(("exponent_p", "exponent_q"), self.exponent_limit,
                                         self.word_width, self.window)
        if self._traits.single_factor:
            fields.insert(0, Field("factors", 1, "2 for a key with CRT; 1 for one without, where q "
                                   "is 1", "1 if q == 1 else 2", filler=2))
        fields += [
            Field("p", n, "the factor p", filler=longest),
            Field("q", n, "the factor q", filler=longest),
            Field("q_inverse", n, "q⁻¹ mod p: the number below p whose product with q is 1 modulo "
                  "p", "pow(q, -1, p)"),
            Field("p_inverse", n, "p⁻¹ mod q: the number below q whose product with p is 1 modulo "
                  "q", "pow(p, -1, q)"),
            Field("modulus", 2 * n, "the modulus m = p q", "p * q", filler=longest)]
        return Message(self.word_width, tuple(fields), (listed("B", elements), length_number(self),
                                                         digits))

    def _cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one decryption, exactly."""
        bits = exponent_length(exponent_bits, exponent_p, exponent_q)
        return cycles_of(self, bits, *([p] if q == 1 else [p, q]))

    def create(self):
        return RsaCrtCore(self)
