"""MMM_CS in one dimension: two full adders per bit in a row, an iteration per clock."""

import dataclasses

from ..core import About
from .algorithms import mmm_cs
from .geometry import Geometry
from .one_clock import OneClockMultiplier, add_cs
from .radix2 import Radix2Parameters

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Radix2Parameters):
    """Parameters of :class:`Multiplier`."""

    about = About(
        source="Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
               "Cryptosystems; Algorithm 1 (MMM_CS)",
        summary="radix 2, carry-save with two carry words, one clock per iteration")
    algorithm = staticmethod(mmm_cs)

    @property
    def geometry(self):
        """:class:`~montgomery.satzoda.geometry.Geometry` of the ring."""
        return Geometry.ring(self, hop=1, resolve=Multiplier.resolve(self.pe_width))

    def create(self):
        return Multiplier(self)


class Multiplier(OneClockMultiplier):
    """Algorithm 1 on a ring of processing elements.

    In each iteration a processing element (PE) adds y if the next bit of x is 1, adds the modulus
    if the sum is odd then, and halves the sum. Two full adders per bit do so in one clock; the sum
    is a word of sum bits and two words of carries.

    The ring has a PE for each word of an operand, and the PEs take turns with the iterations. The
    words of y, of the modulus and of the sum go round, the lowest first, and move on by one PE per
    clock. So every wire runs between neighbours, and nothing is broadcast.

    The paper has Algorithm 1 as a two-dimensional array alone, "Conventional" of Table II. The
    one-dimensional designs of its Table I are Design 2, "Optimized", and those of Daly and of Ors.
    So this circuit is none of the paper's, and none of its figures stands beside this one.

    Latency: a multiplication is accepted in a revolution of the ring, which begins with its first
    word, and the first iteration starts in the next one. Throughput: the next multiplication may
    follow the last revolution, so that one begins every few revolutions.

    The paper decides from the sum whether the modulus is added, in the same clock. Here each PE
    decides for the next one. The paper leaves the result in three words; here they are added while
    the result is sent.

    Parameters
    ----------
    params : :class:`Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    carries = 2

    def __init__(self, params):
        super().__init__(params, params.geometry)

    def prepare(self, m, sequencer, ring):
        self._ring = ring

    def row(self, v, a, q, s, carries):
        return add_cs(a, self._ring.b[v][0], q, self._ring.n[v][0], s, carries)
