"""A buffer that is read from its beginning as often as it is wanted."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.memory_ports import read_port, write_port
from ..blocks.word_buffer import BANK, Pointer

__all__ = ["Store"]


class Store(wiring.Component):
    """Keeps ``depth`` words and hands them out in order, one per clock, until others are written.

    A word may be read one clock after it was written. The latency is one clock, and the choice of a
    bank of the memory comes behind it, so that the receiver must register ``word``.

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
        words = []
        for number in range(len(write.bank)):
            memory = Memory(shape=self.width, depth=min(BANK, self.depth - number * BANK), init=[])
            m.submodules[f"bank_{number}"] = memory
            put = write_port(memory, "$signature")
            get = read_port(memory, "read_port", domain="comb")
            m.d.comb += [
                put.addr.eq(write.index),
                put.data.eq(self.data),
                put.en.eq(self.push & write.bank[number]),
                get.addr.eq(place.index),
            ]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            chosen = Signal(name=f"chosen_{number}", reset_less=True)
            m.d.sync += [word.eq(get.data), chosen.eq(place.bank[number])]
            words.append(gate(chosen, word))
        m.d.comb += self.word.eq(reduce(or_, words))
        return m
