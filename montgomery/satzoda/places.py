"""When words have their turn: places that come round in a ring, or stand in a row."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate, incremented
from .intake import ARRIVALS

__all__ = ["RingPlaces", "RowPlaces"]


def _turns(m, turn, *, step, length, follows, stays, passes=0, first=0):
    """Add a shift register whose last bit is ``turn``: the next word may be accepted now.

    ============================  =================================================================
    in this clock                 ``turn`` is high
    ============================  =================================================================
    ``follows``: word accepted    ``step`` clocks later, for the word after it
    ``stays``: first word awaited in the next clock
    ``passes``: word missed       ``length`` clocks later, when its place has come round
    ``first``                     in the next clock, for the first word of a multiplication
    ============================  =================================================================
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


def _members(*high):
    """Return the ports, of which ``high`` are 1 at first."""
    return {"arrivals": In(ARRIVALS), "running": In(1), "final": In(1), "turn": Out(1, init=1),
            "start": Out(1), "pad": Out(1),
            **{name: Out(1, init=name in high) for name in ("slot_0", "wrap", "window")}}


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
    arrivals : :py:`In(ARRIVALS)`
        See :data:`~.intake.ARRIVALS`.
    running : :py:`In(1)`
        A multiplication runs.
    final : :py:`In(1)`
        The multiplication is in its last revolution.
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
        The place is one of the first, as many as there are processing elements.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        super().__init__(_members("wrap", "window"))

    def elaborate(self, platform):
        m = Module()
        g, operands = self.geometry, self.arrivals
        sent, words = g.operand_words, g.words
        slot = Signal(range(words))
        slot_end = Signal()
        pad = Signal()
        # Words follow the first one. ``loading`` falls late, in a clock without a turn.
        loading, has_begun = Signal(name="loading"), Signal(name="has_begun")
        m.d.comb += loading.eq(has_begun | operands.begun)
        waiting = Signal()  # for the first revolution
        # Comparisons are registered before their use. A clock after place 0 was defined, they go on
        # with place 2.
        ends = Mux(operands.begun, words == 2, slot_end)
        m.d.sync += [
            # In gates, since a reset would come later.
            slot.eq(gate(operands.begun, Const(2 % words, len(slot)))
                    | gate(~(operands.begun | slot_end), incremented(slot))),
            slot_end.eq(Mux(operands.begun, words == 3, slot == words - 2)),
            self.wrap.eq(ends),
            self.window.eq((self.window & (slot != g.elements - 1)) | ends),
            # In the clock after a first word, the old place 0 comes round.
            waiting.eq((waiting & ~self.wrap) | (operands.begun if sent == g.ratio else
                                                  operands.last_word)),
            has_begun.eq(loading & ~waiting),
        ]
        if sent < words:
            m.d.sync += pad.eq(Mux(operands.begun, sent <= 2 < words,
                                   (pad & ~slot_end) | (slot == sent - 1)))
        m.d.comb += [self.slot_0.eq((self.wrap & ~operands.begun) | operands.first_word),
                     self.start.eq(waiting & self.wrap),
                     self.pad.eq(pad | operands.begun if sent == 1 else pad)]
        over = self.final & (slot_end if g.announced else self.wrap)
        if sent > g.ratio == 1:
            # A word that is offered in its turn is accepted, but for the first one, which may have
            # to wait: its turn stays in either case. So ``accepted`` is not needed, which is late.
            follows = self.turn & loading & operands.offered & ~operands.last
            stays, passes = self.turn & ~loading, self.turn & loading & ~operands.offered
        else:
            follows = operands.accepted & ~operands.last_word
            missed = self.turn & ~operands.accepted
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
        super().__init__(_members("slot_0"))

    def elaborate(self, platform):
        m = Module()
        settles = Signal()  # a row takes words a clock later than a ring
        m.d.sync += [settles.eq(self.arrivals.last_word), self.start.eq(settles),
                     self.slot_0.eq(~(self.slot_0 & (self.start | self.running)))]
        m.d.comb += [self.window.eq(self.slot_0), self.wrap.eq(self.slot_0)]
        _turns(m, self.turn, step=self.geometry.ratio, length=1, follows=self.arrivals.accepted,
               stays=self.turn & ~self.arrivals.accepted)
        return m
