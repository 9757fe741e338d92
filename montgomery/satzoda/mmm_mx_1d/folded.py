"""MMM_MX folded: two rows of gated full adders of half the length, in a ring of words."""

from amaranth.hdl import Cat

from ...blocks.carry_save import full_adder, gate
from ..late_bits import add_late_bit, registers, resolved
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

    Members
    -------
    i, k, o : as latency and throughput, see
        :class:`~montgomery.satzoda.serial_multiplier.SerialMultiplier`
    """

    def elements(self, m):
        p = self.params
        ring = Ring(m, self)
        s_q, c_q, s_a, c_a = (registers(name, p.elements, p.pe_width)
                              for name in ("s_q", "c_q", "s_a", "c_a"))
        q = registers("q", p.elements)
        carry = registers("carry", p.elements)  # out of the word, and into the next
        for v in range(p.elements):
            s_in, c_in = s_q[v - 1], c_q[v - 1]
            b, n = ring.b[v][0], ring.n[v][1]
            # Ct + St <- Cin + Sin + a B. The top bit of the shifted Sin is bit 0 of a word that
            # the PE before only works on now; it is added in the next step.
            s_next, c_next = full_adder(gate(ring.a[v], b), s_in >> 1, c_in)
            m.d.sync += [s_a[v].eq(s_next), c_a[v].eq(c_next)]
            with m.If(ring.tokens[v]):
                m.d.sync += q[v].eq(s_next[0])
            # C + S <- Ct + St + q N
            addends = gate(q[v], n), s_a[v], Cat(carry[v], c_a[v][:-1])
            s, c, above = add_late_bit(*full_adder(*addends), s_in[0])
            # The carry at the top of c_a is that of a half adder, so s_a is 0 with it: never two
            # carries.
            m.d.sync += [s_q[v].eq(s), c_q[v].eq(c), carry[v].eq(c_a[v][-1] | above)]
        with m.If(self.clear):
            m.d.sync += [s_q[-1].eq(0), c_q[-1].eq(0)]
        return resolved(m, ring.tokens[p.tap], s_q[p.tap - 1], c_q[p.tap - 1])
