"""MMM_CS in two dimensions: two full adders per bit in a row for each iteration."""

import dataclasses

from ..core import About
from .algorithms import PAPER, mmm_cs
from .one_clock import add_cs
from .one_clock_array import OneClockArray, OneClockArrayParameters

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(OneClockArrayParameters):
    """Parameters of Algorithm 1 on an array, "Conventional": a row of adders for each iteration.

    In each iteration y is added if the next bit of x is 1, the modulus is added if the sum is odd
    then, and the sum is halved.

    Table II cites "Conventional" from Fournaris and Koufopavlou ("Montgomery modular multiplier
    architecture and hardware implementations for an RSA cryptosystem", MWSCAS 2003). It has the
    result in three words; a :class:`~.one_clock_array.OneClockArray` adds them.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS), Conventional of Table II",
        summary="array of rows with two carry words, one multiplication per clock",
        quick_width=12)
    algorithm = staticmethod(mmm_cs)
    add = staticmethod(add_cs)
    carries = 2

    def create(self):
        return OneClockArray(self)
