"""A ring of word-wide processing elements through which the operands circulate.

Figure 2 of Satzoda, Chang and Jong is a two-dimensional array: row i adds a_i B and q_i N, column j
holds bit j. Their one-dimensional Design 2 keeps one row and lets the iterations pass over it in
time. The ring is the other projection of the same array: each of its p processing elements (PEs)
keeps one iteration, and the words of B, N and of the intermediate sum pass over it, lowest first,
one a clock. PE v does the iterations v, v + p, v + 2p …; the last PE hands its words on to the
first. With ``hop`` clocks from a PE to the next, and ``hop`` words per PE, all PEs work in every
clock.

Every bit is used where it is and moves to the neighbour. So nothing is broadcast beyond the bits of
a PE, no operand is multiplexed, and the result leaves in words, in order.

The modulus goes round until another one takes its place. The words of y replace those of the y
before, in the revolution after its last one.
"""

from amaranth.hdl import Mux, Signal

from ..blocks.carry_save import gate
from ..blocks.values import delays, later

__all__ = ["Ring"]


class Ring:
    """The registers in which words of B and N circulate, with tokens and bits of x beside them.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    multiplier : :class:`~.serial_multiplier.SerialMultiplier`
        What gives the words, and whose ``tap`` is assigned.

    Attributes
    ----------
    b, n : list of list of Signal(pe_width)
        ``b[v][h]`` is the word of B that PE ``v`` got ``h`` clocks ago, ``h`` below ``hop``.
    before : list of Signal(1)
        Is high in the clock before PE ``v`` has word 0.
    tokens : list of Signal(1)
        Is high in the clock in which PE ``v`` has word 0.
    a : list of Signal(1)
        The bit of x for the iteration that PE ``v`` does, while it has the words of it.
    """

    def __init__(self, m, multiplier):
        p, slot_0 = multiplier.params, multiplier.slot_0
        self.b = self._pipeline(m, p, "b")
        self.n = self._pipeline(m, p, "n")
        for pipeline, load, word in ((self.b, multiplier.load_y, multiplier.y),
                                     (self.n, multiplier.load_n, multiplier.n)):
            m.d.sync += pipeline[0][0].eq(Mux(load, word, gate(~multiplier.pad, pipeline[-1][-1])))
        with m.If(slot_0):
            # The modulus is odd. The end of a result relies on it while another key enters.
            m.d.sync += self.n[0][0][0].eq(1)
        chain = delays(m, slot_0, p.ring_words, "token", reset_less=False)
        self.before = chain[:-1:p.hop]
        self.tokens = chain[1::p.hop]
        m.d.comb += multiplier.tap.eq(self.tokens[p.tap])
        # A PE starts ``hop`` clocks after the one before it, but its bit is served one clock after
        # that one's: the bits travel along the ring for the difference.
        self.a = []
        bit = multiplier.bit
        for index in range(p.elements):
            a = Signal(name=f"a_{index}", reset_less=True)
            with m.If(self.before[index]):
                m.d.sync += a.eq(bit)
            self.a.append(a)
            bit = later(m, bit, p.hop - 1, f"bit_{index}")

    @staticmethod
    def _pipeline(m, p, name):
        first = Signal(p.pe_width, name=f"{name}_first", reset_less=True)
        words = delays(m, first, p.ring_words - 1, name)
        return [words[start:start + p.hop] for start in range(0, p.ring_words, p.hop)]
