"""An exponentiator around any multiplier whose products chain."""

import dataclasses

from ...core import Cycles, ceil_div, parameter, to_words
from ...registry import architectures
from ..base import Parameters as _Parameters
from .processor import Exponentiator

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Parameters):
    """Parameters of :class:`Exponentiator`.

    Parameters
    ----------
    multiplier : :class:`str`
        Name of the architecture, and after it what is not the default: ``mmm_mx_1d
        arrangement=row pe_width=8``. Its words are those of the exponentiator.
    method : :class:`str`
        ``always``: a square and a product for each bit of the exponent; ``binary``: a square for
        each bit and a product for each one, so that the time tells how many ones there are.
    """

    source = ("Morales-Sandoval et al.: DSP systolic array; Algorithm 5 (square and multiply "
              "always, left to right), Figure 6")
    summary = "square and multiply around any multiplier whose products chain"
    portable = False

    multiplier: str = parameter("mmm_mx_1d", "architecture, and its parameters as KEY=VALUE")
    method: str = parameter("always", "multiply for each bit of the exponent, or for each one",
                            choices=("always", "binary"))

    def check(self):
        inner = self.inner
        if inner.bound(3) > 6:
            raise ValueError(f"Products of the multiplier must be below twice the modulus; those "
                             f"of {self.multiplier!r} are not: choose another one")
        if inner.initiation == 2:
            # In which clocks is beyond what cycles() could know.
            raise ValueError(f"The multiplier must take operands in any clock; {self.multiplier!r} "
                             f"takes them in every second one: choose another one")

    @property
    def inner(self):
        """:class:`montgomery.Parameters` of the multiplier.

        Raises
        ------
        TypeError, ValueError
            If there is no such architecture, parameter or value.
        """
        name, *settings = self.multiplier.split() or [""]
        if name not in architectures():
            raise ValueError(f"Multiplier must be one of {', '.join(architectures())}, not "
                             f"{name!r}")
        cls = architectures()[name]
        types = {field.name: field.type for field in dataclasses.fields(cls)}
        own = {key: getattr(self, key) for key in ("width", "word_width") if key in types}
        others = {}
        for setting in settings:
            key, _, value = setting.partition("=")
            if key in own or key not in types:
                legal = ", ".join(key for key in types if key not in own)
                raise ValueError(f"A parameter of multiplier {name} must be one of {legal}, not "
                                 f"{key!r}")
            if types[key] is int:
                if not value.isdecimal():
                    raise ValueError(f"Parameter {key} of multiplier {name} must be an integer, "
                                     f"not {value!r}")
                value = int(value)
            others[key] = value
        return cls(**own, **others)

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

    @property
    def reduces(self):
        """Whether the last product may be the modulus, which is 0 then."""
        return self.inner.bound(3) > 3

    @property
    def check_clocks(self):
        """Clocks in which the last product is compared with the modulus."""
        return 2 * self.operand_words + 1 if self.reduces else 0

    def multipliers(self, technology):
        return self.inner.multipliers(technology)

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
        # At most the modulus, since R > 4 modulus where operands may be above it.
        s = product(s, 1, modulus)
        return 0 if s == modulus else s

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

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return 2 + bits + (bits if self.method == "always" else exponent.bit_count())

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        count = self.multiplications(base, exponent, modulus, exponent_bits=bits)
        inner = self.inner.cycles
        # Words are on their way from the memory for Exponentiator.LATENCY clocks; where several are
        # in one word of the multiplier, it waits for the last of them.
        joined = 0 if self.inner.i_width == self.inner.o_width else len(self.inner.operands) - 1
        latency = Exponentiator.LATENCY
        product = latency + joined + inner.load + inner.compute + inner.unload - 1
        compute = (1 + ceil_div(bits, self.i_width) + count * product + self.check_clocks
                   + latency)
        load = (self.header_words + sum(words for _, words in self.fixed) + 3 * self.operand_words
                + self.exponent_words)
        return Cycles(load=load, compute=compute, unload=self.result_words,
                      interval=load + compute + self.result_words - 1)

    def create(self):
        return Exponentiator(self)
