"""A systolic array of multiplier blocks, one or more digits each."""

import dataclasses
import functools
import itertools

from ..arithmetic import negated_inverse
from ..core import About, Field, Message, Number, Products, Traits, ceil_div, parameter
from ..kinds.multiplier import Multiplier as _Multiplier
from ..kinds.multiplier import factors, modulus_field, r_number
from .chain import DelayedSchedule, PlainSchedule
from .multiplier_component import DspSystolicMultiplier

__all__ = ["PAPER", "DspSystolicMultiplier", "Parameters", "processing_elements", "quotient"]

PAPER = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication "
         "Systolic Architecture Implemented on an FPGA")


def quotient(default):
    """Return the parameter that says how quotient digits are found."""
    return parameter(default, "how quotient digits are found: by a product with -1/m (plain), or "
                     "from one before they are used, on a scaled modulus (delayed)",
                     choices=("plain", "delayed"))


def processing_elements():
    """Return the parameter that limits the number of processing elements."""
    return parameter(0, "largest number of processing elements, each with one multiplier; 0 means "
                     "one per digit", minimum=0, maximum=2048)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Multiplier):
    """Parameters of :class:`DspSystolicMultiplier`.

    The paper's condition 2m < R does not make products chain: x y + u m is below 4 m^2 + R m, so
    that results are below 2m if 4m < R. Where the modulus fills all its bits that is a digit more.

    Parameters
    ----------
    quotient : :class:`str`
        ``"plain"``: the quotient digit is m' times the lowest digit, as in the paper.
        ``"delayed"``: instead of the modulus a multiple of it is used that is -1 modulo a power of
        2**k, so that m' is 1, and a digit of x is added while the quotient digit of some steps
        before is multiplied by (Orup, "Simplifying quotient determination in high-radix modular
        multiplication"). A step takes two clocks with a digit per processing element. Results are
        below twice the scaled modulus.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 3, Figure 1",
        summary="high-radix systolic array of multiplier blocks",
        uses_blocks=True)

    digit_width: int = parameter(16, "bits per digit; must divide word_width", minimum=4,
                                 maximum=18)
    quotient: str = quotient("plain")
    processing_elements: int = processing_elements()

    def _check_parameters(self):
        self._check_divides_word("digit_width")

    @property
    def scaled(self):
        """Whether the modulus is scaled."""
        return self.quotient == "delayed"

    @property
    def ratio(self):
        """Digits in a word of the streams."""
        return self.word_width // self.digit_width

    def _digits(self, excess):
        # 4m < R, and a scaled modulus is ``excess`` digits longer. With a single digit, a
        # multiplication would begin before the array has forgotten the one before; and the last
        # product of an exponentiation by b**excess is to be near the scaled modulus.
        bits = self.width + 2 + self.digit_width * excess
        return self.ratio * ceil_div(max(bits, 2 * self.digit_width * max(excess, 1)),
                                     self.word_width)

    @property
    def result_words(self):
        return self.schedule.digits // self.ratio

    @functools.cached_property
    def schedule(self):
        """:class:`~.chain.Slots` of the array."""
        schedule = DelayedSchedule if self.scaled else PlainSchedule
        # The fewer digits a PE has, the longer a quotient is delayed, and the more there are.
        for per_element in itertools.count(1):
            digits = self._digits(schedule.excess_of(per_element))
            if ceil_div(digits, per_element) <= (self.processing_elements or digits):
                return schedule(digit_width=self.digit_width, digits=digits,
                                per_element=per_element)

    @property
    def r(self):
        return 1 << (self.schedule.digits * self.digit_width)

    @property
    def _scale_bits(self):
        """Bits of what the modulus is scaled by."""
        return self.digit_width * self.schedule.excess

    def multiple(self, modulus):
        """Return the modulus that is used: if it is scaled, -1 modulo a power of 2**k."""
        return modulus * negated_inverse(modulus, 1 << self._scale_bits) if self.scaled else modulus

    def bound(self, modulus):
        """Operands and results are below twice the :meth:`multiple`."""
        return 2 * self.multiple(modulus)

    @property
    def _numbers(self):
        if not self.scaled:
            return super()._numbers
        k = self._scale_bits
        return (*super()._numbers,
                Number("s", f"-m⁻¹ mod 2^{k}: the number below 2^{k} for which s m + 1 is a "
                       f"multiple of 2^{k}", f"-pow(modulus, -1, 2**{k}) % 2**{k}"),
                Number("bound", "2 s m", "2 * modulus * s"))

    @property
    def _traits(self):
        reach = 2 * max((1 << self._scale_bits) - 1, 1)
        return Traits(initiation=self.schedule.initiation, keeps_results=True, products=(Products(
            self.schedule.elements + self.schedule.extra_multipliers, self.digit_width,
            self.digit_width, undivided=True),),
            # (x y + q M) / R is below 2 M for the largest M, which is below R / 4.
            reach=reach, headroom=max(self.r // (2 * reach << self.width), 1))

    @property
    def operands(self):
        return dataclasses.replace(factors(self, side_by_side=True), numbers=(r_number(self.r),))

    @property
    def key_operands(self):
        """The modulus; a scaled one as (s m + 1) / 2**(...), which is what the array holds.

        m' of a plain modulus is found by the core.
        """
        if not self.scaled:
            return Message(self.word_width, (modulus_field(self),))
        k = self._scale_bits
        return Message(self.word_width, (
            Field("scaled", self.result_words, f"(s m + 1) / 2^{k}",
                  f"(modulus * s + 1) // 2**{k}"),), self._numbers)

    @property
    def cycles(self):
        return self.schedule.cycles(ratio=self.ratio)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        return self.product(x, y, modulus)

    def product(self, x, y, modulus):
        """Return what :meth:`compute` does, of any operands below R."""
        if self.scaled:
            return self._compute_delayed(x, y, modulus)
        k = self.digit_width
        base = 1 << k
        inverse = negated_inverse(modulus, base)
        a = 0
        for index in range(self.schedule.digits):
            digit = x >> (k * index) & (base - 1)
            u = (a + digit * y) * inverse & (base - 1)
            a = (a + digit * y + u * modulus) >> k
        return a

    def _compute_delayed(self, x, y, modulus):
        """Return what :meth:`compute` does, with the quotient digit of ``delay`` steps before."""
        k, schedule = self.digit_width, self.schedule
        mask, delay, count = (1 << k) - 1, schedule.delay, schedule.digits + schedule.delay + 1
        scaled = (self.multiple(modulus) + 1) >> self._scale_bits
        quotient, total = [0] * delay, 0
        for index in range(count):
            quotient.append(total & mask)
            # digits of x from ``digits`` on are 0
            total = (total >> k) + quotient[index] * scaled + (x >> (k * index) & mask) * y
        low = sum(digit << (k * place) for place, digit in enumerate(quotient[count:]))
        return (total << (k * delay)) + low

    def create(self):
        return DspSystolicMultiplier(self)
