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

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate, incremented
from ..blocks.values import delays, later
from .intake import ARRIVALS

__all__ = ["Ring", "RingPlaces", "RowPlaces"]


def _turns(m, turn, events):
    """Add a shift register whose last bit is ``turn``: the next word of operands may be accepted.

    ``events`` has pairs of a number of clocks and a signal: so many clocks after the signal is
    high, ``turn`` is.
    """
    line = [turn, *(Signal(name=f"turn_in_{clocks}")
                    for clocks in range(1, max(clocks for clocks, _ in events)))]
    for clocks, place in enumerate(line, 1):
        m.d.sync += place.eq(reduce(or_, line[clocks:clocks + 1] + [
            event for distance, event in events if distance == clocks]))


class RingPlaces(wiring.Component):
    """The places of a ring, numbered from 0. One of them is at the entrance in each clock.

    The first word of a multiplication defines place 0. Each further word has a place. A word that
    misses its place waits for a revolution.

    Latency: all outputs but ``slot_0`` and ``pad`` are registers, and change a clock after a word
    is accepted. Throughput: a place per clock.

    Parameters
    ----------
    params : :class:`~.radix2.Radix2Parameters`

    Members
    -------
    arrivals : :py:`In(ARRIVALS)`
    running, final : :py:`In(1)`
        A multiplication runs; it is in its last revolution.
    turn : :py:`Out(1)`
        The next word of operands may be accepted now. The turn of a first word comes when the last
        revolution ends, and stays.
    start : :py:`Out(1)`
        All operands are there, and the first revolution begins.
    slot_0 : :py:`Out(1)`
        Place 0 is at the entrance.
    wrap : :py:`Out(1)`
        Place 0 has come round. A multiplication that ran may have ended.
    pad : :py:`Out(1)`
        The place at the entrance is above the operands, unless a word of operands enters.
    window : :py:`Out(1)`
        The place at the entrance is one of the first ``elements`` places.
    """

    #: The ports that are 1 at first, beside ``turn``.
    HIGH = ("wrap", "window")

    def __init__(self, params):
        self.params = params
        super().__init__({
            "arrivals": In(ARRIVALS), "running": In(1), "final": In(1), "turn": Out(1, init=1),
            "start": Out(1), "pad": Out(1),
            **{name: Out(1, init=name in self.HIGH) for name in ("slot_0", "wrap", "window")}})

    def elaborate(self, platform):
        m = Module()
        p, operands = self.params, self.arrivals
        sent, words = p.operand_words, p.ring_words
        slot = Signal(range(words))
        slot_end = Signal()
        pad = Signal()
        # Words follow the first one. ``loading`` falls late, in a clock without a turn.
        loading, has_begun = Signal(name="loading"), Signal(name="has_begun")
        m.d.comb += loading.eq(has_begun | operands.begun)
        waiting = Signal()  # for the first revolution
        # Each comparison is registered, so it looks a place ahead. A clock after place 0 was
        # defined, ``slot`` goes on with 2.
        ends = Mux(operands.begun, words == 2, slot_end)
        m.d.sync += [
            # In gates, since a reset would come later.
            slot.eq(gate(operands.begun, Const(2 % words, len(slot)))
                    | gate(~(operands.begun | slot_end), incremented(slot))),
            slot_end.eq(Mux(operands.begun, words == 3, slot == words - 2)),
            self.wrap.eq(ends),
            self.window.eq((self.window & (slot != p.elements - 1)) | ends),
            # ``wrap`` is that of the old place 0 in the clock after a first word.
            waiting.eq((waiting & ~self.wrap) | (operands.begun if sent == p.ratio else
                                                  operands.last_word)),
            has_begun.eq(loading & ~waiting),
        ]
        if sent < words:
            m.d.sync += pad.eq(Mux(operands.begun, sent <= 2 < words,
                                   (pad & ~slot_end) | (slot == sent - 1)))
        m.d.comb += [self.slot_0.eq((self.wrap & ~operands.begun) | operands.first_word),
                     self.start.eq(waiting & self.wrap),
                     self.pad.eq(pad | operands.begun if sent == 1 else pad)]
        over = self.final & (slot_end if words > 2 else self.wrap)
        if sent > p.ratio == 1:
            # In its turn, a word that is offered is accepted, except that a first word may have to
            # wait; the turn of a first word stays anyway. ``accepted`` comes too late to be used.
            follows = self.turn & loading & operands.offered & ~operands.last
            first_awaited = self.turn & ~loading
            missed = self.turn & loading & ~operands.offered
        else:
            follows = operands.accepted & ~operands.last_word
            unused = self.turn & ~operands.accepted
            first_awaited, missed = unused & ~loading, unused & loading
        _turns(m, self.turn, [
            (1, first_awaited),  # the turn stays
            (1, over),  # a first word may come
            (words, missed),  # the place of the word has come round
            (p.ratio, follows),  # the place of the next word
        ])
        return m


class RowPlaces(RingPlaces):
    """The places of a row: each word has one of its own, and misses none.

    Parameters and members are those of :class:`RingPlaces`; a revolution is an iteration of two
    clocks. Latency: ``turn`` comes ``ratio`` clocks after a word is accepted. Throughput: a word
    per clock.
    """

    HIGH = ("slot_0",)

    def elaborate(self, platform):
        m = Module()
        settles = Signal()  # a row takes words a clock later than a ring
        m.d.sync += [settles.eq(self.arrivals.last_word), self.start.eq(settles),
                     self.slot_0.eq(~(self.slot_0 & (self.start | self.running)))]
        m.d.comb += [self.window.eq(self.slot_0), self.wrap.eq(self.slot_0)]
        accepted = self.arrivals.accepted
        _turns(m, self.turn, [
            (1, self.turn & ~accepted),
            (1, 0),  # a first word has no turn of its own
            (1, 0),  # and no word misses its place
            (self.params.ratio, accepted),
        ])
        return m


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
