"""MMM_MX in one dimension: a gated full adder per bit, used twice per iteration."""

import dataclasses

from amaranth.hdl import Cat, Const, Mux, Signal

from ..blocks.banks import Gather
from ..blocks.carry_save import Resolver, full_adder, gate
from ..blocks.values import delays, later, signals
from ..core import About, parameter
from .algorithms import PAPER, Gated, add_late_bit, registers, resolved
from .radix2 import Radix2Parameters
from .serial_multiplier import Ring, SerialMultiplier

__all__ = ["FoldedMultiplier", "Parameters", "RowMultiplier"]


class FoldedMultiplier(SerialMultiplier):
    """Algorithm 3 on a ring of processing elements.

    A processing element (PE) has the gated full adders of both steps for one word: in the clock in
    which one row of adders adds y to word j, the other one adds the modulus to word j - 1.

    The words of y, of the modulus and of the sum go round the ring, the lowest first, and move on
    by one PE in two clocks; there is a PE for every two words. That makes as many gated full adders
    as in Design 2 of the paper, and the same two clocks per iteration, without the multiplexers in
    front of the adders. Every wire runs between neighbours, and nothing is broadcast.
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


class RowMultiplier(SerialMultiplier):
    """Algorithm 3 on Design 2, Figure 4: one row of cells, each used in both steps of an iteration.

    Both steps take a clock each. Each cell has one gated full adder behind multiplexers, as in
    Figure 1 of the paper.

    The row is cut into words, and each word works one clock after the word below it, so that
    control signals pass from word to word instead of being broadcast. The cell's multiplexer for
    ``in1`` is shared by a word; the one for ``in2`` stands before the register of the gated
    operand; those for ``in3`` and ``in4`` stand before the adder.

    Latency: the first iteration starts three clocks after the last operand word, and each takes two
    clocks. Throughput: the next operands, or a key, may follow as soon as the result begins to
    leave.
    """

    def elements(self, m):
        p, slot_0, count = self.params, self.slot_0, self.params.sum_words

        def chain(name, first):
            """Return ``first``, one more clock late for each word."""
            return delays(m, first, count, name)[1:]

        # Operands: a token marks the place of the next word of N and of B.
        place = Signal(p.operand_words, init=1)
        with m.If(self.load_n | self.load_y):
            m.d.sync += place.eq(place.rotate_left(1))
        b, n, s, c, operand = (registers(name, count, p.pe_width)
                               for name in ("b", "n", "s", "c", "operand"))
        load_b, load_n, carry, bits = (registers(name, count)
                                       for name in ("load_b", "load_n", "carry", "bit"))
        y_word, n_word = signals("y_word n_word", p.pe_width, reset_less=True)
        m.d.sync += [y_word.eq(self.y), n_word.eq(self.n)]
        for v in range(p.operand_words):
            m.d.sync += [load_b[v].eq(self.load_y & place[v]),
                         load_n[v].eq(self.load_n & place[v])]
            with m.If(load_b[v]):
                m.d.sync += b[v].eq(y_word)
            with m.If(load_n[v]):
                m.d.sync += n[v].eq(n_word)

        control = chain("control", ~slot_0)  # 0: a B is added, 1: q N
        clear = chain("clear", self.clear & slot_0)
        # in1 of each word: the bits of x, and between them the q that word 0 finds.
        q = (operand[0][0] & bits[0]) ^ s[0][1] ^ c[0][0]
        m.d.sync += bits[0].eq(Mux(slot_0, self.bit, q))
        for v in range(count):
            below = carry[v - 1] if v else Const(0, 1)
            late = s[v + 1][0] if v + 1 < count else Const(0, 1)
            if v:
                m.d.sync += [
                    bits[v].eq(bits[v - 1]),
                    operand[v].eq(gate(bits[v - 1], Mux(control[v - 1], n[v], b[v]))),
                ]
                in12 = operand[v]
            else:
                # Here q comes too late to be joined with N before the register.
                m.d.sync += operand[0].eq(Mux(slot_0, b[0], n[0]))
                in12 = gate(bits[0], operand[0])
            in3 = Mux(control[v], s[v], s[v] >> 1)
            in4 = Mux(control[v], Cat(below, c[v][:-1]), c[v])
            # The top bit of the shifted sum is bit 0 of a word that is only worked on now; it is
            # added in the next step.
            total, carries, above = add_late_bit(*full_adder(in12, in3, in4), late & control[v])
            # The carry of the first step is that of a half adder, so the sum bit is 0 with it:
            # never two carries.
            m.d.sync += [s[v].eq(total), c[v].eq(carries), carry[v].eq(c[v][-1] | above)]
            with m.If(clear[v - 1] if v else self.clear & slot_0):
                m.d.sync += [s[v].eq(0), c[v].eq(0)]

        # Result: word v is there for one clock, the one after that of word v - 1.
        m.submodules.gather_s = gather_s = Gather(p.pe_width, count)
        m.submodules.gather_c = gather_c = Gather(p.pe_width, count)
        begins = Signal(reset_less=True)  # word 0 begins an iteration
        m.d.sync += begins.eq(slot_0)
        m.d.comb += self.tap.eq(begins)
        chosen = Cat(self.found, *chain("chosen", self.found)[:-1])
        for gather, words in ((gather_s, s), (gather_c, c)):
            m.d.comb += gather.chosen.eq(chosen)
            m.d.comb += [gather.words[v].eq(words[v]) for v in range(count)]
        first = later(m, self.found, Gather.latency_of(count), "first")
        return resolved(m, first, gather_s.word, gather_c.word)


_ARRANGEMENTS = {"folded": FoldedMultiplier, "row": RowMultiplier}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Gated, Radix2Parameters):
    """Parameters of :class:`FoldedMultiplier` and :class:`RowMultiplier`.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 3 (MMM_MX), Design 2",
        summary="radix 2, carry-save, two short clocks per iteration")

    arrangement: str = parameter("folded", "how the adders are arranged: in a ring (folded), or in "
                                 "a row as in the paper (row)", choices=tuple(_ARRANGEMENTS))

    hop = 2

    @property
    def stationary(self):
        return self.arrangement == "row"

    @property
    def resolve(self):
        gather = Gather.latency_of(self.sum_words) if self.stationary else 0
        return gather + 1 + Resolver.latency_of(self.pe_width)

    def create(self):
        return _ARRANGEMENTS[self.arrangement](self)
