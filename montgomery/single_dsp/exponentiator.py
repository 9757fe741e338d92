"""RSA with one multiplier block and one block RAM, for moduli and exponents of any length."""

import dataclasses

from amaranth.hdl import C, Cat

from ..blocks.parallel_cores import ParallelCores
from ..core import About, Cycles, Field, Message, Traits, ceil_div, parameter, traits
from ..kinds.exponentiator import (
    BLINDING_BITS,
    CONSTANT_TIME,
    TELLING,
    exponent_length,
    length_number,
)
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from .exponentiator_component import Exponentiator, part_width
from .micro_ops import product_clocks
from .multiplier import PAPER
from .multiplier import Parameters as _Multiplier
from .processor import index_width
from .single_dsp_core import NumberLoader, Sender

__all__ = ["Exponentiator", "Parameters"]

#: Bits of the longest window.
_LONGEST = 6
#: Bits of the number of words in a block RAM.
_ADDRESS_WIDTH = 10
#: Bits of an address of the largest memory of several blocks.
_LONGEST_ADDRESS = 14


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`, or of :class:`.ParallelCores` of them.

    The lengths of modulus and exponent are data: exponents may be 64 bits longer than ``width``,
    for a host that blinds them. A core takes the words of all ``Parameters`` that differ from its
    own in a smaller ``width`` (see :meth:`shorter`), in the cycles of those.

    A key is the exponent and the modulus with its constants. R**2 modulo the modulus is one of
    them, as in the paper: to find it would take logic that is used once for each key.

    With ``method="binary"``, which is the paper's, the time tells how many ones the exponent has.
    Otherwise it does not depend on the bits of the exponent. Which entry of the table is read does,
    so power and electromagnetic emanation may tell them.

    Parameters
    ----------
    width : :class:`int`
        With digits of 17 bits, 1024 words of 18 bits are enough for 2173.
    window : :class:`int`
        With 1 and ``method="always"`` that is square and always multiply. The memory holds the
        powers of the base for all values of a window. Where these need more words than a block RAM
        has, it takes several blocks. 0 stands for that with which most exponents take the least
        time, of those for which one block is enough.
    processors : :class:`int`
        Figure 6: each one starts when it has its last word; the paper has a signal "run" for that,
        and a parameter n that enables n of 128 processors. Placement joins the memories of two
        processors where a block RAM has room for both, as in the paper: a processor asks for no
        more than 18 kbit.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 2, Figures 4 to 6",
        summary="windows of the exponent on one multiplier block and one block RAM; short moduli "
                "take less time",
        uses_blocks=True)

    word_width: int = parameter(17, "bits per word of the streams and per digit", minimum=4,
                                maximum=17)
    method: str = parameter("always", "multiply for each window of the exponent (always), or for "
                            "each bit that is 1 (binary)",
                            choices=("always", "binary"))
    window: int = parameter(0, "bits of the exponent per multiplication; 0 means the best number",
                            minimum=0, maximum=_LONGEST)
    processors: int = parameter(1, "number of exponentiations that run at a time", minimum=1,
                                maximum=1024)

    def _check_parameters(self):
        fitting = self._windows(_LONGEST_ADDRESS)
        if self.window and self.window not in fitting:
            near = max(window for window in fitting if window <= self.window)
            rule = ("1 with method binary" if self.method == "binary" else
                    f"{near} or less where the numbers have {self.width} bits, for which the "
                    f"memory has {1 << _LONGEST_ADDRESS} words")
            raise ValueError(f"Window must be {rule}, not {self.window}; the nearest legal value "
                             f"is {near}")

    def _windows(self, address_width):
        """Return the windows for which addresses of so many bits are enough, and the shortest."""
        longest = 1 if self.method == "binary" else _LONGEST
        return [window for window in range(1, longest + 1)
                if window == 1 or self.index_width + part_width(window) <= address_width]

    @property
    def window_bits(self):
        """Bits of a window: as given, or those with which most exponents take the least time."""
        return self.window or min(self._windows(_ADDRESS_WIDTH), key=lambda window: (
            (1 << window) + ceil_div(self.width, window)))

    @property
    def inner(self):
        """:class:`montgomery.single_dsp.multiplier.Parameters` of the products."""
        return _Multiplier(width=self.width, word_width=self.word_width)

    @property
    def result_words(self):
        return self.inner.digits

    @property
    def high_digits(self):
        """Digits by which the longest exponent may be longer than a modulus.

        A modulus leaves three bits, and the 1 above an exponent takes one.
        """
        return ceil_div(BLINDING_BITS - 2, self.word_width)

    @property
    def index_width(self):
        """Bits of the place of a digit in its part of the memory."""
        return index_width(max(self.result_words, self.high_digits + 1))

    def shorter(self, width):
        """See :meth:`montgomery.single_dsp.multiplier.Parameters.shorter`."""
        width = self.inner.shorter(width).width
        if width == self.width:
            return self
        return dataclasses.replace(self, width=width, window=self.window_bits)

    @property
    def _traits(self):
        advice = CONSTANT_TIME if self.method == "always" else TELLING
        if self.processors > 1:
            advice += (f" Up to {self.processors} exponentiations run at a time: send the words of "
                       "the next ones while the first one runs. Results come in the order in which "
                       "the exponentiations were sent. All of them have the same key: another one "
                       "is taken when none of them runs.")
        one, = traits(self.inner).products
        return Traits(takes_shorter=True, parallel=self.processors, advice=advice,
                      products=(dataclasses.replace(one, count=self.processors),))

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        product, window = self.inner.compute, self.window_bits
        square_of_r = self.inner.r ** 2 % modulus
        first = product(square_of_r, base, modulus)
        table = [None, first]
        while len(table) < 1 << window:
            table.append(product(table[-1], first, modulus))
        table[0] = power = product(1, square_of_r, modulus)
        for done in range(0, bits, window):
            count = min(window, bits - done)
            digit = exponent >> (bits - done - count) & ((1 << count) - 1)
            for _ in range(count):
                power = product(power, power, modulus)
            if self.method == "always" or digit:
                power = product(power, table[digit], modulus)
        # At most the modulus: (power + q M) / R with power < 2M and q < R.
        power = product(1, power, modulus)
        return 0 if power == modulus else power

    @property
    def key_operands(self):
        d, high = self.result_words, self.high_digits
        bits = d * self.word_width
        length, *inner = self.inner.key_operands.fields
        return Message(self.word_width, (
            length,
            Field("exponent_high", high, f"(exponent + 2^`exponent_bits`) / 2^{bits}, rounded down",
                  f"(exponent | 1 << exponent_bits) >> {bits}"),
            *inner, Field("r_squared", d, "R² mod m", "R * R % modulus"),
            Field("exponent", d, f"exponent + 2^`exponent_bits` modulo 2^{bits}, where "
                  f"`exponent_bits` is {length_number(self).meaning}: the highest 1 marks where "
                  "the exponent begins", f"(exponent | 1 << exponent_bits) % 2**{bits}", filler=3)),
            (*self.inner.operands.numbers, length_number(self)))

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        bits, window = exponent_length(exponent_bits, exponent), self.window_bits
        return (1 << window) + bits + 1 + (ceil_div(bits, window) if self.method == "always" else
                                           exponent.bit_count())

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        bits = exponent_length(exponent_bits, exponent)
        count = self.multiplications(base, exponent, modulus, exponent_bits=bits)
        digits = self.inner.digits
        scanned = digits + (self.high_digits if bits >= digits * self.word_width else 0)
        load = NumberLoader.PERIOD * (digits - 1) + 1
        unload = Sender.PERIOD * (digits - 1) + 1
        latency = ParallelCores.latency(self.processors) if self.processors > 1 else 0
        # Products do not follow directly; each digit of the exponent is fetched, and each of its
        # bits looked at, twice down to the one above the highest bit; so is the end of it, if the
        # last window is shorter; and the result is compared with the modulus, a digit in two
        # clocks.
        compute = (count * (Exponentiator.PRODUCT + product_clocks(digits))
                   + scanned * (Exponentiator.FETCH + 2 * self.word_width) - bits + 2 * digits
                   + Exponentiator.OVERHEAD + latency + (bits % self.window_bits > 0))
        return Cycles(load_key=NumberLoader.PERIOD * self.k_words, load=load, compute=compute,
                      unload=unload, interval=load + compute + unload - 1)

    def create(self):
        if self.processors == 1:
            return Exponentiator(self)

        def lengths(header):
            less_one = header[:self.index_width]
            # Behind the header come other words, -1/M and three numbers.
            return Cat(C(0, 1), less_one) + less_one + 4 + self.high_digits, less_one + 1

        cores = [Exponentiator(self) for _ in range(self.processors)]
        return ParallelCores(self.signature, cores, lengths)
