"""Keys and operands on their way into a bit-serial multiplier."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer

__all__ = ["ARRIVALS", "OperandIntake"]

#: What is known of the words of operands: a word is ``offered`` at the port, it is ``accepted``, it
#: is accepted as the ``first_word`` or ``last_word`` of a multiplication. ``begun`` is
#: ``first_word`` a clock later. ``last``: the next word to be accepted is the last.
ARRIVALS = wiring.Signature({name: Out(1) for name in (
    "offered", "accepted", "first_word", "last_word", "begun", "last")})


class OperandIntake(wiring.Component):
    """Accepts words of keys and of operands in their turn, and cuts them into narrower ones.

    A key is accepted while no multiplication needs the key before it. From the clock after it was
    offered on, it goes before operands. A multiplication begins only with a whole key. ``ready`` of
    both streams comes from registers, except that ``k.ready`` depends on ``i.valid``.

    Latency: an accepted word goes on in the next clock, in ``ratio`` parts, a part a clock. A word
    of port ``i`` has as many parts of x, and of y above.
    Throughput: a word in every turn.

    Parameters
    ----------
    params : :class:`~.radix2.Radix2Parameters`

    Members
    -------
    i, k : see :class:`montgomery.Signature`
    turn : :py:`In(1)`
        A word of operands may be accepted now, if the other conditions hold.
    done : :py:`In(1)`
        The multiplication under way needs its key and its operands no longer.
    room : :py:`In(1)`
        There is room for the result of another multiplication.
    arrivals : :py:`Out(ARRIVALS)`
    n, x, y : :py:`Out(pe_width)`
        Narrow words of the modulus while ``load_n``, of operands while ``load_xy`` is high.
    load_n, load_xy : :py:`Out(1)`
    key_sent, operands_sent : :py:`Out(1)`
        The last narrow words of a key, of operands are at the outputs.
    key_ready : :py:`In(1)`
        Multiplications can use the key three clocks from now.
    """

    def __init__(self, params):
        self.params = params
        super().__init__({
            "i": params.signature.members["i"], "k": params.signature.members["k"],
            **{name: In(1) for name in ("turn", "done", "room", "key_ready")},
            **{name: Out(1) for name in ("load_n", "load_xy", "key_sent", "operands_sent")},
            **{name: Out(params.pe_width) for name in "nxy"}, "arrivals": Out(ARRIVALS),
        })

    def elaborate(self, platform):
        m = Module()
        #          | idle | idle, and no room | operands come | a multiplication runs
        # key_open |  1   |         1         |       0       |           0
        # is_open  |  1   |         0         |       1       |           0
        # A word of operands is accepted if the key is whole besides.
        key_open, whole = Signal(name="key_open", init=1), Signal(name="whole")
        is_open = Signal()
        key, key_turn = Signal(name="key"), Signal(name="key_turn")
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
        loads_n, loads_xy = Signal(name="loads_n"), Signal(name="loads_xy")
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
        """Register words, hand out their parts, and return whether more parts come.

        ``loads`` is high in the clock before each part.
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
