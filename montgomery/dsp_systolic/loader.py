"""What takes the words of keys and of operations, and says where they belong."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer

__all__ = ["Loader"]


class Loader(wiring.Component):
    """Goes through the parts of a key, and through the base of an exponentiation.

    An operation begins in the clock after one in which it was offered, and no key was: so a key
    that is offered goes before an operation that has not begun.

    Latency: none; a word goes to its place in the clock in which it is accepted. Throughput: a word
    per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    parts : dict from :class:`str` to :class:`int`
        The parts of a key, in order, and their words.
    digits : :class:`int`
        Words of a base.

    Members
    -------
    i, k : :py:`In(stream.Signature(width))`
        Bases; keys.
    resting : :py:`In(1)`
        Nothing is computed: a key is accepted, or all of a base.
    empty : :py:`In(1)`
        The result before has been taken.
    known : :py:`In(1)`
        The key that was received may be used.
    word : :py:`Out(width)`
    index : :py:`Out(...)`
        Place of the word in its part, or in the base.
    last : :py:`Out(1)`
        It is the last word of its part.
    of : :py:`Out(...)`
        A word moves, of this part of a key, or of the ``base``.
    keyed, based : :py:`Out(1)`
        It is the last word of a key, or of a base.
    renew : :py:`Out(1)`
        It is a word of a key.
    """

    def __init__(self, width, parts, digits):
        self.parts, self.digits = parts, digits
        most = max(digits, *parts.values())
        super().__init__({
            "i": In(stream.Signature(width)), "k": In(stream.Signature(width)),
            "resting": In(1), "empty": In(1), "known": In(1), "word": Out(width),
            "index": Out(range(most)), "last": Out(1),
            "of": Out(data.StructLayout(dict.fromkeys((*parts, "base"), 1))),
            "keyed": Out(1), "based": Out(1), "renew": Out(1)})

    def elaborate(self, platform):
        m = Module()
        index = Signal.like(self.index, name="place")
        m.submodules.base = base = Pointer(self.digits)
        begun = Signal(name="key_begun")
        open_ = Signal(name="open")
        m.d.comb += [
            self.k.ready.eq(self.resting & base.first & ~open_),
            self.i.ready.eq(~base.first | open_),
            self.renew.eq(self.k.valid & self.k.ready),
            base.step.eq(self.i.valid & self.i.ready), self.of.base.eq(base.step),
            self.based.eq(base.step & base.last),
            self.word.eq(Mux(base.step, self.i.payload, self.k.payload)),
            self.index.eq(index),
        ]
        m.d.sync += open_.eq(self.resting & self.known & self.empty & ~begun & self.i.valid
                             & ~self.k.valid & ~base.step)
        moves = base.step | self.renew
        with m.If(moves):
            m.d.sync += index.eq(Mux(self.last, 0, index + 1))
        with m.If(self.renew):
            m.d.sync += begun.eq(~self.keyed)
        names = list(self.parts)
        # Words of the part after the next one: -1 with the last word, whatever their number.
        left = Signal(range(-1, max(self.parts.values())), name="words_left",
                      init=self.parts[names[0]] - 2)
        ends = left < 0
        with m.If(self.renew):
            m.d.sync += left.eq(left - 1)
        m.d.comb += self.last.eq(Mux(base.step, base.last, ends))
        with m.FSM(name="part"):
            for name, following in zip(names, [*names[1:], names[0]], strict=True):
                with m.State(name.upper()):
                    m.d.comb += self.of[name].eq(self.renew)
                    with m.If(self.renew & ends):
                        m.d.sync += left.eq(self.parts[following] - 2)
                        m.next = following.upper()
                    if name == names[-1]:
                        m.d.comb += self.keyed.eq(self.renew & ends)
        return m
