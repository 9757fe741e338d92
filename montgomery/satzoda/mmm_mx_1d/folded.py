"""MMM_MX folded: two rows of gated full adders of half the length, in a ring of words."""

from amaranth.hdl import Cat, Signal

from ...blocks.carry_save import full_adder, gate
from ..late_bits import add_late_bit, resolved
from ..ring import Ring
from ..serial_multiplier import SerialMultiplier

__all__ = ["FoldedMultiplier"]


class FoldedMultiplier(SerialMultiplier):
    """Algorithm 3 on a ring of processing elements.

    An iteration has two steps: y is added if the next bit of x is 1, and the modulus is added if
    the sum is odd then; the sum is halved. A processing element (PE) has the gated full adders of
    both steps for one word: in the clock in which one row of adders adds y to word j, the other one
    adds the modulus to word j - 1.

    The words of y, of the modulus and of the sum go round the ring, the lowest first, and move on
    by one PE in two clocks; there is a PE for every two words. That makes as many gated full adders
    as in Design 2 of the paper, and the same two clocks per iteration, without the multiplexers in
    front of the adders. Every wire runs between neighbours, and nothing is broadcast.

    The result is made binary while it is sent.

    Latency, throughput, parameters and members are those of a
    :class:`~montgomery.satzoda.serial_multiplier.SerialMultiplier`.
    """

    def elements(self, m):
        p = self.params
        ring = Ring(m, self)
        s_q, c_q = ([Signal(p.pe_width, name=f"{name}_{v}", reset_less=True)
                     for v in range(p.elements)] for name in ("s_q", "c_q"))
        for v in range(p.elements):
            s_in, c_in = s_q[v - 1], c_q[v - 1]
            b, n = ring.b[v][0], ring.n[v][1]
            # Ct + St <- Cin + Sin + a B. The top bit of the shifted Sin is bit 0 of a word that
            # the PE before only works on now; it is added in the next step.
            s_a = Signal(p.pe_width, name=f"s_a_{v}", reset_less=True)
            c_a = Signal(p.pe_width, name=f"c_a_{v}", reset_less=True)
            s_next, c_next = full_adder(gate(ring.a[v], b), s_in >> 1, c_in)
            m.d.sync += [s_a.eq(s_next), c_a.eq(c_next)]
            q = Signal(name=f"q_{v}", reset_less=True)
            with m.If(ring.tokens[v]):
                m.d.sync += q.eq(s_next[0])
            # C + S <- Ct + St + q N
            carry = Signal(name=f"carry_{v}", reset_less=True)  # out of the word, and into the next
            s, c, above = add_late_bit(*full_adder(gate(q, n), s_a, Cat(carry, c_a[:-1])), s_in[0])
            # c_a[-1] is the carry of a half adder, so s_a[-1] is 0 with it: never two carries.
            m.d.sync += [s_q[v].eq(s), c_q[v].eq(c), carry.eq(c_a[-1] | above)]
        with m.If(self.clear):
            m.d.sync += [s_q[-1].eq(0), c_q[-1].eq(0)]
        return resolved(m, ring.tokens[p.tap], s_q[p.tap - 1], c_q[p.tap - 1])
