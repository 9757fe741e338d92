"""When words have their turn: places that come round in a ring, or stand in a row."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate, incremented
from .intake import ARRIVALS

__all__ = ["RingPlaces", "RowPlaces"]


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
