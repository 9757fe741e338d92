"""How words of keys and operands get into a bit-serial multiplier, and when.

:class:`OperandIntake` takes words and cuts them into narrower ones. A word of operands has a turn,
which :class:`RingPlaces` or :class:`RowPlaces` gives it: in a ring that of its place.
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.carry_save import gate, incremented
from ..blocks.values import signals

__all__ = ["ARRIVALS", "OperandIntake", "RingPlaces", "RowPlaces"]

#: What is known of the words of operands.
ARRIVALS = wiring.Signature({
    "offered": Out(1),  # a word is at the port
    "accepted": Out(1),
    "first_word": Out(1),  # it is accepted as the first one of a multiplication
    "last_word": Out(1),
    "begun": Out(1),  # ``first_word`` a clock later
    "last": Out(1),  # the next word to be accepted is the last
})


class OperandIntake(wiring.Component):
    """Accepts words of keys and of operands in their turn, and cuts them into narrower ones.

    A key is accepted while no multiplication needs the key before it. From the clock after it was
    offered on, it goes before operands. A multiplication begins only with a whole key. ``ready`` of
    both streams comes from registers, except that ``k.ready`` depends on ``i.valid``.

    Latency: an accepted word goes on in the next clock, in ``ratio`` parts, a part a clock. A word
    of port ``i`` has as many parts of x, and of y above.
    Throughput: a word in every turn.
    """

    def __init__(self, params):
        self.params = params
        super().__init__({
            "i": params.signature.members["i"],
            "k": params.signature.members["k"],
            "turn": In(1),  # a word of operands may be accepted, if the other conditions hold
            "done": In(1),  # the multiplication under way needs its key and operands no longer
            "room": In(1),  # there is room for the result of another multiplication
            "key_ready": In(1),  # multiplications can use the key three clocks from now
            "load_n": Out(1),  # ``n`` is a narrow word of the modulus
            "load_xy": Out(1),  # ``x`` and ``y`` are narrow words of operands
            "key_sent": Out(1),  # the last narrow words of a key are at the outputs
            "operands_sent": Out(1),
            **{name: Out(params.pe_width) for name in "nxy"},
            "arrivals": Out(ARRIVALS),
        })

    def elaborate(self, platform):
        m = Module()
        #          | idle | idle, and no room | operands come | a multiplication runs
        # key_open |  1   |         1         |       0       |           0
        # is_open  |  1   |         0         |       1       |           0
        # A word of operands is accepted if the key is whole besides.
        key_open, whole = Signal(name="key_open", init=1), Signal(name="whole")
        is_open, key, key_turn = signals("is_open key key_turn")
        awaiting_key = Signal()  # all of a key was accepted
        key_offered = Signal(name="key_offered")  # in the clock before
        m.submodules.place = place = Pointer(self.params.result_words)
        operands = self.arrivals
        m.d.comb += [
            self.k.ready.eq(key_turn & key_open & (key_offered | ~self.i.valid)),
            self.i.ready.eq(self.turn & is_open & ~(key_open & key_offered)),
            key.eq(self.k.ready & self.k.valid),
            operands.offered.eq(self.i.valid), operands.last.eq(place.last),
            operands.accepted.eq(self.i.ready & self.i.valid),
            operands.first_word.eq(operands.accepted & key_open),
            operands.last_word.eq(operands.accepted & place.last),
            # Either one is accepted while the other one cannot be.
            place.step.eq(key | (self.turn & is_open & self.i.valid)),
        ]
        m.d.sync += [
            key_offered.eq(self.k.valid),
            key_open.eq((key_open & ~operands.accepted) | self.done),
            awaiting_key.eq((awaiting_key | (key & place.last)) & ~self.key_ready),
            whole.eq((whole & ~key) | (awaiting_key & self.key_ready)),
            is_open.eq((is_open | (key_open & whole & self.room)) & ~operands.last_word
                       & ~key),
            operands.begun.eq(operands.first_word),
        ]
        size = self.params.word_width
        loads_n, loads_xy = signals("loads_n loads_xy")
        m.d.sync += [self.load_n.eq(loads_n), self.load_xy.eq(loads_xy)]
        key_busy = self._cut(m, key, loads_n, [(self.n, self.k.payload)])
        busy = self._cut(m, operands.accepted, loads_xy,
                         [(self.x, self.i.payload[:size]), (self.y, self.i.payload[size:])])
        # A key that follows another one waits until that is where it belongs.
        m.d.comb += key_turn.eq(~key_busy & ~awaiting_key)
        for sent, last, still in ((self.key_sent, key & place.last, key_busy),
                                  (self.operands_sent, operands.last_word, busy)):
            ends = Signal(name=f"{sent.name}_soon")
            m.d.sync += ends.eq((ends & still) | last)
            m.d.comb += sent.eq(ends & ~still)
        return m

    def _cut(self, m, accepted, loads, words):
        """Register words, hand out their parts, ``loads`` a clock ahead; return whether more come.
        """
        busy, ratio = Const(0, 1), self.params.ratio
        if ratio == 1:
            m.d.comb += loads.eq(accepted)
        else:
            parts = Signal(ratio - 1, name=f"{loads.name}_parts")  # still to come
            m.d.sync += parts.eq(Mux(accepted, (1 << len(parts)) - 1, parts >> 1))
            m.d.comb += loads.eq(accepted | parts.any())
            busy = parts[0]
        for part, payload in words:
            held = Signal(len(payload), name=f"{part.name}_held", reset_less=True)
            m.d.comb += part.eq(held)
            m.d.sync += held.eq(payload if ratio == 1 else
                                Mux(accepted, payload, held >> len(part)))
        return busy


def _turns(m, turn, events):
    """Let ``turn`` be high so many clocks after each signal of ``events``."""
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
    """

    #: The ports that are 1 at first, beside ``turn``.
    HIGH = ("wrap", "window")

    def __init__(self, params):
        self.params = params
        super().__init__({
            "arrivals": In(ARRIVALS),
            "running": In(1),  # a multiplication runs
            "final": In(1),  # it is in its last revolution
            # The next word of operands may be accepted. The turn of a first word comes when the
            # last revolution ends, and stays.
            "turn": Out(1, init=1),
            "start": Out(1),  # all operands are there, and the first revolution begins
            "pad": Out(1),  # this place is above the operands, unless a word of them enters
            # Place 0 is at the entrance; it has come round, so that what ran may have ended; the
            # place at the entrance is one of the first ``elements`` places.
            **{name: Out(1, init=name in self.HIGH) for name in ("slot_0", "wrap", "window")}})

    def elaborate(self, platform):
        m = Module()
        p, operands = self.params, self.arrivals
        sent, words = p.operand_words, p.ring_words
        slot = Signal(range(words))
        slot_end, pad = signals("slot_end pad")
        # Words follow the first one. ``loading`` falls late, in a clock without a turn.
        loading, has_begun = signals("loading has_begun")
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

    The ports are those of :class:`RingPlaces`; a revolution is an iteration of two
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
