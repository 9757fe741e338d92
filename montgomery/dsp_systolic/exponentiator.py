"""The exponentiator around the systolic array of multiplier blocks."""

import dataclasses

from ..core import (
    About,
    Cycles,
    Field,
    Message,
    Number,
    Traits,
    ceil_div,
    parameter,
    plural,
    to_words,
)
from ..kinds.exponentiator import CONSTANT_TIME, exponent_length
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from .exponentiator_component import Exponentiator
from .multiplier import Parameters as _Multiplier
from .reducer import Reducer

__all__ = ["Exponentiator", "Parameters"]

#: Words of a block RAM that is an instance.
_TABLE = 16384


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`.

    With ``quotient="scaled"`` the array knows a multiple of the modulus only. The last product uses
    2**k instead of 1; its result, below the modulus times 2**k + 1, is then halved k times modulo
    the modulus itself, 2k + 2 clocks per digit in all. That takes no multiplier. Products below
    twice the modulus need no such passes. With ``quotient="delayed"`` the multiple is up to three
    digits longer than the modulus, and there are as many halvings as these have bits.

    Parameters
    ----------
    word_width : :class:`int`
        Bits per word of the streams and per digit, the paper's k.
    quotient, processing_elements
        See :class:`montgomery.dsp_systolic.multiplier.Parameters`.
    window : :class:`int`
        Bits of the exponent for each product with a power of the base. 1 is Algorithm 5 itself, to
        square and multiply always.
    """

    about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; Algorithm 5, Figure 6",
        summary="fixed windows on a systolic array of multiplier blocks",
        uses_blocks=True)

    word_width: int = parameter(16, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = parameter("plain", "how quotient digits are found: by a product with -1/m "
                              "(plain), from a scaled modulus (scaled), or from one before they "
                              "are used (delayed)", choices=("plain", "scaled", "delayed"))
    processing_elements: int = parameter(0, "largest number of processing elements, each with "
                                         "one multiplier; 0 means one per digit", minimum=0,
                                     maximum=2048)
    window: int = parameter(5, "bits of the exponent per product with a power of the base; 1 is "
                            "the paper's square and multiply always", minimum=1, maximum=6)

    def check_parameters(self):
        words = self.result_words
        if words << self.window > _TABLE:
            near = (_TABLE // words).bit_length() - 1
            raise ValueError(f"Window {self.window} must leave the table of powers at most "
                             f"{_TABLE} words, not {words << self.window}; the nearest legal one "
                             f"is {near}")

    @property
    def inner(self):
        """:class:`montgomery.dsp_systolic.multiplier.Parameters` of the array."""
        return _Multiplier(width=self.width, word_width=self.word_width,
                           digit_width=self.word_width, quotient=self.quotient,
                           processing_elements=self.processing_elements)

    @property
    def result_words(self):
        return self.inner.result_words

    @property
    def most_digits(self):
        """Digits of the longest exponent, of :attr:`window` bits each."""
        return ceil_div(self.width, self.window)

    @property
    def traits(self):
        return Traits(products=self.inner.traits.products, advice=CONSTANT_TIME)

    @property
    def operands(self):
        return Message(self.word_width, (Field("base", self.result_words, "the base"),))

    @property
    def key_operands(self):
        inner, words, width, window = self.inner, self.result_words, self.word_width, self.window
        exponent = ceil_div(self.most_digits * window, width)
        return Message(width, (
            Field("digits", ceil_div(self.most_digits.bit_length(), width),
                  "the number of digits of the exponent", most=self.most_digits),
            *(inner.key_operands.fields if inner.scaled else ()), inner.modulus_field,
            Field("r_squared", words, "R² mod m", "R * R % modulus"),
            Field("exponent", exponent, f"exponent · 2^({exponent * width} - digits · {window}), "
                  "**highest word first**: the first digit of the exponent is at the highest bits "
                  "of the first word", f"exponent << {exponent * width} - digits * {window}",
                  highest_first=True)),
            (*inner.numbers, self.length_number,
             Number("digits", f"the number of digits of {plural(window, 'bit')} that "
                    "`exponent_bits` bits fill", f"-(-exponent_bits // {window})")))

    @property
    def halvings(self):
        """Number of times that the last product is halved."""
        return self.word_width * self.inner.schedule.excess

    def reduced(self, product, modulus):
        """Return the result, from the last product."""
        # A plain product is at most the modulus, since R > 4 modulus. With a modulus scaled by less
        # than 2**h, a product with 2**h is at most (2**h - 1) m + 2 m: the scaled modulus and,
        # since R >= 2**2h, the two that 2**h of twice it, over R, come to. Halved h times it is
        # below 2m.
        for _ in range(self.halvings):
            product = (product + (modulus if product & 1 else 0)) >> 1
        return product - modulus if product >= modulus else product

    def _digits(self, exponent, bits):
        """Return the digits of an exponent of so many bits, the highest one first."""
        return to_words(exponent, self.window, ceil_div(bits, self.window))[::-1]

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        product, r = self.inner.compute, self.inner.r
        square = r * r % modulus
        table = [product(1, square, modulus), product(base, square, modulus)]
        while len(table) < 1 << self.window:
            table.append(product(table[-1], table[1], modulus))
        digits = self._digits(exponent, bits)
        # Algorithm 5 begins with R, and a window with the power of its first digit.
        s = table[digits.pop(0) if digits and self.window > 1 else 0]
        for digit in digits:
            for _ in range(self.window):
                s = product(s, s, modulus)
            power = product(s, table[max(digit, int(self.window == 1))], modulus)
            s = power if digit or self.window > 1 else s
        return self.reduced(product(s, 1 << self.halvings, modulus), modulus)

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products after the base was received."""
        bits = exponent_length(exponent_bits, exponent)
        digits = ceil_div(bits, self.window)
        if self.window == 1:
            return 2 + 2 * digits
        return (1 << self.window) + max(digits - 1, 0) * (self.window + 1)

    def cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        count = self.multiplications(base, exponent, modulus, exponent_bits=exponent_bits)
        s, words = self.inner.schedule, self.result_words
        # From a product to the clock in which all of it is stored, with nothing after it.
        begins = s.restart - s.period
        alone = begins + s.digits * s.period + max(
            (s.slots - s.digits) * s.period, s.sum_latency + 1 + s.arrival(words - 1))
        # The last product for the table, and the last one of all, are waited for. In between the
        # first digit of the exponent is taken, and y is read.
        digit = self.window if self.window > 1 else 1
        compute = ((count - 2) * s.interval + 2 * alone + digit + words + 4
                   + Reducer.clocks(words, self.halvings, Exponentiator.LATENCY))
        # The inverse of the lowest digit is found while the rest of the key comes.
        sizes = [field.words for field in self.key_operands.fields]
        before = len(sizes) - 3
        found = 0 if self.inner.scaled else self.word_width + 1
        load_key = sum(sizes[:before]) + max(sum(sizes[before:]), found) + alone + 3
        unload = 1 + 2 * (words - 1)
        return Cycles(load_key=load_key, load=words, compute=compute, unload=unload,
                      interval=words + compute + unload)

    def create(self):
        return Exponentiator(self)
