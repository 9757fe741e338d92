"""MMM_CS in one dimension: two full adders per bit in a ring, an iteration per clock.

With one clock from a PE to the next, two signals would have to arrive before they exist:

- Bit 0 of a word becomes, shifted, the top bit of the word below, on which the next PE works in the
  same clock. It is given to the PE after that instead: see :mod:`.algorithms`.
- q depends on the sum. Each PE finds the q of the next one from what it adds itself.
"""

import dataclasses

from amaranth.hdl import Mux

from ..blocks.carry_save import Resolver
from ..blocks.values import later
from ..core import About
from .algorithms import PAPER, Conventional, SumWord, registers, two_words
from .radix2 import Radix2Parameters
from .serial_multiplier import Ring, SerialMultiplier

__all__ = ["OneClockRing", "Parameters"]


class OneClockRing(SerialMultiplier):
    """Multiplier on a ring with an iteration per clock.

    Each processing element decides whether the next one adds the modulus. The paper decides from
    the sum, in the clock in which the modulus is added; and it leaves the result in carry-save
    form.
    """

    def prepare(self, m, ring):
        """Return further numbers that go round beside B and N: of each, the word of every PE."""
        return []

    def elements(self, m):
        p, clear = self.params, self.clear
        ring = Ring(m, self)
        sums = [SumWord.registers(p.pe_width, p.carries, v) for v in range(p.elements)]
        q = registers("q", p.elements)
        flows = [[word[0] for word in ring.b], [word[0] for word in ring.n],
                 *self.prepare(m, ring)]
        q_next = []
        for v in range(p.elements):
            late = sums[v - 2].u[0] if v else sums[v - 2].u[0] & ~clear
            half, late_carry = sums[v - 1].halved(late)
            words = [flow[v] for flow in flows]
            following = sums[v].take(m, late_carry,
                                     p.add(ring.a[v], q[v], words, half, sums[v - 1].carries))
            q_next.append(following ^ self.bit_b0)
        for v in range(p.elements):
            with m.If(ring.before[v]):
                # Nothing precedes iteration 0.
                m.d.sync += q[v].eq(q_next[v - 1] if v else
                                    Mux(clear, self.bit_b0, q_next[-1]))
        u, late_carry, carries = sums[-1]
        with m.If(clear):
            m.d.sync += [word.eq(0) for word in (u, late_carry, *carries)]

        # The words of the result come one after the other: what one spills is for the next one.
        spilled = registers("spilled", len(carries))
        m.submodules.resolver = resolver = Resolver(p.pe_width)
        m.d.comb += resolver.first.eq(later(m, ring.tokens[p.tap], len(carries), "first"))
        last = sums[p.tap - 1]
        vectors = two_words(m, "out", last, sums[p.tap - 2].u[0], last.u[0], spilled=spilled,
                            spills=spilled)
        m.d.comb += [resolver.s.eq(vectors[0]), resolver.c.eq(vectors[1])]
        return resolver.word


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Conventional, Radix2Parameters):
    """Algorithm 1 on a :class:`OneClockRing`.

    The paper has Algorithm 1 as a two-dimensional array alone, "Conventional" of Table II. The
    one-dimensional designs of its Table I are Design 2, "Optimized", and those of Daly and of Ors.
    So this circuit is none of the paper's, and none of its figures stands beside this one.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS)",
        summary="radix 2, carry-save with two carry words, one clock per iteration")

    hop = 1

    @property
    def resolve(self):
        return 1 + self.carries + Resolver.latency_of(self.pe_width)

    def create(self):
        return OneClockRing(self)
