"""MMM_CS in two dimensions: two full adders per bit in a row for each iteration."""

import dataclasses

from ..core import About
from .algorithms import PAPER, Conventional
from .one_clock_array import OneClockArray, OneClockArrayParameters

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Conventional, OneClockArrayParameters):
    """Algorithm 1 on a :class:`~.one_clock_array.OneClockArray`: "Conventional".

    In each iteration y is added if the next bit of x is 1, the modulus is added if the sum is odd
    then, and the sum is halved.

    Table II cites "Conventional" from Fournaris and Koufopavlou ("Montgomery modular multiplier
    architecture and hardware implementations for an RSA cryptosystem", MWSCAS 2003). It has the
    result in three words; here they are added.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS), Conventional of Table II",
        summary="array of rows with two carry words, one multiplication per clock",
        quick_width=12)

    def create(self):
        return OneClockArray(self)
