"""RSA in a residue number system: the Cox-Rower, from digits to digits."""

import dataclasses
import functools

from ...core import Cycles, ceil_div, parameter, to_words
from ...cox_rower import Parameters as _Multiplier
from ...cox_rower.control import Layout, Program
from ...cox_rower.correction import Correction
from ...cox_rower.exponentiation import WINDOW, multiplications
from ...cox_rower.key import prepare
from ...cox_rower.rns import Residues
from ...cox_rower.rsa import decrypt
from ...cox_rower.schedule import conversion
from ...cox_rower.sequencer import Sequencer
from ...cox_rower.windows import NUMBERS
from ..base import Parameters as _Parameters
from .exponentiator import Exponentiator

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Parameters):
    """Parameters of :class:`Exponentiator`.

    Base, exponent and result are digits; conversions, and the correction of the result, are part of
    the exponentiation. What depends on the modulus alone is sent as residues. The time depends on
    the number of the exponent's digits of four bits.

    Moduli that share a factor with base b are refused; see
    :class:`montgomery.cox_rower.Parameters`.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus.
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer.
    """

    source = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
              "Montgomery Multiplication; Figures 3 and 4")
    summary = "residue number system with windows of four bits, on parallel units in a ring"
    portable = False

    word_width: int = parameter(32, "bits of a residue and of a word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "parallel units, at most one for each element of a base", minimum=1,
                            maximum=256)

    def check(self):
        _ = self.multiplier  # refuses what it cannot be made with

    @functools.cached_property
    def multiplier(self):
        """:class:`montgomery.cox_rower.Parameters` of the products."""
        return _Multiplier(width=self.width, word_width=self.word_width, rowers=self.rowers)

    def usable_modulus(self, modulus):
        return self.multiplier.usable_modulus(modulus)

    def check_operands(self, base, exponent, modulus, *, exponent_bits=None):
        """See :meth:`montgomery.exponentiation.base.Parameters.check_operands`.

        Raises
        ------
        ValueError
            If the modulus has a factor in common with base b, too.
        """
        bits = super().check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        self.multiplier.rns.bases.check_modulus(modulus)
        return bits

    @functools.cached_property
    def programs(self):
        """Each :class:`~montgomery.cox_rower.control.Program`: multiplication, Equations 8, 9."""
        one = self.multiplier
        n = one.rns.bases.n
        layout = Layout(one.slots, n, NUMBERS, converts=True)
        conversions = [conversion(n, one.u, one.latency, to_rns=to_rns)
                       for to_rns in (True, False)]
        return [Program(plan, layout) for plan in (one.schedule, *conversions)]

    @property
    def rows_in(self):
        """Two rows of the key, three numbers as residues, and one as digits."""
        return 9 * self.multiplier.slots

    @property
    def exponent_words(self):
        """Words of an exponent of ``width`` bits."""
        return ceil_div(ceil_div(self.width, WINDOW), self.word_width // WINDOW)

    @property
    def result_words(self):
        return self.multiplier.rns.bases.n

    @staticmethod
    def digits(exponent_bits):
        """Return the number of digits of an exponent, at least one."""
        return max(ceil_div(exponent_bits, WINDOW), 1)

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        rns = self.multiplier.rns
        return decrypt(rns, prepare(rns, modulus), base, exponent,
                       exponent_bits=WINDOW * self.digits(bits))

    def encode(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the words of one exponentiation, for port ``i``.

        They are: the number of the exponent's digits, of four bits each; the exponent, as many
        digits as fit in a word, the highest ones first and in the first bits of a word; the modulus
        N; as residues, -(N B_j)**-1 modulo base b, N (B A_j)**-1 modulo base a, and B**2 mod N, 1
        and B mod N modulo base a and then modulo base b; the base, as n digits of a word each.
        Residues and the base's digits are dealt out to the Rowers, one to each in turn, and of each
        round the last comes first.
        """
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        digits, in_word = self.digits(bits), self.word_width // WINDOW
        aligned = exponent << WINDOW * (in_word * self.exponent_words - digits)
        words = to_words(aligned, WINDOW * in_word, self.exponent_words)[::-1]
        rns, key = self.multiplier.rns, prepare(self.multiplier.rns, modulus)
        n = rns.bases.n
        ones = Residues(*((1,) * n for _ in range(2)))
        parts = [key.to_xi, key.t_to_xi, *(part for number in (key.square, ones, key.one)
                                           for part in (number.a, number.b)),
                 to_words(base, self.word_width, n)]
        return [digits, *words, *to_words(modulus, self.word_width, n),
                *(word for part in parts for word in self.multiplier.ordered(part))]

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return multiplications(WINDOW * self.digits(bits)) + 2

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        count = self.multiplications(base, exponent, modulus, exponent_bits=exponent_bits)
        u, n = self.multiplier.u, self.multiplier.rns.bases.n
        load = 1 + self.exponent_words + n + self.rows_in * u
        multiplication, to_rns, to_digits = self.programs
        power = (Sequencer.START + to_rns.clocks(1) + Sequencer.AGAIN
                 + multiplication.clocks(count) + Sequencer.AGAIN)
        # With few elements the last program ends after the correction.
        compute = power + max(to_digits.lead + to_digits.drained + u
                              + Correction.clocks(n, 0) - 2 * n + 2, to_digits.clocks(1))
        return Cycles(load=load, compute=compute, unload=n, interval=load + compute + n - 1)

    def multipliers(self, technology):
        return self.multiplier.multipliers(technology)

    def create(self):
        return Exponentiator(self)
