"""What RSA without CRT and with it have in common: parameters, model and clocks."""

import dataclasses
import functools
import math

from ..blocks.skid import Skid
from ..blocks.windows import digit_count, digits_of
from ..core import Cycles, Traits, parameter, plural, to_words
from ..kinds.exponentiator import BLINDING_BITS, CONSTANT_TIME
from .control import ControlProgram
from .correction import Correction
from .digit_core import CoxRowerCore
from .divider import remainder
from .front import Front, index_of_set
from .key_divider import KeyDivider
from .layout import Layout
from .microcode import After, Places, Run, microcode, runs_of
from .model import RowerModel
from .multiplier import rower_count
from .reduction import correct
from .ring import RowerRing
from .rns import BaseSets
from .rower import products
from .schedule import latency_of, schedules

__all__ = ["DigitParameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DigitParameters:
    """Parameters of a :class:`~.digit_core.CoxRowerCore`, beside those of its kind.

    A core gives the bits of the longest modulus of the Rowers (``modulus_width``), and the
    ``lengths`` of moduli for which there are bases, in falling order.

    Parameters
    ----------
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer.
    window : :class:`int`
        Bits of a digit of the exponent; the paper has 4. There are 2**window powers in a table.

    Attributes
    ----------
    exponents : tuple of :class:`str`
        Inputs that are exponents: two for cores with CRT.
    single_too : :class:`bool`
        With CRT: keys without CRT are taken, too.
    """

    exponents, single_too = ("exponent",), False

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)
    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)

    def _check_parameters(self):
        _ = self.sets.all  # refuses what it cannot be made with

    @property
    def exponent_limit(self):
        return self.modulus_width + BLINDING_BITS

    @functools.cached_property
    def u(self):
        """Number of Rowers."""
        return rower_count(self.modulus_width, self.word_width, self.rowers)

    @functools.cached_property
    def sets(self):
        """The :class:`~montgomery.cox_rower.rns.BaseSets`."""
        return BaseSets(self.word_width, self.u, self.lengths)

    @property
    def bases(self):
        """The :class:`~montgomery.cox_rower.bases.BaseSet` of each size."""
        return tuple(rns.bases for rns in self.sets.all)

    @property
    def latency(self):
        """Clocks of a Rower's pipeline: those for the largest bases, which take the longest."""
        return latency_of(self.sets.sizes[-1], self.u)

    @functools.cached_property
    def places(self):
        """The :class:`~montgomery.cox_rower.microcode.Places` of numbers."""
        return Places(self.window, crt=len(self.exponents) > 1)

    @functools.cached_property
    def microcode(self):
        """What is done, as :func:`montgomery.cox_rower.microcode.microcode`."""
        return microcode(self.places, self.word_width, exponent_bits=self.exponent_limit,
                         both=self.single_too)

    @functools.cached_property
    def layouts(self):
        """The :class:`~montgomery.cox_rower.layout.Layout` of each size."""
        return Layout.of_sizes(self.sets.sizes, self.u, self.places.count, converts=True,
                               crt=self.places.crt)

    @functools.cached_property
    def programs(self):
        """The :class:`~montgomery.cox_rower.control.ControlProgram` of each run, by size."""
        return [[ControlProgram(plan, layout) for plan in
                 schedules(layout.n, self.u, self.latency, crt=layout.crt)]
                for layout in self.layouts]

    @property
    def header_words(self):
        """Words of a key before those of the factors."""
        names = ("factors", "digits", *self.exponents)
        return sum(field.words for field in self.key_operands.fields if field.name in names)

    @property
    def result_words(self):
        return self.bases[-1].n * (1 + self.places.crt)

    @functools.cached_property
    def _traits(self):
        return Traits(
            coprime_to=math.prod(bases.b_product for bases in self.bases),
            products=products(self.u, self.word_width, self.sets.all[0].reduction),
            single_factor=self.single_too,
            advice=f"{CONSTANT_TIME} It counts in digits of {plural(self.window, 'bit')}. The time "
                   "that a key takes depends on the words of the modulus, or of p and of q.")

    def _entries(self, factors):
        """Return the labels with which a key and a message begin."""
        name = "single " if self.places.crt and len(factors) == 1 else ""
        return f"{name}key", f"{name}message"

    def run(self, message, exponents, factors, bits):
        """Return the message raised to the exponents, by the steps of :attr:`microcode`.

        Parameters
        ----------
        exponents, factors : list of :class:`int`
            Two with CRT, and else one.
        bits : :class:`int`
            The length of the exponents.
        """
        at, rns = self.places, self.sets.all[index_of_set(self.bases, *factors)]
        n, r = rns.bases.n, self.word_width
        model = RowerModel(rns, at)
        digits = [digits_of(each, bits, self.window) for each in exponents]
        key, operation = self._entries(factors)
        for entry in (key, operation):
            for step, turns in self.microcode.walk({"digit": len(digits[0]) - 1}, entry=entry):
                factor = turns.get("factor", 0)
                if step.label == key:
                    model.load(at.unit, rns.residues(1), *(
                        to_words(value, r, n) for value in self._numbers_of(rns, factors, factor)))
                elif step.label == operation:
                    model.load(at.digits, to_words(message, r, (1 + at.crt) * n))
                model.do(step, turns, digits[factor])
        digits = sum(digit << r * place for place, digit in enumerate(model.result))
        return correct(digits, math.prod(factors), 4 if at.crt else 2)

    @staticmethod
    def _numbers_of(rns, factors, index):
        """Return the numbers that are loaded for a factor: B and B**2 are divided by it."""
        factor, b, r = factors[index], rns.bases.b_product, rns.bases.r
        numbers = [factor, remainder(b, factor, r), remainder(b ** 2, factor, r)]
        return [*numbers, pow(factors[1 - index], -1, factor)] if len(factors) > 1 else numbers

    def _clocks(self, bits, factors):
        """Return the :class:`montgomery.Cycles` of an operation with exponents of some bits."""
        at, number, words = self.places, index_of_set(self.bases, *factors), self.result_words
        programs, n = self.programs[number], self.bases[-1].n
        last = {"digit": digit_count(bits, self.window) - 1}
        keys, (*runs, _) = (runs_of(self.microcode.walk(last, entry=entry))
                            for entry in self._entries(factors))

        def clocks(runs):
            return sum(programs[run].clocks(times) + RowerRing.AGAIN for run, times, _ in runs)

        start = Front.READ + RowerRing.START - RowerRing.AGAIN
        divisions = sum(KeyDivider.clocks(self.bases[number], factor) for factor in factors)
        loads = sum(after is After.LOAD for *_, after in keys)
        load_key = self.k_words + divisions + loads * (2 * at.loaded * n + start) + clocks(keys)
        to_digits = programs[Run.TO_DIGITS]
        # With few elements the last program ends after the correction.
        compute = words + start + clocks(runs) + RowerRing.AGAIN + max(
            to_digits.lead + to_digits.drained + self.u
            + Correction.clocks(words, doubles=at.crt) - 2 * words + Skid.LATENCY + 2,
            to_digits.clocks(1))
        return Cycles(load_key=load_key, load=words, compute=compute, unload=words,
                      interval=words + compute)

    def create(self):
        return CoxRowerCore(self)
