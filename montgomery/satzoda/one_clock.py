"""What an iteration of MMM_CS and of MMM_OP adds in one clock, and a ring that does so.

With one clock from a PE to the next, two signals would have to arrive before they exist:

- Bit 0 of a word becomes, shifted, the top bit of the word below, on which the next PE works in the
  same clock. It is given to the PE after that instead: see :mod:`.late_bits`.
- q depends on the sum. Each PE finds the q of the next one from what it adds itself.

``add_cs`` and ``add_op`` say what a PE does with a word in a clock:

=========== =======================================================================================
a, q        y is added; the modulus is added
words       words of B, of N, and of what the core prepares besides
s, carries  the halved sum of the iteration before, and its carries, of the weight of ``s``
=========== =======================================================================================

They return the sum, not yet halved, of which the lowest bit is 0; a list of its carries, at the
bits that produced them; and ``q_next``: for the lowest word, bit 0 of the next iteration's sum
without its a B.
"""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Mux, Signal

from ..blocks.carry_save import Resolver, full_adder, gate
from ..blocks.delay import later
from .late_bits import SumWord, two_words
from .radix2 import Radix2Parameters
from .ring import Ring
from .serial_multiplier import SerialMultiplier

__all__ = ["OneClockParameters", "OneClockRing", "add_cs", "add_op"]


def add_cs(a, q, words, s, carries):
    """Add a B to the two carries, and q N to the sum: no adder waits for another one's carry."""
    b, n = words
    t, c1 = full_adder(gate(a, b), *carries)
    u, c2 = full_adder(gate(q, n), s, t)
    # q makes bit 0 even, so its carry is that of s and t with either of them.
    return u, [c1, c2], u[1] ^ c1[0] ^ (s[0] | t[0])


def add_op(a, q, words, s, carries):
    """Add 0, B, N or the third of ``words``, which is that of B + N."""
    b, n, both = words
    addend = Mux(a, Mux(q, both, b), Mux(q, n, 0))
    u, c = full_adder(addend, s, carries[0])
    # q makes bit 0 even, so its carry is that of s and c with either of them.
    return u, [c], u[1] ^ (s[0] | carries[0][0])


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneClockParameters(Radix2Parameters):
    """Parameters of :class:`OneClockRing`."""

    #: ``add_cs`` or ``add_op``, and the number of its carries.
    add: ClassVar
    carries: ClassVar[int]

    hop = 1

    @property
    def resolve(self):
        return 1 + self.carries + Resolver.latency_of(self.pe_width)


class OneClockRing(SerialMultiplier):
    """Multiplier on a ring with an iteration per clock.

    Each processing element decides whether the next one adds the modulus. The paper decides from
    the sum, in the clock in which the modulus is added. The paper leaves the result in carry-save
    form; here it is made binary while it is sent.

    Latency, throughput, parameters and members are those of a
    :class:`~.serial_multiplier.SerialMultiplier`.
    """

    def prepare(self, m, ring):
        """Return further numbers that go round beside B and N: of each, the word of every PE."""
        return []

    def elements(self, m):
        p, clear = self.params, self.clear
        ring = Ring(m, self)
        sums = [SumWord.registers(p.pe_width, p.carries, v) for v in range(p.elements)]
        q = [Signal(name=f"q_{v}", reset_less=True) for v in range(p.elements)]
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
        spilled = [Signal(name=f"spilled_{level}", reset_less=True)
                   for level in range(len(carries))]
        m.submodules.resolver = resolver = Resolver(p.pe_width)
        m.d.comb += resolver.first.eq(later(m, ring.tokens[p.tap], len(carries), "first"))
        last = sums[p.tap - 1]
        vectors = two_words(m, "out", last, sums[p.tap - 2].u[0], last.u[0], spilled=spilled,
                            spills=spilled)
        m.d.comb += [resolver.s.eq(vectors[0]), resolver.c.eq(vectors[1])]
        return resolver.word
