"""RSA with one multiplier block and one block RAM, for moduli and exponents of any length."""

import dataclasses

from ..arithmetic import negated_inverse
from ..core import LEAST_WIDTH, Cycles, parameter, to_words
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from ..operations import Operand
from .array import Array
from .exponentiator_component import Exponentiator
from .front import Front
from .multiplier import Parameters as _Multiplier

__all__ = ["Array", "Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`, or of an :class:`Array` of them.

    The lengths of modulus and exponent are data: a core takes the words of all ``Parameters`` that
    differ from its own in a smaller ``width`` (see :meth:`shorter`), in the cycles of those.

    With ``method="binary"``, which is the paper's, the time tells how many ones the exponent has.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus that there is room for in the memory. With digits of 17 bits,
        1024 words of 18 bits are enough for 2173.
    word_width : :class:`int`
        Bits per word of the streams, and per digit: 17 where the multiplier block has 18 bits, 16
        on an iCE40 UltraPlus.
    method : :class:`str`
        ``always``: a square and a product for each bit of the exponent; ``binary``: a square for
        each bit and a product for each one.
    processors : :class:`int`
        More than one make an array, which does as many exponentiations at a time.
    """

    source = ("Song, Kawakami, Nakano, Ito: An RSA Encryption Hardware Algorithm using a Single "
              "DSP Block and a Single Block RAM on the FPGA; Algorithm 2, Figures 4 to 6")
    summary = ("square and multiply on one multiplier block and one block RAM; short moduli take "
               "less time")

    word_width: int = parameter(17, "bits per word of the streams and per digit", minimum=4,
                                maximum=17)
    method: str = parameter("always", "multiply for each bit of the exponent (always), or for "
                            "each bit that is 1 (binary)",
                            choices=("always", "binary"))
    processors: int = parameter(1, "number of exponentiations that run at a time", minimum=1,
                                maximum=1024)

    portable = False

    @property
    def multiplier(self):
        """:class:`montgomery.single_dsp.multiplier.Parameters` of the products."""
        return _Multiplier(width=self.width, word_width=self.word_width)

    @property
    def result_words(self):
        return self.multiplier.digits

    def shorter(self, width):
        """Return the parameters whose words the same core takes, for moduli of ``width`` bits.

        Raises
        ------
        ValueError
            If there is no room for them.
        """
        return dataclasses.replace(self, width=self.multiplier.shorter(width).width)

    def fitted(self, base, exponent, modulus, *, exponent_bits=None):
        longest = max(modulus.bit_length(), exponent.bit_length(), exponent_bits or 0)
        return self.shorter(max(LEAST_WIDTH, longest))

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        product = self.multiplier.compute
        square_of_r = self.multiplier.r ** 2 % modulus
        c = product(1, square_of_r, modulus)
        p = product(square_of_r, base, modulus)
        for index in reversed(range(bits)):
            c = product(c, c, modulus)
            if self.method == "always" or exponent >> index & 1:
                t = product(c, p, modulus)
                c = t if exponent >> index & 1 else c
        # At most the modulus: (c + q M) / R with c < 2M and q < R.
        c = product(1, c, modulus)
        return 0 if c == modulus else c

    def encode(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the words of one exponentiation, for port ``i``.

        They are, in digits: the number of digits of a number, less one; -1/M; the modulus M; R**2
        modulo M; the base; the exponent, with a one above its highest bit.
        """
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        digits, radix = self.multiplier.digits, 1 << self.word_width
        numbers = (modulus, self.multiplier.r ** 2 % modulus, base, exponent | 1 << bits)
        return [digits - 1, negated_inverse(modulus, radix),
                *(word for number in numbers
                  for word in to_words(number, self.word_width, digits))]

    def describe(self):
        said, inner = super().describe(), self.multiplier
        d, meanings = inner.digits, {name.name: name.meaning for name in inner.definitions}
        operands = [Operand(name, 1, meanings[name], f"split({name}, 1)") for name in meanings]
        operands += [
            Operand("modulus", d, "the modulus m", f"split(modulus, {d})"),
            Operand("r_squared", d, "R² mod m", f"split(R * R % modulus, {d})"),
            Operand("base", d, "the base", f"split(base, {d})"),
            Operand("exponent", d, "exponent + 2^`exponent_bits`, where `exponent_bits` is "
                    f"{said.constants[0].meaning}: the highest 1 marks where the exponent begins",
                    f"split(exponent | 1 << exponent_bits, {d})")]
        advice = said.advice
        if self.processors > 1:
            advice += (f" Up to {self.processors} exponentiations run at a time: send the words of "
                       "the next ones while the first one runs. Results come in the order in which "
                       "the exponentiations were sent.")
        return dataclasses.replace(
            said, operands=operands, definitions=[inner.r_definition],
            rules=[*said.rules, ("R", inner.r_definition.meaning), *inner.symbols],
            constants=[*said.constants, *inner.definitions], advice=advice,
            conversion=f"{said.conversion} R² mod m depends on the modulus alone: compute it once "
                       "for each modulus, outside of the core.")

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return 3 + bits + (bits if self.method == "always" else exponent.bit_count())

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        count = self.multiplications(base, exponent, modulus, exponent_bits=bits)
        digits = self.multiplier.digits
        load = Front.LOAD * (1 + 4 * digits) + 1
        unload = Front.UNLOAD * (digits - 1) + 1
        latency = Array.latency(self.processors) if self.processors > 1 else 0
        # Products do not follow directly; each digit of the exponent is fetched, and each of its
        # bits looked at, twice down to the one above the highest bit; and the result is compared
        # with the modulus, a digit in two clocks.
        compute = (count * (Exponentiator.PRODUCT + self.multiplier.schedule.product)
                   + digits * (Exponentiator.FETCH + 2 * self.word_width) - bits + 2 * digits
                   + Exponentiator.OVERHEAD + latency)
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)

    def multipliers(self, technology):
        return self.processors * self.multiplier.multipliers(technology)

    def create(self):
        return Exponentiator(self) if self.processors == 1 else Array(self)
