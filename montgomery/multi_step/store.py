"""A buffer that is read from its beginning as often as it is wanted."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer, choose, look_up

__all__ = ["Store"]


class Store(wiring.Component):
    """Keeps ``depth`` words and hands them out in order, one per clock, until others are written.

    A word may be read one clock after it was written. The latency is one clock, and the choice of a
    bank of the memory comes behind it, so that the receiver must register ``word``.

    Throughput: one word is written and one is read per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    depth : :class:`int`
        Number of words.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word; the first follows the last.
    data : :py:`In(width)`
        See ``push``.
    full : :py:`Out(1)`
        The next word written is the last.
    read : :py:`In(1)`
        Read the next word; the first one if this was low in the clock before.
    valid : :py:`Out(1)`
        A word was read in the clock before.
    first, last : :py:`Out(1)`
        It is the first; the last.
    word : :py:`Out(width)`
        The word.
    """

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({
            "push": In(1), "data": In(width), "full": Out(1),
            "read": In(1), "valid": Out(1), "first": Out(1), "last": Out(1), "word": Out(width),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.place = place = Pointer(self.depth)
        m.d.comb += [
            write.step.eq(self.push), self.full.eq(write.last),
            place.step.eq(1), place.rewind.eq(~self.read),
        ]
        m.d.sync += [
            self.valid.eq(self.read), self.first.eq(self.read & place.first),
            self.last.eq(self.read & place.last),
        ]
        words = look_up(m, self.width, self.depth, write=write, read=place, push=self.push,
                        data=self.data)
        m.d.comb += self.word.eq(choose(m, words, place.bank))
        return m
