"""RSA in a residue number system: the Cox-Rower, from digits to digits."""

import dataclasses
import functools

from ..blocks.skid import Skid
from ..core import About, Cycles, Field, Message, Traits, parameter, plural, traits
from ..kinds.exponentiator import BLINDING_BITS, CONSTANT_TIME, exponent_length, length_number
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from .control import Program
from .correction import Correction
from .exponentiation import (
    digits_of,
    exponent_fields,
    exponent_words,
    multiplications,
)
from .exponentiator_component import Exponentiator
from .front import Front
from .kept import division_clocks
from .key import prepare
from .layout import Layout
from .multiplier import Parameters as _Multiplier
from .multiplier import listed
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

    Exponents may be 64 bits longer than ``width``, for a host that blinds them.

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

    _about = About(
        source="Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
               "Montgomery Multiplication; Figures 3 and 4",
        summary="residue number system with windows on parallel units in a ring",
        uses_blocks=True)

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)
    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)

    def _check_parameters(self):
        _ = self.inner  # refuses what it cannot be made with

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.cox_rower.multiplier.Parameters` of the products."""
        return _Multiplier(width=self.width, word_width=self.word_width, rowers=self.rowers)

    @property
    def _traits(self):
        inner = traits(self.inner)
        return Traits(coprime_to=inner.coprime_to, products=inner.products,
                      advice=f"{CONSTANT_TIME} It counts in digits of "
                             f"{plural(self.window, 'bit')}. The time that a key takes depends on "
                             "the length of the modulus in words.")

    @property
    def places(self):
        """The :class:`~montgomery.cox_rower.places.Places` of numbers."""
        return Places(self.window, crt=False)

    @functools.cached_property
    def programs(self):
        """Each :class:`~montgomery.cox_rower.control.Program`, as ``Windows`` numbers them.

        Multiplication, Equation 8 and Equation 9; a step of N**-1, and what the key is made of.
        """
        one = self.inner
        n = one.rns.bases.n
        layout = Layout(one.slots, n, self.places.count, converts=True)
        size = n, one.u, one.latency
        plans = (one.schedule, conversion(*size, to_rns=True), conversion(*size, to_rns=False),
                 inversion(*size), key(*size))
        return [Program(plan, layout) for plan in plans]

    @property
    def exponent_limit(self):
        return self.width + BLINDING_BITS

    @property
    def exponent_words(self):
        """Words of the longest exponent."""
        return exponent_words(self.exponent_limit, self.word_width, self.window)

    @property
    def header_words(self):
        """Words of a key before those of the modulus."""
        return 1 + self.exponent_words

    @property
    def result_words(self):
        return self.inner.rns.bases.n

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        rns = self.inner.rns
        return decrypt(rns, prepare(rns, modulus), base, exponent,
                       exponent_bits=bits, window=self.window)

    @property
    def operands(self):
        return Message(self.word_width, (Field("base", self.result_words, "the base"),))

    @property
    def key_operands(self):
        digits, fields = exponent_fields(("exponent",), self.exponent_limit, self.word_width,
                                         self.window)
        modulus = Field("modulus", self.result_words, "the modulus m",
                        filler=(1 << self.word_width * self.result_words) - 1)
        return Message(self.word_width, (*fields, modulus),
                       (listed("B", self.inner.rns.bases.b), length_number(self), digits))

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = exponent_length(exponent_bits, exponent)
        return multiplications(self.window * digits_of(bits, self.window), self.window) + 2

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        count = self.multiplications(base, exponent, modulus, exponent_bits=exponent_bits)
        u, n, r = self.inner.u, self.inner.rns.bases.n, self.word_width
        multiplication, to_rns, to_digits, inverting, to_key = self.programs
        places = self.places
        load_key = (self.header_words + n + division_clocks((self.inner.rns.bases,), modulus)
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

    def create(self):
        return Exponentiator(self)
