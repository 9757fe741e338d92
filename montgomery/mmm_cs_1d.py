"""MMM_CS in one dimension: two full adders a bit in a row, an iteration a clock."""

import dataclasses

from .blocks.carry_save import full_adder, gate
from .blocks.geometry import Geometry
from .blocks.one_clock import OneClockMultiplier
from .blocks.radix2 import Radix2Parameters

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Radix2Parameters):
    """Parameters of :class:`Multiplier`."""

    source = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
              "Cryptosystems; Algorithm 1 (MMM_CS)")
    summary = "carry-save with two carry words, radix 2, one clock an iteration"

    @property
    def geometry(self):
        """:class:`~montgomery.blocks.geometry.Geometry` of the ring."""
        return Geometry.ring(self, hop=1, resolve=Multiplier.resolve(self.pe_width))

    @property
    def cycles(self):
        return self.geometry.cycles

    def compute(self, x, y, modulus):
        self.check_operands(x, y, modulus)
        s = c1 = c2 = 0
        for index in range(self.iterations):
            addend = y if x >> index & 1 else 0
            q = (s ^ c1 ^ c2 ^ addend) & 1
            t, c1 = full_adder(addend, c1, c2)
            s, c2 = full_adder(modulus if q else 0, s, t)
            s >>= 1  # the carries have twice the weight of s: halving leaves them where they are
        return s + c1 + c2

    def create(self):
        return Multiplier(self)


class Multiplier(OneClockMultiplier):
    """Algorithm 1 on a :mod:`ring <montgomery.blocks.ring>`, a PE for each word.

    The paper takes q from the sum and uses it in the same clock; here each PE finds the q of the
    next one (see :mod:`montgomery.blocks.one_clock`). Of the two adders of a bit, one adds a B to
    the two carries, the other q N to the sum: neither waits for a carry of the other.

    The paper leaves the result in three words. They are added while it is unloaded.

    Parameters
    ----------
    params : :class:`Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    carries = 2

    def __init__(self, params):
        super().__init__(params, params.geometry)

    def prepare(self, m, sequencer, ring):
        self._ring = ring

    def row(self, v, a, q, s, carries):
        b, n = self._ring.b[v][0], self._ring.n[v][0]
        t, c1 = full_adder(gate(a, b), *carries)
        u, c2 = full_adder(gate(q, n), s, t)
        # q makes bit 0 even, so its carry is that of s and t with either of them.
        return u, [c1, c2], u[1] ^ c1[0] ^ (s[0] | t[0])
