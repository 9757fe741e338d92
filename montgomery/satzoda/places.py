"""When words have their turn: places that come round in a ring, or stand in a row."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.word_buffer import Pointer

__all__ = ["RingPlaces", "RowPlaces"]


def _turns(m, turn, accepted, *, steps, length):
    """Add a line in which the turn of the next word waits for its clock.

    Parameters
    ----------
    turn : Signal(1)
        The next word may be accepted now; at first it may.
    accepted : Value
        It is. If not, its turn comes again ``length`` clocks later.
    steps : dict from :class:`int` to Value
        Which one of these is high says how many clocks after an accepted word the turn of the word
        after it comes.
    """
    line = [turn, *(Signal(name=f"turn_in_{clocks}")
                    for clocks in range(1, max(length, *steps)))]
    for clocks, place in enumerate(line, 1):
        sources = line[clocks:clocks + 1]
        if clocks == length:
            sources.append(turn & ~accepted)
        if clocks in steps:
            sources.append(accepted & steps[clocks])
        m.d.sync += place.eq(reduce(or_, sources))


class RingPlaces(wiring.Component):
    """The places of a ring, numbered from 0, of which one comes to the entrance in each clock.

    The words of y and of the modulus have a place each. A word that misses its clock waits for a
    revolution. So words come one a clock, and numbers begin with a revolution.

    Parameters
    ----------
    geometry : :class:`~.geometry.Geometry`

    Members
    -------
    accepted : :py:`In(1)`
        A word of a stream is accepted, in its turn.
    complete : :py:`In(1)`
        It is the last one of a multiplication.
    running : :py:`In(1)`
        A multiplication runs.
    turn : :py:`Out(1)`
        The next word of a stream may be accepted now: its first place is at the entrance.
    last : :py:`Out(1)`
        If it is a turn, it is that of the last word of a number.
    start : :py:`Out(1)`
        All operands are there, and the first revolution begins.
    slot_0 : :py:`Out(1)`
        Place 0 is at the entrance.
    pad : :py:`Out(1)`
        The place at the entrance is above those of operands.
    window : :py:`Out(1)`
        The place is one of the first, as many as there are processing elements.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        super().__init__({
            "accepted": In(1), "complete": In(1), "running": In(1),
            "turn": Out(1, init=1), "last": Out(1, init=geometry.operand_words == geometry.ratio),
            "start": Out(1), "slot_0": Out(1, init=1), "pad": Out(1), "window": Out(1, init=1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        sent, words = g.operand_words, g.words
        slot = Signal(range(words), name="slot")
        slot_end = Signal(name="slot_end")
        waiting = Signal(name="waiting")  # for the first revolution

        def before(number):
            """Say that place ``number`` comes next; comparisons are registered before their use."""
            return slot_end if number == 0 else slot == number - 1

        m.d.sync += [
            slot.eq(Mux(slot_end, 0, slot + 1)),
            slot_end.eq(slot == words - 2),
            self.slot_0.eq(slot_end),
            self.last.eq(before(sent - g.ratio)),
            self.window.eq((self.window & (slot != g.elements - 1)) | slot_end),
            waiting.eq((waiting & ~self.slot_0) | self.complete),
        ]
        if sent < words:
            m.d.sync += self.pad.eq((self.pad & ~slot_end) | before(sent))
        m.d.comb += self.start.eq(waiting & self.slot_0)
        # After the last word, place 0 is awaited.
        to_first = words - sent + g.ratio
        steps = ({to_first: self.last, g.ratio: ~self.last} if to_first != g.ratio
                 else {g.ratio: 1})
        _turns(m, self.turn, self.accepted, steps=steps, length=words)
        return m


class RowPlaces(wiring.Component):
    """The same for a row, where each word has a place of its own, which waits for it.

    Members and parameters are those of :class:`RingPlaces`; a revolution is an iteration of two
    clocks.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        super().__init__({
            "accepted": In(1), "complete": In(1), "running": In(1),
            "turn": Out(1, init=1), "last": Out(1), "start": Out(1),
            "slot_0": Out(1, init=1), "pad": Out(1), "window": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        m.submodules.place = place = Pointer(g.operand_words // g.ratio)
        settles = Signal(name="settles")  # a row takes words a clock later than a ring
        m.d.sync += [settles.eq(self.complete), self.start.eq(settles),
                     self.slot_0.eq(~(self.slot_0 & (self.start | self.running)))]
        m.d.comb += [place.step.eq(self.accepted), self.last.eq(place.last),
                     self.window.eq(self.slot_0)]
        _turns(m, self.turn, self.accepted, steps={g.ratio: 1}, length=1)
        return m
