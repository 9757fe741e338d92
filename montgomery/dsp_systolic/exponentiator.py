"""The exponentiator around the systolic array of multiplier blocks."""

import dataclasses

from ..arithmetic import check_operand
from ..core import Cycles, ceil_div, parameter, to_words
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from ..operations import Definition, Operand, plural
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

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; Algorithm 5, Figure 6")
    summary = "fixed windows on a systolic array of multiplier blocks"
    portable = False
    key_inputs = ("exponent", "modulus")

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
    def key_parts(self):
        """What a key is sent: pairs of a name and a number of words, in order."""
        words = self.result_words
        return [("digits", ceil_div(self.most_digits.bit_length(), self.word_width)),
                *([("scaled", words)] if self.inner.scaled else []), ("modulus", words),
                ("r_squared", words),
                ("exponent", ceil_div(self.most_digits * self.window, self.word_width))]

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
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
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

    def encode_key(self, exponent, modulus, *, exponent_bits=None):
        """Return the words of a key, for port ``k``.

        They are: the number of digits of the exponent; of a scaled modulus (m + 1) / 2**h; the
        modulus; R**2 modulo the modulus; the exponent, as a number whose first digit is at the
        highest bits of a word, and of which the highest word comes first.
        """
        bits = self.check_operands(0, exponent, modulus, exponent_bits=exponent_bits)
        count = ceil_div(bits, self.window)
        parts = dict(self.key_parts)
        top = parts["exponent"] * self.word_width
        values = {"digits": count, **self.inner.constants(modulus), "modulus": modulus,
                  "r_squared": self.inner.r ** 2 % modulus}
        words = []
        for name, size in self.key_parts:
            if name != "exponent":
                words += to_words(values[name], self.word_width, size)
        shifted = exponent << (top - count * self.window)
        return words + to_words(shifted, self.word_width, parts["exponent"])[::-1]

    def encode(self, base, exponent=None, modulus=None, *, exponent_bits=None):
        """Return the words of a base, for port ``i``.

        Parameters
        ----------
        exponent, modulus, exponent_bits : :class:`int` or ``None``
            Those of the key, which are checked. If the modulus is None the base is only checked to
            fit its words.
        """
        if modulus is None:
            check_operand("base", base, self.inner.r)
        else:
            self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return to_words(base, self.word_width, self.result_words)

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products after the base was received."""
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        digits = ceil_div(bits, self.window)
        if self.window == 1:
            return 2 + 2 * digits
        return (1 << self.window) + max(digits - 1, 0) * (self.window + 1)

    def multipliers(self, technology):
        return self.inner.multipliers(technology)

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
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
        sizes = [size for _, size in self.key_parts]
        before = len(sizes) - 3
        found = 0 if self.inner.scaled else self.word_width + 1
        load_key = sum(sizes[:before]) + max(sum(sizes[before:]), found) + alone + 3
        unload = 1 + 2 * (words - 1)
        return Cycles(load_key=load_key, load=words, compute=compute, unload=unload,
                      interval=words + compute + unload)

    def describe(self):
        said, inner, n = super().describe(), self.inner, self.result_words
        bits, window = self.key_parts[-1][1] * self.word_width, self.window
        said.constants.append(Definition(
            "digits", f"the number of digits of {plural(window, 'bit')} that `exponent_bits` bits "
            "fill", f"-(-exponent_bits // {window})"))
        shift = f"{bits} - digits" + (f" * {window}" if window > 1 else "")
        meanings = {"modulus": "the modulus m", "r_squared": "R² mod m",
                    "digits": "the number of digits of the exponent",
                    "exponent": f"exponent · 2^({shift.replace(' * ', ' · ')}), **highest word "
                    "first**: the first digit of the exponent is at the highest bits of the first "
                    "word"} | {each.name: each.meaning for each in inner.definitions}
        python = {"r_squared": "R * R % modulus", "exponent": f"exponent << {shift}"}
        key = [Operand(name, size, meanings[name], f"split({python.get(name, name)}, {size}, "
                       "bits=K_WIDTH)" + ("[::-1]" if name == "exponent" else ""))
               for name, size in self.key_parts]
        total = sum(size for _, size in self.key_parts)
        return dataclasses.replace(
            said, definitions=[inner.r_definition],
            rules=[*said.rules, ("R", inner.r_definition.meaning), *inner.symbols],
            constants=[*said.constants, *inner.definitions],
            key_sent=f"A key is sent to port k in {plural(total, 'word')} of {self.k_width} bits, "
                     "its parts in this order. Where nothing else is said, the lowest word of a "
                     "part is sent first.",
            key_operands=key,
            sent=f"An exponentiation is sent to port i in {plural(n, 'word')} of {self.i_width} "
                 "bits, the lowest word first.",
            operands=[Operand("base", n, "the base", f"split(base, {n})")],
            conversion=f"{said.conversion} R² mod m depends on the modulus alone: compute it once "
                       "for each modulus, outside of the core.")

    def create(self):
        return Exponentiator(self)
