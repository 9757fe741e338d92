"""MMM_OP in two dimensions: B + N precomputed, a full adder per bit in a row for each iteration."""

import dataclasses

from amaranth.hdl import Cat, Const, Signal

from ..core import About
from . import mmm_cs_2d
from .algorithms import PAPER, Optimized
from .array import skewed

__all__ = ["OptimizedArray", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Optimized, mmm_cs_2d.Parameters):
    """Parameters of :class:`OptimizedArray`."""

    _about = About(
        source=f"{PAPER}; Algorithm 2 (MMM_OP), Optimized of Table II",
        summary="array of carry-save rows with y + m precomputed, one multiplication per clock",
        quick_width=12)
    precompute = 1

    @property
    def skew_bits(self):
        # B + N, a bit longer than B, goes as far as the last row but one.
        return super().skew_bits + (self.width + 1) * (self.width + 2)

    def create(self):
        return OptimizedArray(self)


class OptimizedArray(mmm_cs_2d.OneClockArray):
    """Algorithm 2 on a two-dimensional array, "Optimized": a row of adders for each iteration.

    The sum of y and the modulus is computed in front of the array, in one more clock. Table II
    cites "Optimized" from the same paper as "Conventional", and leaves the result in carry-save
    form; here it is made binary.
    """

    def prepare(self, m, b, n):
        size = self.params.group_width
        carry = Const(0, 1)
        both = []
        for v in range(self.params.groups):
            # Below 2**(width + 2), which all columns together hold.
            word = Signal(min(size, self.params.width + 2 - size * v), name=f"skew_both_{v}_0",
                          reset_less=True)
            total = b[v][v + 1] + n[v][v + 1] + carry
            m.d.sync += word.eq(total)
            if v + 1 < self.params.groups:
                carry = Signal(name=f"carry_both_{v}", reset_less=True)
                m.d.sync += carry.eq(total[size])
            both.append([Cat(copy, Const(0, size - len(copy)))
                         for copy in skewed(m, word, self.params.width, f"skew_both_{v}")])
        return [both]
