"""MMM_CS in two dimensions: two full adders per bit in a row for each iteration."""

import dataclasses

from ..core import About
from .algorithms import PAPER, Conventional
from .one_clock_array import OneClockArray, OneClockArrayParameters

__all__ = ["ConventionalArray", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Conventional, OneClockArrayParameters):
    """Parameters of :class:`ConventionalArray`."""

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS), Conventional of Table II",
        summary="array of rows with two carry words, one multiplication per clock",
        quick_width=12)

    def create(self):
        return ConventionalArray(self)


class ConventionalArray(OneClockArray):
    """Algorithm 1 on a two-dimensional array, "Conventional": a row of adders for each iteration.

    In each iteration y is added if the next bit of x is 1, the modulus is added if the sum is odd
    then, and the sum is halved.

    Table II cites "Conventional" from Fournaris and Koufopavlou ("Montgomery modular multiplier
    architecture and hardware implementations for an RSA cryptosystem", MWSCAS 2003). It has the
    result in three words; here they are added.

    The paper decides from the sum what is added, in the same clock. Here each row decides for the
    next one. The paper does not count the registers in which operands flow through the array.

    Latency: a clock for each row and for each group of columns but the first, and those of the
    final addition and of the queue of results.
    Throughput: a multiplication per clock. Parameters and members are those of the array.
    """
