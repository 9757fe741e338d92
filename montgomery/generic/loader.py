"""Takes the words of keys to where they belong."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate

__all__ = ["KeyLoader"]


class KeyLoader(wiring.Component):
    """Goes through the parts of keys.

    Latency: a word that is accepted is at ``word`` one clock later. Throughput: a word per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    parts : dict from :class:`str` to :class:`int`
        The parts of a key, in order, and their words.
    own : :class:`int`
        Number of the first parts that the multiplier takes.

    Members
    -------
    k : :py:`In(stream.Signature(width))`
        The words of keys.
    open : :py:`In(1)`
        A key may begin. After the last word of one it goes low in the second clock at the latest.
    multiplier : :py:`Out(stream.Signature(width))`
        Those words of a key that the multiplier takes.
    begins, ends : :py:`Out(1)`
        The first word of a key is accepted; the last one was, in the clock before.
    word : :py:`Out(width)`, index : :py:`Out(range(most))`
        The word that was accepted in the clock before, and its place in its part.
    of : :py:`Out(data.StructLayout(...))`
        That part, by its name.
    """

    def __init__(self, width, parts, own):
        self._parts, self._own = parts, own
        super().__init__({
            "k": In(stream.Signature(width)), "open": In(1),
            "multiplier": Out(stream.Signature(width)), "begins": Out(1), "ends": Out(1),
            "word": Out(width), "index": Out(range(max(*parts.values(), 2))),
            "of": Out(data.StructLayout(dict.fromkeys(parts, 1)))})

    def elaborate(self, platform):
        m = Module()
        counts = list(self._parts.values())
        part = Signal(len(counts), name="part", init=1)  # one-hot
        # Words of the part after the next one: -1 with the last word.
        left = Signal(range(-1, max(*counts, 2)), name="left", init=counts[0] - 2)
        place = Signal.like(self.index, name="place")
        begun = Signal(name="begun")
        own = part[:self._own].any()
        accepts, takes, last = (Signal(name=name) for name in ("accepts", "takes", "last"))
        m.d.comb += [
            accepts.eq((self.open & ~self.ends) | begun),
            self.k.ready.eq(accepts & (~own | self.multiplier.ready)),
            self.multiplier.valid.eq(self.k.valid & accepts & own),
            self.multiplier.payload.eq(self.k.payload),
            takes.eq(self.k.valid & self.k.ready), last.eq(left < 0),
            self.begins.eq(takes & ~begun),
        ]
        m.d.sync += [self.word.eq(self.k.payload), self.index.eq(place),
                     self.of.eq(gate(takes, part)), self.ends.eq(takes & last & part[-1])]
        with m.If(takes):
            m.d.sync += [begun.eq(~(last & part[-1])), place.eq(Mux(last, 0, place + 1)),
                         left.eq(left - 1)]
            with m.If(last):
                m.d.sync += part.eq(part.rotate_left(1))
                for number, count in enumerate(counts):
                    with m.If(part[number - 1]):
                        m.d.sync += left.eq(count - 2)
        return m
