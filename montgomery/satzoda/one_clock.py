"""A ring that does an iteration per clock: what MMM_CS and MMM_OP have in common.

With one clock from a PE to the next, two signals would have to arrive before they exist, and have
to be dealt with:

- Bit 0 of a word becomes, shifted, the top bit of the word below, on which the next PE works in the
  same clock. It is given to the PE after that instead, one bit further down, where its weight is
  the same. Beside it stands the carry that adding it may cause.
- q depends on the sum. Each PE finds the q of the next one from what it adds itself.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import Resolver, full_adder, gate
from .ring import RingMultiplier

__all__ = ["OneClockMultiplier", "add_cs", "add_op"]


def add_cs(a, b, q, n, s, carries):
    """Return what an iteration of MMM_CS does with a word: :meth:`OneClockMultiplier.row`.

    Of the two adders of a bit, one adds a B to the two carries, the other q N to the sum: neither
    waits for a carry of the other.
    """
    t, c1 = full_adder(gate(a, b), *carries)
    u, c2 = full_adder(gate(q, n), s, t)
    # q makes bit 0 even, so its carry is that of s and t with either of them.
    return u, [c1, c2], u[1] ^ c1[0] ^ (s[0] | t[0])


def add_op(a, b, q, n, both, s, carries):
    """Return what an iteration of MMM_OP does with a word: :meth:`OneClockMultiplier.row`.

    ``both`` is the word of B + N.
    """
    addend = Mux(a, Mux(q, both, b), Mux(q, n, 0))
    u, c = full_adder(addend, s, carries[0])
    # q makes bit 0 even, so its carry is that of s and c with either of them.
    return u, [c], u[1] ^ (s[0] | carries[0][0])


class _Collector(wiring.Component):
    """Turns what a PE would add next into binary words.

    Latency: :meth:`latency_of`. Throughput: a word per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    carries : :class:`int`
        Number of carry words, 1 or 2.

    Members
    -------
    first : :py:`In(1)`
        The lowest word is at ``u``.
    u : :py:`In(width)`
        Sum before its shift.
    carry_<n> : :py:`In(width)`
        Carries.
    late, late_carry : :py:`In(1)`
        Late bit of the word, and the carry of the one before, both of the weight of bit
        ``width - 2``.
    word : :py:`Out(width)`
        Words in binary.
    """

    def __init__(self, width, carries):
        self.width = width
        self.carries = carries
        super().__init__({
            "first": In(1), "u": In(width), "late": In(1), "late_carry": In(1), "word": Out(width),
        } | {f"carry_{index}": In(width) for index in range(carries)})

    @staticmethod
    def latency_of(width, carries):
        """Return the clocks from ``first`` to the lowest word at ``word``."""
        return 1 + carries + Resolver.latency_of(width)

    def elaborate(self, platform):
        m = Module()
        top = self.width - 1

        def register(value, name):
            signal = Signal(len(value), name=name, reset_less=True)
            m.d.sync += signal.eq(value)
            return signal

        # Wait for the bit of the word above, and put the two extra bits where there is room.
        u_high = register(self.u[1:], "u_high")
        carries = [register(getattr(self, f"carry_{index}"), f"carry_{index}_late")
                   for index in range(self.carries)]
        late, late_carry = register(self.late, "late_1"), register(self.late_carry, "carry_1")
        s_extra, extra = full_adder(u_high[top - 1], late, late_carry)
        vectors = [Cat(u_high[:top - 1], s_extra, self.u[0]), *carries,
                   Cat(Const(0, top), extra)]
        delay = 0
        while len(vectors) > 2:
            s, c = full_adder(*vectors[:3])
            # The number fits its words, so nothing is carried into the lowest one.
            carry = register(c[-1], f"carry_{delay}_top")
            vectors = [register(s, f"s_{delay}"), register(Cat(carry, c[:-1]), f"c_{delay}"),
                       *(register(vector, f"rest_{delay}") for vector in vectors[3:])]
            delay += 1

        m.submodules.resolver = resolver = Resolver(self.width)
        first = self.first
        for index in range(delay):
            first = register(first, f"first_{index}")
        m.d.comb += [resolver.first.eq(first), resolver.s.eq(vectors[0]),
                     resolver.c.eq(vectors[1]), self.word.eq(resolver.word)]
        return m


class OneClockMultiplier(RingMultiplier):
    """Multiplier on a ring with an iteration per clock.

    A derived class sets :attr:`carries` and gives :meth:`row`.

    Latency, throughput, parameters and members are those of :class:`~.ring.RingMultiplier`.
    """

    #: Number of carry words beside the sum.
    carries = 1

    @classmethod
    def resolve(cls, pe_width):
        """Return :attr:`~.geometry.Geometry.resolve`."""
        return _Collector.latency_of(pe_width, cls.carries)

    def prepare(self, m, sequencer, ring):
        """Add what all PEs share to module ``m``."""

    def row(self, v, a, q, s, carries):
        """Return what PE ``v`` does in a clock.

        Parameters
        ----------
        a, q : Value, 1 bit
        s : Value, ``pe_width`` bits
            The shifted sum of the iteration before.
        carries : list of Value, ``pe_width`` bits
            Its carries, of the weight of ``s``.

        Returns
        -------
        u : Value, ``pe_width`` bits
            The sum, not yet shifted; bit 0 of the lowest word is 0.
        carries : list of Value, ``pe_width`` bits
            Its carries, at the bits that produced them.
        q_next : Value, 1 bit
            For the lowest word: bit 0 of the next iteration's sum, without its a B.
        """
        raise NotImplementedError

    def elements(self, m, sequencer, ring):
        g = self.geometry
        top = g.pe_width - 1

        def registers(name, width):
            return [Signal(width, name=f"{name}_{v}", reset_less=True) for v in range(g.elements)]

        u = registers("u", g.pe_width)
        carries = [registers(f"carry{index}", g.pe_width) for index in range(self.carries)]
        late_carry = registers("late_carry", 1)
        q = registers("q", 1)
        q_next = []
        self.prepare(m, sequencer, ring)
        for v in range(g.elements):
            late = u[v - 2][0] if v else u[v - 2][0] & ~sequencer.clear
            s = u[v - 1] >> 1
            s_late, carry_late = full_adder(s[top - 1], late, late_carry[v - 1])
            result, result_carries, following = self.row(
                v, ring.a[v], q[v], Cat(s[:top - 1], s_late, Const(0, 1)),
                [carry[v - 1] for carry in carries])
            m.d.sync += [u[v].eq(result), late_carry[v].eq(carry_late)]
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

        m.submodules.collector = collector = _Collector(g.pe_width, self.carries)
        m.d.comb += [
            collector.first.eq(ring.tokens[g.tap]),
            collector.u.eq(u[g.tap - 1]),
            collector.late.eq(u[g.tap - 2][0]),
            collector.late_carry.eq(late_carry[g.tap - 1]),
        ]
        for index, carry in enumerate(carries):
            m.d.comb += getattr(collector, f"carry_{index}").eq(carry[g.tap - 1])
        return collector.word
