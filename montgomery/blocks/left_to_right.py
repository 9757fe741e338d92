"""What exponentiators that go through the exponent from its highest bit have in common."""

import abc
import dataclasses

from ..core import ceil_div, to_words
from ..kinds.exponentiator import Exponentiator
from ..operations import Operand

__all__ = ["LeftToRight"]


class LeftToRight(Exponentiator):
    """What an exponentiator by Algorithm 5 (Morales-Romero et al.) is instantiated with.

    Its multiplier's words are those of the exponentiator.
    """

    #: What the power is multiplied by in the end, to leave the Montgomery domain.
    last_factor = 1

    @property
    @abc.abstractmethod
    def inner(self):
        """:class:`montgomery.Parameters` of the multiplier."""

    def reduced(self, product, modulus):
        """Return the result, from the last product."""
        # At most the modulus, since R > 4 modulus where operands may be above it.
        return 0 if product == modulus else product

    @property
    def i_width(self):
        return self.inner.o_width

    @property
    def o_width(self):
        return self.inner.o_width

    @property
    def result_words(self):
        return self.inner.result_words

    @property
    def header_words(self):
        """Words that say how long the exponent is."""
        return ceil_div(self.width.bit_length(), self.i_width)

    @property
    def exponent_words(self):
        """Words of an exponent."""
        return ceil_div(self.width, self.i_width)

    @property
    def operand_words(self):
        """Words of x, which are those of y."""
        return dict(self.inner.operands)["x"]

    @property
    def fixed(self):
        """What each multiplication is sent apart from x and y: names and numbers of words.

        The modulus is the first.
        """
        others = [pair for pair in self.inner.operands if pair[0] not in ("x", "y")]
        return sorted(others, key=lambda pair: pair[0] != "modulus")

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        product, r = self.inner.compute, self.inner.r
        x = product(base, r * r % modulus, modulus)
        s = r % modulus
        for index in reversed(range(bits)):
            s = product(s, s, modulus)
            if self.method == "always" or exponent >> index & 1:
                t = product(s, x, modulus)
                s = t if exponent >> index & 1 else s
        return self.reduced(product(s, self.last_factor, modulus), modulus)

    def encode(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the words of one exponentiation, for port ``i``.

        They are: the length of the exponent; the modulus and the constants of the multiplier; R and
        R**2, both modulo the modulus; the base; the exponent, as a number whose first bit is the
        highest one of a word, and of which the highest word comes first.
        """
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        values = {"modulus": modulus, **self.inner.constants(modulus)}
        r = self.inner.r
        sent = [(bits, self.header_words), *((values[name], count) for name, count in self.fixed),
                *((value, self.operand_words) for value in (r % modulus, r * r % modulus, base))]
        words = [word for value, count in sent for word in to_words(value, self.i_width, count)]
        shifted = exponent << (self.exponent_words * self.i_width - bits)
        return words + to_words(shifted, self.i_width, self.exponent_words)[::-1]

    def describe(self):
        said, inner = super().describe(), self.inner
        n, count = self.operand_words, self.exponent_words
        bits = count * self.i_width
        meanings = {name.name: name.meaning for name in inner.definitions}
        operands = [Operand("exponent_bits", self.header_words, said.constants[0].meaning,
                            f"split(exponent_bits, {self.header_words})")]
        operands += [Operand(name, size, meanings.get(name, "the modulus m"),
                             f"split({name}, {size})") for name, size in self.fixed]
        operands += [
            Operand("r", n, "R mod m", f"split(R % modulus, {n})"),
            Operand("r_squared", n, "R² mod m", f"split(R * R % modulus, {n})"),
            Operand("base", n, "the base", f"split(base, {n})"),
            Operand("exponent", count, f"exponent · 2^({bits} - `exponent_bits`), **highest word "
                    "first**: the highest bit of the first word is the highest bit of the exponent",
                    f"split(exponent << {bits} - exponent_bits, {count})[::-1]")]
        return dataclasses.replace(
            said, operands=operands, definitions=[inner.r_definition],
            rules=[*said.rules, ("R", inner.r_definition.meaning), *inner.symbols],
            constants=[*said.constants, *inner.definitions],
            conversion=f"{said.conversion} R mod m and R² mod m depend on the modulus alone: "
                       "compute them once for each modulus, outside of the core.")

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return 2 + bits + (bits if self.method == "always" else exponent.bit_count())
