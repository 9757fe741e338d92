"""RSA in a residue number system: the Cox-Rower, from digits to digits."""

import dataclasses
import functools

from ..arithmetic import check_operand
from ..blocks.skid import Skid
from ..core import Cycles, parameter, to_words
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from . import described
from .control import Program
from .correction import Correction
from .exponentiation import (
    digits_of,
    exponent_words,
    multiplications,
    words_of,
)
from .exponentiator_component import Exponentiator
from .front import Front
from .kept import division_clocks
from .key import prepare
from .layout import Layout
from .multiplier import Parameters as _Multiplier
from .places import Places
from .plans import conversion, inversion, key
from .rsa import decrypt
from .sequencer import Sequencer

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`.

    All numbers are digits. What depends on the modulus alone is found when the key has come, so
    that the paper's times are those of ``cycles.compute``. That time depends on the length of the
    exponent, in digits of ``window`` bits; that of the key on the length of the modulus, in words.

    Moduli that share a factor with base b are refused; see
    :class:`montgomery.cox_rower.multiplier.Parameters`.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus.
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer.
    window : :class:`int`
        Bits of a digit of the exponent; the paper has 4. There are 2**window powers in a table.
    """

    source = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
              "Montgomery Multiplication; Figures 3 and 4")
    summary = "residue number system with windows on parallel units in a ring"
    portable = False
    key_inputs = ("exponent", "modulus")

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)
    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)

    def check_parameters(self):
        _ = self.multiplier  # refuses what it cannot be made with

    @functools.cached_property
    def multiplier(self):
        """:class:`montgomery.cox_rower.multiplier.Parameters` of the products."""
        return _Multiplier(width=self.width, word_width=self.word_width, rowers=self.rowers)

    def usable_modulus(self, modulus):
        return self.multiplier.usable_modulus(modulus)

    def check_operands(self, base, exponent, modulus, *, exponent_bits=None):
        """See :meth:`montgomery.kinds.exponentiator.Exponentiator.check_operands`.

        Raises
        ------
        ValueError
            If the modulus has a factor in common with base b, too.
        """
        bits = super().check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        self.multiplier.rns.bases.check_modulus(modulus)
        return bits

    @property
    def places(self):
        """The :class:`~montgomery.cox_rower.places.Places` of numbers."""
        return Places(self.window, crt=False)

    @functools.cached_property
    def programs(self):
        """Each :class:`~montgomery.cox_rower.control.Program`, as ``Windows`` numbers them.

        Multiplication, Equation 8 and Equation 9; a step of N**-1, and what the key is made of.
        """
        one = self.multiplier
        n = one.rns.bases.n
        layout = Layout(one.slots, n, self.places.count, converts=True)
        size = n, one.u, one.latency
        plans = (one.schedule, conversion(*size, to_rns=True), conversion(*size, to_rns=False),
                 inversion(*size), key(*size))
        return [Program(plan, layout) for plan in plans]

    @property
    def exponent_words(self):
        """Words of an exponent of ``width`` bits."""
        return exponent_words(self.width, self.word_width, self.window)

    @property
    def header_words(self):
        """Words of a key before those of the modulus."""
        return 1 + self.exponent_words

    @property
    def result_words(self):
        return self.multiplier.rns.bases.n

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        rns = self.multiplier.rns
        return decrypt(rns, prepare(rns, modulus), base, exponent,
                       exponent_bits=bits, window=self.window)

    def encode_key(self, exponent, modulus, *, exponent_bits=None):
        """Return the words of a key, for port ``k``.

        They are: the number of the exponent's digits, of ``window`` bits each; the exponent, as
        many digits as fit in a word, the highest ones first and in the first bits of a word; and
        the modulus, lowest word first.
        """
        bits = self.check_operands(0, exponent, modulus, exponent_bits=exponent_bits)
        digits = digits_of(bits, self.window)
        return [digits, *words_of(exponent, digits, self.exponent_words, self.word_width,
                                  self.window),
                *to_words(modulus, self.word_width, self.result_words)]

    def encode(self, base, exponent=None, modulus=None, *, exponent_bits=None):
        """Return the words of one exponentiation, for port ``i``: the base, lowest word first.

        Parameters
        ----------
        base : :class:`int`
        exponent, modulus : :class:`int` or ``None``
            Those of the key with which the base is used. Without, it is only checked to fit.
        """
        if modulus is None:
            check_operand("base", base, 1 << self.word_width * self.result_words)
        else:
            self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return to_words(base, self.word_width, self.result_words)

    def moduli_text(self):
        return (f"{super().moduli_text()}, with no factor in common with an element of base B, "
                "which are listed below; a modulus whose prime factors all have more than "
                f"{self.word_width} bits has none")

    def describe(self):
        return described.exponentiation(self, super().describe())

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return multiplications(self.window * digits_of(bits, self.window), self.window) + 2

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        count = self.multiplications(base, exponent, modulus, exponent_bits=exponent_bits)
        u, n, r = self.multiplier.u, self.multiplier.rns.bases.n, self.word_width
        multiplication, to_rns, to_digits, inverting, to_key = self.programs
        places = self.places
        load_key = (self.header_words + n + division_clocks((self.multiplier.rns.bases,), modulus)
                    + 2 * places.loaded * n + Front.READ
                    + Sequencer.run_clocks((to_rns, len(places.conversions)), (inverting, r),
                                           (to_key, 1)))
        power = n + Front.READ + Sequencer.run_clocks((to_rns, 1), (multiplication, count))
        # With few elements the last program ends after the correction.
        compute = power + Sequencer.AGAIN + max(
            to_digits.lead + to_digits.drained + u + Correction.clocks(n, 0) - 2 * n
            + Skid.LATENCY + 2,
            to_digits.clocks(1))
        return Cycles(load_key=load_key, load=n, compute=compute, unload=n, interval=n + compute)

    def multipliers(self, technology):
        return self.multiplier.multipliers(technology)

    def create(self):
        return Exponentiator(self)
