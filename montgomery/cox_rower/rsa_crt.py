"""RSA decryption with the Chinese remainder theorem on the Cox-Rower, from digits to digits."""

import dataclasses
import functools
import math

from ..core import ceil_div, parameter, to_words
from ..kinds.rsa_crt import RsaCrt
from . import described
from .clocks import cycles_of
from .control import Program
from .exponentiation import digits_of, exponent_words, words_of
from .kept import index_of_set
from .key import prepare
from .layout import Layout
from .multiplier import Parameters as _Multiplier
from .multiplier import latency_of
from .places import Places
from .plans import conversion, inversion, key, product
from .rower import Rower
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

    source = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
              "Montgomery Multiplication; Figures 3 and 5")
    summary = "RSA with the Chinese remainder theorem in a residue number system"
    portable = False
    key_inputs = ("exponent_p", "exponent_q", "p", "q")

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

    def check_parameters(self):
        _ = self.sets.all  # refuses what it cannot be made with

    @functools.cached_property
    def multiplier(self):
        """:class:`montgomery.cox_rower.multiplier.Parameters` of those with the largest bases."""
        return _Multiplier(width=self.factor_width, word_width=self.word_width, rowers=self.rowers)

    @property
    def u(self):
        """Number of Rowers."""
        return self.multiplier.u

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
    def exponent_words(self):
        """Words of an exponent as long as a factor."""
        return exponent_words(self.factor_width, self.word_width, self.window)

    @property
    def header_words(self):
        """Words of a key before those of the factors."""
        return 1 + self.single_factor + 2 * self.exponent_words

    @property
    def single_factor(self):
        return self.keys == "both"

    @property
    def result_words(self):
        return 2 * self.bases[-1].n

    @property
    def avoided(self):
        return math.prod(bases.b_product for bases in self.bases)

    def check_operands(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """See :meth:`montgomery.kinds.rsa_crt.RsaCrt.check_operands`.

        Raises
        ------
        ValueError
            If p or q has a factor in common with base b, too.
        """
        bits = super().check_operands(message, exponent_p, exponent_q, p, q,
                                      exponent_bits=exponent_bits)
        if q == 1:
            prepare(self.rns(p, q), p)
        else:
            prepare_crt(self.rns(p, q), p, q)
        return bits

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the message raised to the exponent, modulo p q, by the steps of Figure 5.

        Without CRT, where q is 1, by those of Figure 4.
        """
        bits = self.check_operands(message, exponent_p, exponent_q, p, q,
                                   exponent_bits=exponent_bits)
        rns = self.rns(p, q)
        if q == 1:
            return decrypt(rns, prepare(rns, p), message, exponent_p, exponent_bits=bits,
                           window=self.window, both=True)
        return decrypt_crt(rns, prepare_crt(rns, p, q), message, exponent_p, exponent_q,
                           exponent_bits=bits, window=self.window)

    def encode_key(self, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the words of a key, for port ``k``.

        They are: with ``keys="both"``, 2 for a key with CRT, or 1 for one without, the number of
        factors; the number of digits of an exponent, of ``window`` bits each; the exponents for p
        and for q, as many digits as fit in a word, the highest ones first and in the first bits of
        a word; and, lowest word first, p, q, the inverse of q modulo p and that of p modulo q, and
        the modulus.
        """
        digits = digits_of(self.check_operands(0, exponent_p, exponent_q, p, q,
                                               exponent_bits=exponent_bits), self.window)
        words = [2 - (q == 1), digits] if self.single_factor else [digits]
        for exponent in (exponent_p, exponent_q):
            words += words_of(exponent, digits, self.exponent_words, self.word_width, self.window)
        n = self.bases[-1].n
        for number, count in ((p, n), (q, n), (pow(q, -1, p), n), (pow(p, -1, q), n),
                              (p * q, 2 * n)):
            words += to_words(number, self.word_width, count)
        return words

    def moduli_text(self):
        return (f"{super().moduli_text()}, with no factor in common with an element of base B, "
                f"which are listed below; a prime of more than {self.word_width} bits has none")

    def describe(self):
        return described.rsa_crt(self, super().describe())

    def cycles(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one decryption, exactly."""
        bits = self.check_operands(message, exponent_p, exponent_q, p, q,
                                   exponent_bits=exponent_bits)
        return cycles_of(self, bits, *([p] if q == 1 else [p, q]))

    def multipliers(self, technology):
        return self.u * Rower.blocks_of(technology, self.word_width, self.sets.reduction)

    def create(self):
        return RsaCrtCore(self)
