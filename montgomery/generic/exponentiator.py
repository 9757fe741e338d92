"""An exponentiator around any multiplier whose products chain."""

import dataclasses
import functools

from ..arithmetic import check_operand
from ..blocks import windows
from ..core import Cycles, ceil_div, parameter, to_words
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from ..operations import Definition, Operand, plural
from ..registry import architectures
from .clocks import Clocks
from .exponentiator_component import Exponentiator
from .layout import Layout

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`.

    Parameters
    ----------
    multiplier : :class:`str`
        Name of the architecture, and after it what is not the default: ``mmm_mx_1d
        arrangement=row pe_width=8``. Its words are those of the exponentiator.
    method : :class:`str`
        ``always``: a product for each digit of the exponent; ``binary``: digits are bits, and there
        is a product for each one, so that the time tells how many ones there are.
    window : :class:`int`
        Bits of a digit of the exponent, with a table of ``2**window`` powers. 0 stands for the
        window with the fewest products for exponents of ``width`` bits. With 1 there is a square
        and a product for each bit.
    """

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; Algorithm 5 (square and multiply "
              "always, left to right), Figure 6")
    summary = "fixed windows around any multiplier whose results may be its operands"
    portable = False
    key_inputs = ("exponent", "modulus")

    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    method: str = parameter("always", "multiply for each digit of the exponent (always), or for "
                            "each bit that is 1 (binary)",
                            choices=("always", "binary"))
    window: int = parameter(0, "bits of a digit of the exponent; 0 means the number that takes the "
                            "fewest products", minimum=0, maximum=windows.MOST_BITS)

    def check_parameters(self):
        inner = self.inner
        if not inner.positional:
            raise ValueError(f"The multiplier must take numbers as digits, and "
                             f"{self.multiplier!r} takes residues; choose another one")
        if inner.bound(3) > 6:
            raise ValueError(f"Products of the multiplier must be below twice the modulus, and "
                             f"those of {self.multiplier!r} are not; choose another one")
        if inner.initiation == 2:
            # In which clocks is beyond what cycles() could know.
            raise ValueError(f"The multiplier must take operands in any clock, and "
                             f"{self.multiplier!r} takes them in every second clock; choose "
                             f"another one")
        if inner.k_width not in (0, inner.o_width):
            raise ValueError(f"The multiplier must take its key in words of its results, of "
                             f"{inner.o_width} bits, and {self.multiplier!r} takes {inner.k_width} "
                             f"bits; choose another one")
        if self.method == "binary" and self.window > 1:
            raise ValueError(f"Window must be 1 with method=binary, not {self.window}; choose "
                             f"method=always")

    @functools.cached_property
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

    def modules(self):
        return (*super().modules(), *self.inner.modules())

    @property
    def layout(self):
        """:class:`~montgomery.generic.layout.Layout` of the memory."""
        return Layout(self)

    @property
    def window_bits(self):
        """Bits of a digit of the exponent."""
        if self.method == "binary":
            return 1
        return self.window or windows.best_window(self.width)

    @property
    def i_width(self):
        return self.inner.o_width

    @property
    def o_width(self):
        return self.inner.o_width

    @property
    def k_width(self):
        return self.inner.o_width

    @property
    def result_words(self):
        return self.inner.result_words

    @property
    def operand_words(self):
        """Words of x, which are those of y."""
        return dict(self.inner.operands)["x"]

    @property
    def most_digits(self):
        """Digits of the longest exponent."""
        return windows.digit_count(self.width, self.window_bits)

    @property
    def header_words(self):
        """Words that say how many digits the exponent has."""
        return ceil_div(self.most_digits.bit_length(), self.k_width)

    @property
    def exponent_words(self):
        """Words of an exponent."""
        return ceil_div(self.most_digits * self.window_bits, self.k_width)

    @property
    def side_by_side(self):
        """Whether a word of the multiplier holds a word of each operand."""
        return self.inner.i_width != self.inner.o_width

    @property
    def forwards(self):
        """Whether words of a result, and of a base, go straight on to the multiplier.

        It has a port for keys, takes both operands at once, and does not keep results itself.
        """
        inner = self.inner
        return bool(inner.key_inputs) and self.side_by_side and not inner.chains

    @property
    def fixed(self):
        """What belongs to the key of the multiplier: names and numbers of words."""
        if self.inner.key_inputs:
            return list(self.inner.key_operands)
        return [pair for pair in self.inner.operands if pair[0] not in ("x", "y")]

    @property
    def beside(self):
        """Names of numbers that are side by side with x and y in a word of the multiplier."""
        if self.inner.key_inputs or not self.side_by_side:
            return []
        return [name for name, _ in self.fixed]

    @property
    def reduces(self):
        """Whether the last product may be the modulus, which is 0 then."""
        return self.inner.bound(3) > 3

    def multipliers(self, technology):
        return self.inner.multipliers(technology)

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)

        def product(x, y):
            return self.inner.compute(x, y, modulus)

        r_squared = self.inner.r ** 2 % modulus
        result = windows.power(product, product(r_squared, 1), product(base, r_squared), exponent,
                               bits, self.window_bits, always=self.method == "always")
        result = product(result, 1)
        # At most the modulus, since R > 4 modulus where operands may be above it.
        return 0 if result == modulus else result

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products: those of the windows, and one to enter the Montgomery
        domain and one to leave it.
        """
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return 2 + windows.products(exponent, bits, self.window_bits,
                                    always=self.method == "always")

    def encode_key(self, exponent, modulus, *, exponent_bits=None):
        """Return the words of a key, for port ``k``.

        They are: the modulus and the constants of the multiplier; the number of digits of the
        exponent; the exponent, as a number whose first bit is the highest one of a word, and of
        which the highest word comes first; R**2 modulo the modulus.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        bits = self.check_operands(0, exponent, modulus, exponent_bits=exponent_bits)
        digits = windows.digit_count(bits, self.window_bits)
        shifted = exponent << (self.exponent_words * self.k_width - digits * self.window_bits)
        values = {"modulus": modulus, **self.inner.constants(modulus)}
        words = [word for name, count in self.fixed
                 for word in to_words(values[name], self.k_width, count)]
        words += to_words(digits, self.k_width, self.header_words)
        words += to_words(shifted, self.k_width, self.exponent_words)[::-1]
        return words + to_words(self.inner.r ** 2 % modulus, self.k_width, self.operand_words)

    def encode(self, base, exponent=0, modulus=None, *, exponent_bits=None):
        """Return the words of a base, for port ``i``; see :meth:`CoreParameters.encode`.

        Parameters
        ----------
        base : :class:`int`
        exponent, modulus : :class:`int`
            The key with which the base is used. If the modulus is None, the base is only checked to
            fit its words.
        """
        if modulus is None:
            check_operand("base", base, 1 << (self.operand_words * self.i_width))
        else:
            self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return to_words(base, self.i_width, self.operand_words)

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        clocks = Clocks(self)
        compute = clocks.compute(windows.digits_of(exponent, bits, self.window_bits))
        return Cycles(load_key=clocks.load_key, load=clocks.load, compute=compute,
                      unload=self.result_words, interval=clocks.interval(compute))

    def describe(self):
        said, inner = super().describe(), self.inner
        n, count, window = self.operand_words, self.exponent_words, self.window_bits
        bits = count * self.k_width
        meanings = {constant.name: constant.meaning for constant in inner.definitions}

        def key_operand(name, size, meaning, number, order=""):
            return Operand(name, size, meaning, f"split({number}, {size}, bits=K_WIDTH){order}")

        digits = Definition(
            "digits", "the length of the exponent in digits of " + plural(window, "bit")
            + ", rounded up, at least 1", f"max(-(-exponent_bits // {window}), 1)")
        key = [
            *(key_operand(name, size, meanings.get(name, "the modulus m"), name)
              for name, size in self.fixed),
            key_operand("digits", self.header_words, digits.meaning, "digits"),
            key_operand("exponent", count, f"exponent · 2^({bits} - {window} · `digits`), "
                        "**highest word first**: the highest bit of the first word is the highest "
                        "bit of the first digit", f"exponent << {bits} - {window} * digits",
                        "[::-1]"),
            key_operand("r_squared", n, "R² mod m", "R * R % modulus")]
        words = sum(operand.size for operand in key)
        return dataclasses.replace(
            said, definitions=[inner.r_definition],
            rules=[*said.rules, ("R", inner.r_definition.meaning), *inner.symbols],
            constants=[*said.constants, digits, *inner.definitions],
            key_sent=f"A key is sent to port k in {plural(words, 'word')} of {self.k_width} bits, "
                     "its parts in this order. Where nothing else is said, the lowest word is sent "
                     "first.", key_operands=key,
            sent=f"An exponentiation is sent in {plural(n, 'word')} of {self.i_width} bits, the "
                 "lowest word first.",
            operands=[Operand("base", n, "the base", f"split(base, {n})")])

    def create(self):
        return Exponentiator(self)
