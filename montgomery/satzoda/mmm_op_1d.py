"""MMM_OP in one dimension: B + N precomputed, one full adder per bit, an iteration per clock."""

import dataclasses

from ..blocks.carry_save import Resolver
from ..core import About
from . import mmm_cs_1d
from .algorithms import PAPER, Optimized, registers

__all__ = ["OptimizedRing", "Parameters"]


class OptimizedRing(mmm_cs_1d.OneClockRing):
    """Algorithm 2 on a ring of processing elements.

    The sum of y and the modulus is computed while y is sent.

    The paper has no one-dimensional circuit of Algorithm 2 of its own. "Optimized" of its Table I
    is the circuit of Fournaris and Koufopavlou ("A new RSA encryption architecture and hardware
    implementation based on optimized Montgomery multiplication", ISCAS 2005), its reference [5].
    The ring is another circuit for the same algorithm.
    """

    def prepare(self, m, ring):
        # The sum is made from the words that pass PE 0, in every revolution, and so is complete
        # when the last word of y has come by. It takes no time of its own.
        p = self.params
        m.submodules.both = adder = Resolver(p.pe_width)
        m.d.comb += [adder.first.eq(self.slot_0), adder.s.eq(ring.b[0][0]),
                     adder.c.eq(ring.n[0][0])]
        both = registers("both", p.elements, p.pe_width)
        both[adder.latency] = adder.word
        for v in range(p.elements):
            if v != adder.latency:
                m.d.sync += both[v].eq(both[v - 1])
        return [both]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Optimized, mmm_cs_1d.Parameters):
    """Parameters of :class:`OptimizedRing`."""

    _about = About(
        source=f"{PAPER}; Algorithm 2 (MMM_OP)",
        summary="radix 2, carry-save with y + m precomputed, one clock per iteration")

    @property
    def least_words(self):
        # B + N comes in where the adder that makes it ends, which must be in the ring.
        return 1 + Resolver.latency_of(self.pe_width)

    def create(self):
        return OptimizedRing(self)
