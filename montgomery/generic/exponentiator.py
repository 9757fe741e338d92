"""An exponentiator around any multiplier whose products chain."""

import dataclasses
import functools

from ..blocks import windows
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
    results_of,
    traits,
)
from ..kinds.exponentiator import CONSTANT_TIME, TELLING, exponent_length, length_number
from ..kinds.exponentiator import Exponentiator as _Exponentiator
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

    _about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; Algorithm 5 (square "
               "and multiply always, left to right), Figure 6",
        summary="fixed windows around any multiplier whose results may be its operands",
        uses_blocks=True,
        wraps=True)

    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    method: str = parameter("always", "multiply for each digit of the exponent (always), or for "
                            "each bit that is 1 (binary)",
                            choices=("always", "binary"))
    window: int = parameter(0, "bits of a digit of the exponent; 0 means the number that takes the "
                            "fewest products", minimum=0, maximum=windows.MOST_BITS)

    def _check_parameters(self):
        inner = self.inner
        if any(field.listed for field in inner.operands.fields):
            raise ValueError(f"The multiplier must take numbers as digits, and "
                             f"{self.multiplier!r} takes residues; choose another one")
        if inner.bound(3) > 6:
            raise ValueError(f"Products of the multiplier must be below twice the modulus, and "
                             f"those of {self.multiplier!r} are not; choose another one")
        if traits(inner).initiation == 2:
            # In which clocks is beyond what cycles() could know.
            raise ValueError(f"The multiplier must take operands in any clock, and "
                             f"{self.multiplier!r} takes them in every second clock; choose "
                             f"another one")
        if inner.key_operands.width not in (0, results_of(inner).width):
            raise ValueError(f"The multiplier must take its key in words of its results, of "
                             f"{results_of(inner).width} bits, and {self.multiplier!r} takes "
                             f"{inner.key_operands.width} bits; choose another one")
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

    @property
    def _traits(self):
        return Traits(products=traits(self.inner).products, inner=self.inner,
                      advice=CONSTANT_TIME if self.method == "always" else TELLING)

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
    def _width(self):
        """Bits of a word, those of the multiplier's results."""
        return results_of(self.inner).width

    @property
    def result_words(self):
        return self.inner.result_words

    @property
    def operand_words(self):
        """Words of x, which are those of y."""
        return self.inner.operands.fields[0].words

    @property
    def most_digits(self):
        """Digits of the longest exponent."""
        return windows.digit_count(self.width, self.window_bits)

    @property
    def header_words(self):
        """Words that say how many digits the exponent has."""
        return ceil_div(self.most_digits.bit_length(), self._width)

    @property
    def exponent_words(self):
        """Words of an exponent."""
        return ceil_div(self.most_digits * self.window_bits, self._width)

    @property
    def side_by_side(self):
        """Whether a word of the multiplier holds a word of each operand."""
        return self.inner.operands.beside

    @property
    def forwards(self):
        """Whether words of a result, and of a base, go straight on to the multiplier.

        It has a port for keys, takes both operands at once, and does not keep results itself.
        """
        inner = self.inner
        return bool(inner.k_words) and self.side_by_side and not traits(inner).keeps_results

    @property
    def sent(self):
        """What the multiplier is sent for a product: names and numbers of words, in order."""
        return [(field.name, field.words) for field in self.inner.operands.fields
                if field.name != "kept"]

    @property
    def fixed(self):
        """The :class:`~montgomery.core.Field` list of what belongs to the multiplier's key."""
        if self.inner.k_words:
            return list(self.inner.key_operands.fields)
        # Beside x and y a field may have fewer bits than a word.
        return [dataclasses.replace(field, bits=0) for field in self.inner.operands.fields
                if field.name not in ("x", "y", "kept")]

    @property
    def beside(self):
        """Names of numbers that are side by side with x and y in a word of the multiplier."""
        if self.inner.k_words or not self.side_by_side:
            return []
        return [field.name for field in self.fixed]

    @property
    def reduces(self):
        """Whether the last product may be the modulus, which is 0 then."""
        return self.inner.bound(3) > 3

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)

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
        bits = exponent_length(exponent_bits, exponent)
        return 2 + windows.products(exponent, bits, self.window_bits,
                                    always=self.method == "always")

    @property
    def operands(self):
        return Message(self._width, (Field("base", self.operand_words, "the base"),))

    @property
    def key_operands(self):
        inner, window, count = self.inner, self.window_bits, self.exponent_words
        bits = count * self._width
        digits = Number("digits", f"the length of the exponent in digits of "
                        f"{plural(window, 'bit')}, rounded up, at least 1",
                        f"max(-(-exponent_bits // {window}), 1)")
        return Message(self._width, (
            *self.fixed, Field("digits", self.header_words, digits.meaning, filler=1),
            Field("exponent", count, f"exponent · 2^({bits} - {window} · `digits`), **highest word "
                  "first**: the highest bit of the first word is the highest bit of the first "
                  "digit", f"exponent << {bits} - {window} * digits", highest_first=True),
            Field("r_squared", self.operand_words, "R² mod m", "R * R % modulus")),
            (*inner.operands.numbers, length_number(self), digits))

    @property
    def _results(self):
        return Message(self._width, (Field("result", self.result_words, "the result"),))

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        bits = exponent_length(exponent_bits, exponent)
        clocks = Clocks(self)
        compute = clocks.compute(windows.digits_of(exponent, bits, self.window_bits))
        return Cycles(load_key=clocks.load_key, load=clocks.load, compute=compute,
                      unload=self.result_words, interval=clocks.interval(compute))

    def create(self):
        return Exponentiator(self)
