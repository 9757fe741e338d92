"""The multi-step multiplier: several iterations per clock."""

import dataclasses
import functools

from ..blocks.carry_save import full_adder
from ..core import About, Message, Traits, parameter
from ..kinds.multiplier import Multiplier, factors, modulus_field
from .clocks import clocks
from .layout import StepLayout
from .multiplier_component import StepMultiplier

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Multiplier):
    """Parameters of :class:`~.multiplier_component.StepMultiplier`.

    Parameters
    ----------
    subtraction : :class:`str`
        ``"final"``: the modulus is subtracted from a result that is not below it, as in the paper.
        ``"never"``: operands and results are below twice the modulus, and R is four times as large,
        so that no result waits until its highest word has decided.
    pe_width : :class:`int`
        Least number of columns per processing element. There are as many as fit ``word_width`` and
        are ``2 * steps`` or more.
    """

    _about = About(
        source="Zhang, Dong: A high speed Montgomery processor of 256-bit on FPGA; Algorithm 3 "
               "(multi-step), Figures 2 and 3",
        summary="any number of radix-2 iterations per clock")

    steps: int = parameter(4, "iterations per clock; at most width", minimum=1, maximum=4096)
    subtraction: str = parameter("never", "results are below twice the modulus (never), or reduced "
                                 "by a subtraction (final)", choices=("never", "final"))
    pe_width: int = parameter(16, "least number of columns per processing element", minimum=1,
                              maximum=256)

    def _check_parameters(self):
        if self.steps > self.width:
            raise ValueError(f"Steps must be at most the width {self.width}, not {self.steps}; the "
                             f"nearest legal value is {self.width}")

    @functools.cached_property
    def layout(self):
        """:class:`~.layout.StepLayout` of the hardware."""
        return StepLayout(self)

    @property
    def r(self):
        return 1 << (self.width if self.subtraction == "final" else self.width + 2)

    def bound(self, modulus):
        """Operands and results are below the modulus, or below twice the modulus."""
        return modulus if self.subtraction == "final" else 2 * modulus

    @property
    def cycles(self):
        return clocks(self.layout)[0]

    @property
    def _traits(self):
        return Traits(initiation=clocks(self.layout)[1], keeps_results=True,
                      reach=1 if self.subtraction == "final" else 2)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        count = self.layout.r_bits
        t, r = divmod(count, self.steps)
        s = c = 0
        bits = iter(x >> index & 1 for index in range(count))
        # A clock of Main each, and at last one of Remainder. The hardware begins with r steps, on
        # the lowest bits of x: the steps are the same, in the same order.
        for steps in [self.steps] * t + [r] * (r > 0):
            for _ in range(steps):
                # a <- p + x[i] y
                s, c = full_adder(s, c, y if next(bits) else 0)
                c <<= 1
                # p <- a / 2, or (a + m) / 2 where a is odd
                s, c = full_adder(s, c, modulus if (s ^ c) & 1 else 0)
                s >>= 1  # c has twice the weight of s: halving both leaves it where it is
        p = s + c
        return p - modulus if self.subtraction == "final" and p >= modulus else p

    @property
    def result_words(self):
        return self.layout.port_words

    @property
    def operands(self):
        return factors(self, side_by_side=True)

    @property
    def key_operands(self):
        return Message(self.word_width, (modulus_field(self),))

    def create(self):
        return StepMultiplier(self)
