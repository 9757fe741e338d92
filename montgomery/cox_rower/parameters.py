"""What the cores of the Cox-Rower are made with."""

import dataclasses
import functools
import math

from ..blocks.streams import Skid
from ..blocks.windows import digit_count
from ..core import Cycles, Number, Traits, ceil_div, parameter, plural
from ..kinds.exponentiator import CONSTANT_TIME
from .bases import smallest_size
from .control import ControlProgram, Layout
from .digit_core import CoxRowerCore
from .divider import KeyDivider
from .microcode import After, Places, Run, microcode, runs_of
from .result import ResultGate
from .ring import RowerRing
from .rns import rns_of_lengths
from .rower import products
from .schedule import latency_of, schedules

__all__ = ["DigitParameters", "RowerParameters", "listed"]


def listed(name, elements):
    """Return the :class:`~montgomery.core.Number` of a list of elements of a base."""
    rows = (map(hex, elements[start:start + 6]) for start in range(0, len(elements), 6))
    body = "".join(f"    {', '.join(row)},\n" for row in rows)
    return Number(name, f"the {len(elements)} elements of base {name}", f"[\n{body}]")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RowerParameters:
    """Parameters of what has Rowers, beside those of its kind.

    A core gives for each base size, in rising order, a list of ``programs``, each a
    :class:`~montgomery.cox_rower.control.ControlProgram`.

    Moduli that share a factor with base b are refused. No modulus does up to ``word_width - 3``
    bits, where base b is 2**r alone, nor does one whose prime factors all have more than
    ``word_width`` bits.

    Parameters
    ----------
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer. A base size n is the smallest multiple of u that is large enough.
    """

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1, maximum=256)

    def _check_parameters(self):
        _ = self.sets  # refuses bases that there are not

    @property
    def lengths(self):
        """Bits of the moduli for which there are bases, in falling order."""
        return (self.width,)

    @functools.cached_property
    def u(self):
        """Number of Rowers."""
        return min(self.rowers, smallest_size(max(self.lengths), self.word_width, 1))

    @functools.cached_property
    def sets(self):
        """The :class:`~montgomery.cox_rower.rns.Rns` of each base size, in rising order."""
        return rns_of_lengths(self.word_width, self.u, self.lengths)

    @property
    def bases(self):
        """The :class:`~montgomery.cox_rower.bases.BaseSet` of each size."""
        return tuple(rns.bases for rns in self.sets)

    @property
    def latency(self):
        """Clocks of a Rower's pipeline: those for the largest bases, which take the longest."""
        return latency_of(self.bases[-1].n, self.u)


@dataclasses.dataclass(frozen=True, kw_only=True)
class DigitParameters(RowerParameters):
    """Parameters of a :class:`~.digit_core.CoxRowerCore`, beside those of its kind.

    All numbers are digits. What depends on a modulus or factor alone is found when the key has
    come, so that the paper's times are those of ``cycles.compute``. That time depends on the length
    of the exponents, in digits of ``window`` bits, and on which size of bases it is; that of the
    key on the lengths of the moduli, in words. Exponents may be 64 bits longer than a modulus, for
    a host that blinds them.

    Parameters
    ----------
    window : :class:`int`
        Bits of a digit of the exponent; the paper has 4. There are 2**window powers in a table.
    """

    #: Inputs that are exponents, two with CRT. With CRT: whether keys without are taken too, and
    #: whether results are checked before they leave the core.
    exponents, single_too, checks = ("exponent",), False, False

    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)

    @functools.cached_property
    def places(self):
        """The :class:`~montgomery.cox_rower.microcode.Places` of numbers."""
        return Places(self.window, crt=len(self.exponents) > 1)

    @functools.cached_property
    def microcode(self):
        """What is done, as :func:`montgomery.cox_rower.microcode.microcode`."""
        return microcode(self)

    @functools.cached_property
    def programs(self):
        sizes, at = tuple(bases.n for bases in self.bases), self.places
        layouts = [Layout(sizes, self.u, at.count, index, converts=True, crt=at.crt)
                   for index in range(len(sizes))]
        return [[ControlProgram(plan, layout) for plan in
                 schedules(layout.n, self.u, self.latency, crt=at.crt)] for layout in layouts]

    @property
    def header(self):
        """The fields of a key that say what is done, in order, with their words."""
        names = ("digits", *self.exponents, "public_digits", "public")
        return {field.name: field.words for field in self.key_operands.fields
                if field.name in names}

    @property
    def header_words(self):
        """Words of a key before those of the factors."""
        return self.single_too + sum(self.header.values())

    @property
    def result_words(self):
        return self.bases[-1].n * (1 + self.places.crt)

    @functools.cached_property
    def _traits(self):
        return Traits(
            coprime_to=math.prod(bases.b_product for bases in self.bases),
            products=products(self.u, self.word_width, self.sets[0].reduction),
            single_factor=self.single_too, checks=self.checks,
            advice=f"{CONSTANT_TIME} It counts in digits of {plural(self.window, 'bit')}. The time "
                   "that a key takes depends on the words of the modulus, or of p and of q.")

    def index_of(self, factors):
        """Return which bases a key takes: the first ones for which all factors have few words."""
        words = ceil_div(max(factors).bit_length(), self.word_width)
        return next((index for index, bases in enumerate(self.bases[:-1])
                     if words <= bases.bits // bases.r), len(self.bases) - 1)

    def walks(self, factors, bits, public=1):
        """Return the steps for a key of one or two factors, and those for a message, as iterators.

        Exponents have so many bits; the public one is for a check.
        """
        name = "single " if self.places.crt and len(factors) == 1 else ""
        digits = f"{public:b}"
        last = {"digit": digit_count(bits, self.window) - 1, "public": len(digits) - 1}
        return [self.microcode.walk(last, lambda turns: digits[turns["public"]] == "0",
                                    f"{name}{entry}") for entry in ("key", "message")]

    def _clocks(self, factors, bits, public=1):
        """Return the :class:`montgomery.Cycles` of an operation with exponents of some bits."""
        at, number, words = self.places, self.index_of(factors), self.result_words
        programs, n = self.programs[number], self.bases[-1].n
        keys, runs = map(runs_of, self.walks(factors, bits, public))
        computed = [after for *_, after in runs].index(After.LOAD)

        def clocks(runs):
            return sum(programs[run].clocks(times) + RowerRing.AGAIN for run, times, _ in runs)

        start = KeyDivider.READ + RowerRing.START - RowerRing.AGAIN
        divisions = sum(KeyDivider.clocks(self.bases[number], factor) for factor in factors)
        loads = sum(after is After.LOAD for *_, after in keys)
        load_key = self.k_words + divisions + loads * (2 * at.loaded * n + start) + clocks(keys)
        to_digits = programs[Run.TO_DIGITS]
        # From the last run to the last subtraction; with few elements, the run ends later.
        corrected = (to_digits.lead + to_digits.drained + self.u
                     + (1 + at.crt) * words + Skid.LATENCY + 2)

        def computing(runs):
            return words + start + clocks(runs) + RowerRing.AGAIN

        idle, compute = to_digits.clocks(1), computing(runs[:computed])
        if self.checks:
            # The result goes to the Rowers when they have nothing to do, and its power to the gate.
            compute += max(corrected + words - 1, idle) + computing(runs[computed + 1:-1])
            compute += max(corrected + words + ResultGate.READ, idle)
        else:
            compute += max(corrected, idle)
        return Cycles(load_key=load_key, load=words, compute=compute, unload=words,
                      interval=words + compute)

    def create(self):
        return CoxRowerCore(self)
