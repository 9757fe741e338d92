"""The multi-step multiplier: several iterations per clock."""

import dataclasses

from ..blocks.carry_save import full_adder
from ..core import parameter
from ..kinds.multiplier import Multiplier as _Multiplier
from .layout import Layout
from .multiplier_component import Multiplier

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Multiplier):
    """Parameters of :class:`Multiplier`.

    Parameters
    ----------
    steps : :class:`int`
        The number s of iterations per clock; ``width`` or less.
    quotient : :class:`str`
        How the s bits of the quotient are found. ``"chained"``: one after the other; each gates the
        modulus. ``"ahead"``: up to four at once; they look up a multiple of the modulus. Neither is
        the circuit of Figure 3; see :class:`Multiplier`.
    pe_width : :class:`int`
        Least number of columns per processing element. There are as many as fit ``word_width`` and
        are ``2 * steps`` or more.
    """

    source = ("Zhang, Dong: A high speed Montgomery processor of 256-bit on FPGA; Algorithm 3 "
              "(multi-step), Figures 2 and 3")
    summary = "any number of radix-2 iterations per clock, with a final subtraction"

    steps: int = parameter(4, "iterations per clock; at most width", minimum=1, maximum=4096)
    quotient: str = parameter("ahead", "how the bits of the quotient are found: one after the "
                              "other (chained), or up to four at once by look-up (ahead)",
                              choices=("ahead", "chained"))
    pe_width: int = parameter(16, "least number of columns per processing element", minimum=1,
                              maximum=256)

    def check(self):
        if self.steps > self.width:
            raise ValueError(f"Steps must be at most the width {self.width}, not {self.steps}; the "
                             f"nearest legal value is {self.width}")

    @property
    def layout(self):
        """:class:`~.layout.Layout` of the hardware."""
        return Layout.of(self)

    @property
    def r(self):
        return 1 << self.width

    def bound(self, modulus):
        """Operands and results are below the modulus."""
        return modulus

    @property
    def cycles(self):
        return self.layout.cycles

    @property
    def initiation(self):
        # Words that are cut or joined wait, cut or joined, when their turn comes.
        layout = self.layout
        joined = max(layout.ratio, layout.parts) > 1
        return self.cycles.interval - (2 * layout.parts if joined else 0)

    def compute(self, x, y, modulus):
        self.check_operands(x, y, modulus)
        t, r = divmod(self.width, self.steps)
        s = c = 0
        bits = iter(x >> index & 1 for index in range(self.width))
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
        return p - modulus if p >= modulus else p

    @property
    def result_words(self):
        layout = self.layout
        return layout.operand_words * layout.parts // layout.ratio

    @property
    def operands(self):
        return [(name, self.result_words) for name in ("modulus", "y", "x")]

    def create(self):
        return Multiplier(self)
