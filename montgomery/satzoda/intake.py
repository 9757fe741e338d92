"""Keys and operands on their way into a bit-serial multiplier."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Intake"]


class Intake(wiring.Component):
    """Accepts words of keys and of operands in their turn, and cuts them into narrower ones.

    A key is accepted while no multiplication is under way, and goes before the next one. After that
    and before the modulus is complete, no multiplication begins.

    Latency: an accepted word goes on in the next clock, in ``ratio`` parts, a part a clock.
    Throughput: a word in every turn. ``ready`` of either stream comes from registers, but that a
    key goes first.

    Parameters
    ----------
    width : :class:`int`
        Bits per narrow word.
    ratio : :class:`int`
        Narrow words in a word of port ``k``; in one of port ``i`` there are so many of x, and above
        them as many of y.

    Members
    -------
    i, k : streams
        As those of the core.
    turn : :py:`In(1)`
        A word may be accepted now.
    last : :py:`In(1)`
        It is the last one of its number.
    released : :py:`In(1)`
        The multiplication needs neither x nor y nor the modulus in the places whose turn comes.
    room : :py:`In(1)`
        There is room for the result of another multiplication.
    accepted : :py:`Out(1)`
        A word is accepted.
    operand : :py:`Out(1)`
        It is one of operands.
    begins : :py:`Out(1)`
        It is the first one of a multiplication.
    complete : :py:`Out(1)`
        It is the last one of a multiplication.
    load_n, load_xy : :py:`Out(1)`
        ``n`` is a word of the modulus; ``x`` and ``y`` are words of operands.
    first : :py:`Out(1)`
        The latter are the first ones.
    n, x, y : :py:`Out(width)`
        See above.
    """

    def __init__(self, width, ratio):
        self.width = width
        self.ratio = ratio
        super().__init__({
            "i": In(stream.Signature(2 * width * ratio)), "k": In(stream.Signature(width * ratio)),
            "turn": In(1), "last": In(1), "released": In(1), "room": In(1),
            "accepted": Out(1), "operand": Out(1), "begins": Out(1), "complete": Out(1),
            "load_n": Out(1), "load_xy": Out(1), "first": Out(1),
            "n": Out(width), "x": Out(width), "y": Out(width),
        })

    def elaborate(self, platform):
        m = Module()
        #          | idle | idle, and no room | operands come | a multiplication runs
        # key_open |  1   |         1         |       0       |           0
        # is_open  |  1   |         0         |       1       |           0
        # A word of operands is accepted if the key is whole besides.
        key_open, whole = Signal(name="key_open", init=1), Signal(name="whole")
        is_open = Signal(name="is_open")
        key = Signal(name="key")
        m.d.comb += [
            self.k.ready.eq(self.turn & key_open),
            self.i.ready.eq(self.turn & is_open & whole & ~(key_open & self.k.valid)),
            key.eq(self.turn & key_open & self.k.valid),
            self.operand.eq(self.i.ready & self.i.valid),
            self.accepted.eq(key | (self.turn & is_open & whole & self.i.valid)),
            self.begins.eq(self.operand & key_open),
            self.complete.eq(self.operand & self.last),
        ]
        m.d.sync += [
            key_open.eq((key_open & ~self.operand) | self.released),
            whole.eq(Mux(key, self.last, whole)),
            is_open.eq((is_open | (key_open & self.room)) & ~self.complete),
            self.first.eq(self.begins),
        ]
        size = self.width * self.ratio
        self._cut(m, key, self.load_n, [(self.n, self.k.payload)])
        self._cut(m, self.operand, self.load_xy,
                  [(self.x, self.i.payload[:size]), (self.y, self.i.payload[size:])])
        return m

    def _cut(self, m, accepted, load, words):
        """Register words, and hand out their parts."""
        name = load.name
        if self.ratio == 1:
            m.d.sync += load.eq(accepted)
        else:
            parts = Signal(self.ratio - 1, name=f"{name}_parts")  # still to come
            m.d.sync += [parts.eq(Mux(accepted, (1 << len(parts)) - 1, parts >> 1)),
                         load.eq(accepted | parts.any())]
        for part, payload in words:
            held = Signal(len(payload), name=f"{part.name}_held", reset_less=True)
            m.d.comb += part.eq(held)
            m.d.sync += held.eq(payload if self.ratio == 1 else
                                Mux(accepted, payload, held >> self.width))
