"""When words have their turn: places that come round in a ring, or stand in a row."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate, incremented

__all__ = ["RingPlaces", "RowPlaces"]


def _turns(m, turn, *, step, length, follows, stays, passes=0, first=0):
    """Add a line in which the turn of the next word waits for its clock.

    Parameters
    ----------
    turn : Signal(1)
        The next word may be accepted now; at first it may.
    follows : Value
        The turn of another word comes ``step`` clocks later.
    stays, first : Value
        The turn comes in the next clock; ``first`` whatever was before.
    passes : Value
        The turn is missed, and comes ``length`` clocks later.
    """
    line = [turn, *(Signal(name=f"turn_in_{clocks}")
                    for clocks in range(1, max(length, step)))]
    for clocks, place in enumerate(line, 1):
        sources = line[clocks:clocks + 1]
        if clocks == 1:
            sources += [stays, first]
        if clocks == length:
            sources.append(passes)
        if clocks == step:
            sources.append(follows)
        m.d.sync += place.eq(reduce(or_, sources))


class RingPlaces(wiring.Component):
    """The places of a ring, numbered from 0, of which one comes to the entrance in each clock.

    The first word of a multiplication defines place 0. Each word that follows has a place, and
    waits for a revolution if it misses its clock.

    Latency: all outputs but ``slot_0`` and ``pad`` are registers, and follow what is accepted a
    clock later. Throughput: a place per clock.

    Parameters
    ----------
    geometry : :class:`~.geometry.Geometry`

    Members
    -------
    accepted : :py:`In(1)`
        A word of operands is accepted, in its turn.
    begins : :py:`In(1)`
        It is the first one of a multiplication.
    begun : :py:`In(1)`
        It was, in the clock before.
    complete : :py:`In(1)`
        It is the last one of a multiplication.
    offered, last : :py:`In(1)`
        There is a word of operands; the next one to be accepted is the last of a multiplication.
    running : :py:`In(1)`
        A multiplication runs.
    final : :py:`In(1)`
        It is in its last revolution.
    turn : :py:`Out(1)`
        The next word of operands may be accepted now. The turn of a first word comes when the last
        revolution ends, and stays.
    start : :py:`Out(1)`
        All operands are there, and the first revolution begins.
    slot_0 : :py:`Out(1)`
        Place 0 is at the entrance.
    again : :py:`Out(1)`
        And it has come round. A multiplication that ran may have ended.
    pad : :py:`Out(1)`
        The place at the entrance is above those of operands, unless a word of operands enters.
    window : :py:`Out(1)`
        The place is one of the first, as many as there are processing elements.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        super().__init__({
            "accepted": In(1), "begins": In(1), "begun": In(1), "complete": In(1),
            "offered": In(1), "last": In(1), "running": In(1), "final": In(1),
            "turn": Out(1, init=1), "start": Out(1),
            "slot_0": Out(1), "again": Out(1, init=1), "pad": Out(1), "window": Out(1, init=1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        sent, words = g.operand_words, g.words
        slot = Signal(range(words), name="slot")
        slot_end = Signal(name="slot_end")
        pad = Signal(name="pad")
        # Words follow the first one. It falls late, when there is no turn.
        loading, has_begun = Signal(name="loading"), Signal(name="has_begun")
        m.d.comb += loading.eq(has_begun | self.begun)
        waiting = Signal(name="waiting")  # for the first revolution
        # Comparisons are registered before their use. A clock after place 0 was defined, they go on
        # with place 2.
        ends = Mux(self.begun, words == 2, slot_end)
        m.d.sync += [
            # In gates, since a reset would come later.
            slot.eq(gate(self.begun, Const(2 % words, len(slot)))
                    | gate(~(self.begun | slot_end), incremented(slot))),
            slot_end.eq(Mux(self.begun, words == 3, slot == words - 2)),
            self.again.eq(ends),
            self.window.eq((self.window & (slot != g.elements - 1)) | ends),
            # What comes round in the clock after a first word is the place 0 of before.
            waiting.eq((waiting & ~self.again) | (self.begun if sent == g.ratio else
                                                  self.complete)),
            has_begun.eq(loading & ~waiting),
        ]
        if sent < words:
            m.d.sync += pad.eq(Mux(self.begun, sent <= 2 < words,
                                   (pad & ~slot_end) | (slot == sent - 1)))
        m.d.comb += [self.slot_0.eq((self.again & ~self.begun) | self.begins),
                     self.start.eq(waiting & self.again),
                     self.pad.eq(pad | self.begun if sent == 1 else pad)]
        over = self.final & (slot_end if g.announced else self.again)
        if sent > g.ratio == 1:
            # The same, without waiting for whether the word is accepted: the first one may stay or
            # be followed in the next clock, and each other one is accepted if it is offered.
            follows = self.turn & loading & self.offered & ~self.last
            stays, passes = self.turn & ~loading, self.turn & loading & ~self.offered
        else:
            follows, missed = self.accepted & ~self.complete, self.turn & ~self.accepted
            stays, passes = missed & ~loading, missed & loading
        _turns(m, self.turn, step=g.ratio, length=words, follows=follows, stays=stays,
               passes=passes, first=over)
        return m


class RowPlaces(wiring.Component):
    """The same for a row, where each word has a place of its own, which waits for it.

    Parameters and members are those of :class:`RingPlaces`; a revolution is an iteration of two
    clocks. Latency: ``turn`` follows a word that is accepted in the next clock, or later where a
    word at the port is several words here. Throughput: a word per clock.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        super().__init__({
            "accepted": In(1), "begins": In(1), "begun": In(1), "complete": In(1),
            "offered": In(1), "last": In(1), "running": In(1), "final": In(1),
            "turn": Out(1, init=1), "start": Out(1),
            "slot_0": Out(1, init=1), "again": Out(1), "pad": Out(1), "window": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        settles = Signal(name="settles")  # a row takes words a clock later than a ring
        m.d.sync += [settles.eq(self.complete), self.start.eq(settles),
                     self.slot_0.eq(~(self.slot_0 & (self.start | self.running)))]
        m.d.comb += [self.window.eq(self.slot_0), self.again.eq(self.slot_0)]
        _turns(m, self.turn, step=self.geometry.ratio, length=1, follows=self.accepted,
               stays=self.turn & ~self.accepted)
        return m
