"""MMM_CS in two dimensions: two full adders a bit in a row for each iteration."""

import dataclasses

from .blocks.algorithms import mmm_cs
from .blocks.one_clock import add_cs
from .blocks.one_clock_array import OneClockArray, OneClockArrayParameters

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(OneClockArrayParameters):
    """Parameters of :class:`Multiplier`."""

    source = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
              "Cryptosystems; Algorithm 1 (MMM_CS), Conventional of Table II")
    summary = "array of rows with two carry words, a multiplication a clock"
    algorithm = staticmethod(mmm_cs)

    carries = 2

    def create(self):
        return Multiplier(self)


class Multiplier(OneClockArray):
    """Algorithm 1 on a two-dimensional array, "Conventional".

    A row has a clock for each multiplication, so that Figure 3 (b), the reservation table,
    becomes::

        clock      0  1  2  3  4  5  6  7 …
        row 0      0  1  2  3  4  5  6  7
        row 1         0  1  2  3  4  5  6
        row 2            0  1  2  3  4  5
        …
        row k + 1                         … k + 1:  0

    The paper takes q from the sum and uses it in the same clock; here each row finds the q of the
    next one. It leaves the result in three words, which are added here. Of the operands that go
    through the array beside the sum it says nothing.

    Parameters
    ----------
    params : :class:`Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def add(self, a, q, words, s, carries):
        b, n = words
        return add_cs(a, b, q, n, s, carries)
