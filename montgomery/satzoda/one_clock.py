"""A ring that does an iteration per clock: what MMM_CS and MMM_OP have in common.

With one clock from a PE to the next, two signals would have to arrive before they exist, and have
to be dealt with:

- Bit 0 of a word becomes, shifted, the top bit of the word below, on which the next PE works in the
  same clock. It is given to the PE after that instead: see :mod:`.late_bits`.
- q depends on the sum. Each PE finds the q of the next one from what it adds itself.
"""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Mux, Signal

from ..blocks.carry_save import Resolver, full_adder, gate
from ..blocks.delay import later
from .geometry import Geometry
from .late_bits import halved, two_words
from .radix2 import Radix2Parameters
from .ring import RingMultiplier

__all__ = ["OneClockMultiplier", "OneClockParameters", "add_cs", "add_op"]


def add_cs(a, q, words, s, carries):
    """Return what an iteration of MMM_CS does with a word: :meth:`OneClockMultiplier.add`.

    Of the two adders of a bit, one adds a B to the two carries, the other q N to the sum: neither
    waits for a carry of the other.
    """
    b, n = words
    t, c1 = full_adder(gate(a, b), *carries)
    u, c2 = full_adder(gate(q, n), s, t)
    # q makes bit 0 even, so its carry is that of s and t with either of them.
    return u, [c1, c2], u[1] ^ c1[0] ^ (s[0] | t[0])


def add_op(a, q, words, s, carries):
    """Return what an iteration of MMM_OP does with a word: :meth:`OneClockMultiplier.add`.

    The third of ``words`` is the word of B + N.
    """
    b, n, both = words
    addend = Mux(a, Mux(q, both, b), Mux(q, n, 0))
    u, c = full_adder(addend, s, carries[0])
    # q makes bit 0 even, so its carry is that of s and c with either of them.
    return u, [c], u[1] ^ (s[0] | carries[0][0])


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneClockParameters(Radix2Parameters):
    """Parameters of :class:`OneClockMultiplier`."""

    #: Number of carry words beside the sum.
    carries: ClassVar[int]
    #: Least number of words in the ring.
    least_words: ClassVar[int] = 2

    @property
    def geometry(self):
        """:class:`~montgomery.satzoda.geometry.Geometry` of the ring."""
        resolve = 1 + self.carries + Resolver.latency_of(self.pe_width)
        return Geometry.ring(self, hop=1, resolve=resolve, minimum=self.least_words)


class OneClockMultiplier(RingMultiplier):
    """Multiplier on a ring with an iteration per clock.

    A derived class gives :meth:`add`, and :meth:`prepare` if it needs more than B and N.

    Each processing element decides whether the next one adds the modulus. The paper decides from
    the sum, in the clock in which the modulus is added. The paper leaves the result in carry-save
    form; here it is made binary while it is sent.

    Latency, throughput and members are those of :class:`~.ring.RingMultiplier`.

    Parameters
    ----------
    params : :class:`OneClockParameters`
    """

    def __init__(self, params):
        super().__init__(params, params.geometry)

    def prepare(self, m, sequencer, ring):
        """Return further numbers that go round beside B and N: of each, the word of every PE."""
        return []

    def add(self, a, q, words, s, carries):
        """Return what a PE does in a clock.

        Parameters
        ----------
        a, q : Value, 1 bit
        words : list of Value, ``pe_width`` bits
            Those of B, of N and of what :meth:`prepare` returned.
        s : Value, ``pe_width`` bits
            The halved sum of the iteration before.
        carries : list of Value, ``pe_width`` bits
            Its carries, of the weight of ``s``.

        Returns
        -------
        u : Value, ``pe_width`` bits
            The sum, not yet halved; bit 0 of the lowest word is 0.
        carries : list of Value, ``pe_width`` bits
            Its carries, at the bits that produced them.
        q_next : Value, 1 bit
            For the lowest word: bit 0 of the next iteration's sum, without its a B.
        """
        raise NotImplementedError

    def elements(self, m, sequencer, ring):
        g = self.geometry

        def registers(name, width=1):
            return [Signal(width, name=f"{name}_{v}", reset_less=True) for v in range(g.elements)]

        u, late_carry, q = registers("u", g.pe_width), registers("late_carry"), registers("q")
        carries = [registers(f"carry{index}", g.pe_width) for index in range(self.params.carries)]
        flows = [[word[0] for word in ring.b], [word[0] for word in ring.n],
                 *self.prepare(m, sequencer, ring)]
        q_next = []
        for v in range(g.elements):
            late = u[v - 2][0] if v else u[v - 2][0] & ~sequencer.clear
            s, extra = halved(u[v - 1], late, late_carry[v - 1])
            words, carried = [flow[v] for flow in flows], [carry[v - 1] for carry in carries]
            result, result_carries, following = self.add(ring.a[v], q[v], words, s, carried)
            m.d.sync += [u[v].eq(result), late_carry[v].eq(extra)]
            m.d.sync += [carry[v].eq(value)
                         for carry, value in zip(carries, result_carries, strict=True)]
            q_next.append(following ^ sequencer.bit_b0)
        for v in range(g.elements):
            with m.If(ring.before[v]):
                # Nothing precedes iteration 0.
                m.d.sync += q[v].eq(q_next[v - 1] if v else
                                    Mux(sequencer.clear, sequencer.bit_b0, q_next[-1]))
        with m.If(sequencer.clear):
            m.d.sync += [word[-1].eq(0) for word in (u, late_carry, *carries)]

        # The words of the result come one after the other: what one spills is for the next one.
        spilled = [Signal(name=f"spilled_{level}", reset_less=True)
                   for level in range(len(carries))]
        last = g.tap - 1
        m.submodules.resolver = resolver = Resolver(g.pe_width)
        m.d.comb += resolver.first.eq(later(m, ring.tokens[g.tap], len(carries), "first"))
        vectors = two_words(m, "out", u[last], u[last][0], [carry[last] for carry in carries],
                            u[last - 1][0], late_carry[last], spilled=spilled, spills=spilled)
        m.d.comb += [resolver.s.eq(vectors[0]), resolver.c.eq(vectors[1])]
        return resolver.word
