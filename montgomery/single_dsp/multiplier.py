"""One multiplier block and one block RAM: the smallest multiplier, for moduli of any length."""

import dataclasses

from amaranth.hdl import Cat, Const, Signal

from ..arithmetic import negated_inverse
from ..blocks.values import signals
from ..core import About, Cycles, Field, Message, Products, Traits, ceil_div, parameter, to_words
from ..kinds.multiplier import Multiplier as _Multiplier
from ..kinds.multiplier import factors, modulus_field
from .micro_ops import product_clocks
from .processor import Processor, index_width
from .single_dsp_core import NumberLoader, Sender, SingleDspCore

__all__ = ["PAPER", "Parameters", "SingleDspMultiplier"]

PAPER = ("Song, Kawakami, Nakano, Ito: An RSA Encryption Hardware Algorithm using a Single DSP "
         "Block and a Single Block RAM on the FPGA")

#: Parts of the memory.
_S, _X, _Y = 0, 2, 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Multiplier):
    """Parameters of :class:`SingleDspMultiplier`.

    The length of a modulus is data: a core takes the words of all ``Parameters`` that have the same
    ``word_width`` and no larger ``width`` (see :meth:`shorter`), in the cycles of those. It belongs
    to the key, as the modulus does. Digits have 17 bits where the multiplier block has 18, and 16
    on an iCE40 UltraPlus.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 3, Table I",
        summary="digit-serial on one multiplier block and one block RAM; short moduli take less "
                "time",
        uses_blocks=True,
        quick_width=256)

    word_width: int = parameter(17, "bits per word of the streams and per digit", minimum=4,
                                maximum=17)

    @property
    def digits(self):
        """Number d of digits, so that three bits are left above the modulus."""
        return ceil_div(self.width + 3, self.word_width)

    @property
    def r(self):
        return 1 << (self.word_width * self.digits)

    def bound(self, modulus):
        """Operands and results are below twice the modulus.

        With S + X Y + q M, where each of S and X is below 3M, no digit is lost: 4M < R. And
        (2M 2M + R M) / R < 2M, so results may be operands.
        """
        return 2 * modulus

    @property
    def cycles(self):
        load = NumberLoader.PERIOD * (2 * self.digits - 1) + 1
        # Two clocks before a product, and nine until its first digit is at the port.
        compute = 2 + product_clocks(self.digits) + 9
        # A digit of the result is sent in the time in which a digit of x and one of y are taken.
        return Cycles(load_key=NumberLoader.PERIOD * (2 + self.digits), load=load, compute=compute,
                      unload=Sender.PERIOD * (self.digits - 1) + 1, interval=load + compute)

    @property
    def _traits(self):
        return Traits(takes_shorter=True, initiation=self.cycles.interval,
                      products=(Products(1, self.word_width, self.word_width, undivided=True),))

    @property
    def operands(self):
        return factors(self)

    @property
    def key_operands(self):
        k, d = self.word_width, self.digits
        return Message(k, (
            Field("length", 1, f"{d - 1}, which is the number of words of each other number, less "
                  f"one. With a smaller `length` L the core takes L + 1 words for each number, in "
                  f"fewer clocks, for moduli of up to {k} (L + 1) - 3 bits; R is then "
                  f"2^({k} (L + 1)).", str(d - 1), filler=d - 1),
            Field("negated_inverse", 1, f"-m⁻¹ mod 2^{k}: the number below 2^{k} whose product "
                  f"with m, plus one, is a multiple of 2^{k}",
                  f"-pow(modulus, -1, 2**{k}) % 2**{k}"),
            modulus_field(self)))

    @property
    def result_words(self):
        return self.digits

    def shorter(self, width):
        """Return the parameters whose words the same core takes, for moduli of ``width`` bits.

        :exc:`ValueError` says that there is no room for them.
        """
        if isinstance(width, int) and width > self.width:
            raise ValueError(f"The width of an operation must be {self.width} or less, the width "
                             f"of the core, not {width}; make a core of width {width}")
        return dataclasses.replace(self, width=width)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        d, radix = self.digits, 1 << self.word_width
        inverse = negated_inverse(modulus, radix)
        # Digits from d on are 0.
        x_digits, y_digits, m_digits = (to_words(value, self.word_width, d + 1)
                                        for value in (x, y, modulus))
        s = [0] * (d + 1)
        for y_digit in y_digits[:d]:
            q = (x_digits[0] * y_digit + s[0]) * inverse % radix
            carry_alpha = carry_beta = carry_gamma = carry_s = 0
            following = []
            for x_digit, m_digit, s_digit in zip(x_digits, m_digits, s, strict=True):
                carry_alpha, alpha = divmod(x_digit * y_digit + carry_alpha, radix)
                carry_beta, beta = divmod(q * m_digit + carry_beta, radix)
                carry_gamma, gamma = divmod(alpha + beta + carry_gamma, radix)
                carry_s, digit = divmod(gamma + s_digit + carry_s, radix)
                following.append(digit)
            s = [*following[1:], 0]  # the lowest digit is 0
        return sum(digit << (self.word_width * index) for index, digit in enumerate(s))

    def create(self):
        return SingleDspMultiplier(self)


class SingleDspMultiplier(SingleDspCore):
    """Algorithm 3 with all operands in one block RAM, and one multiplier block for all products of
    digits.

    For each digit of y the product with x is added to the sum; the multiple of the modulus that
    makes the lowest digit of the sum 0 is added too; and the sum is moved down by a digit. Each
    digit of the sum takes two products of digits, and these keep the multiplier busy in every
    clock.

    A product keeps both ports of the memory busy, so no operand is taken meanwhile. The operands of
    the next product, or another key, are taken while the result is sent, which lies elsewhere.

    Latency: 2 d**2 + 6 d + 15 clocks for numbers of four or more digits d. Throughput: one product
    at a time.
    """

    def __init__(self, params):
        # A digit stays free in front of the modulus.
        super().__init__(params, index_width=index_width(params.digits + 1), part_width=2,
                         key_numbers=1, numbers=2)

    def control(self, m):
        processor, loader, sender = self.processor, self.loader, self.sender
        # The result is sent before the next product, which is written to its place.
        settled = Signal(Processor.WRITTEN - 1)  # one-hot
        send = settled[Processor.SETTLED - 2]
        waits, occupied = signals("waits occupied")
        index = Signal.like(processor.index, name="index", reset_less=True)
        m.d.sync += [
            settled.eq(Cat(processor.done, settled)),
            occupied.eq((occupied | processor.begin) & ~sender.sent),
            waits.eq((loader.loaded | waits) & ~processor.begin),
        ]
        with m.If(send):
            m.d.sync += index.eq(0)
        with m.Elif(sender.advance):
            m.d.sync += index.eq(index + 1)
        m.d.comb += [
            processor.begin.eq((loader.loaded | waits) & ~occupied),
            processor.x.eq(_X), processor.y.eq(_Y), processor.s.eq(_S),
            loader.free.eq(Const(1)), loader.done.eq(settled[-1]), sender.start.eq(send),
        ]
        return _S, index
