"""MMM_CS in one dimension: two full adders per bit in a row, an iteration per clock."""

import dataclasses

from ..core import About
from .algorithms import PAPER, Conventional
from .one_clock import OneClockParameters, OneClockRing

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Conventional, OneClockParameters):
    """Algorithm 1 on a :class:`~.one_clock.OneClockRing`.

    In each iteration a processing element (PE) adds y if the next bit of x is 1, adds the modulus
    if the sum is odd then, and halves the sum. Two full adders per bit do so in one clock; the sum
    is a word of sum bits and two words of carries.

    The paper has Algorithm 1 as a two-dimensional array alone, "Conventional" of Table II. The
    one-dimensional designs of its Table I are Design 2, "Optimized", and those of Daly and of Ors.
    So this circuit is none of the paper's, and none of its figures stands beside this one.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS)",
        summary="radix 2, carry-save with two carry words, one clock per iteration")

    def create(self):
        return OneClockRing(self)
