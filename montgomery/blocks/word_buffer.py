"""A buffer that is filled and emptied in order, in memories shallow enough for one look-up table."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..core import ceil_div

__all__ = ["WordBuffer"]

#: Words in a distributed RAM of every family that has one (16 on ECP5, Nexus and Gowin).
BANK = 16


class _Pointer(wiring.Component):
    """Counts through the words of a buffer: a one-hot bank and an index in it.

    Members
    -------
    step, rewind : :py:`In(1)`
        Go to the next word, from the last to the first; go to the first.
    last : :py:`Out(1)`
        Points to the last word.
    bank : :py:`Out(banks)`
        One-hot.
    index : :py:`Out(range(BANK))`
        Word in the bank.
    """

    def __init__(self, depth):
        self.depth = depth
        super().__init__({
            "step": In(1),
            "rewind": In(1),
            "last": Out(1, init=depth == 1),
            "bank": Out(ceil_div(depth, BANK), init=1),
            "index": Out(range(BANK)),
        })

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(self.depth), init=self.depth - 1)
        bank_end = Signal()  # the index is the last of its bank
        with m.If(self.rewind | (self.step & self.last)):
            m.d.sync += [self.index.eq(0), self.bank.eq(1), bank_end.eq(0),
                         left.eq(self.depth - 1), self.last.eq(self.depth == 1)]
        with m.Elif(self.step):
            m.d.sync += [
                self.index.eq(self.index + 1),
                bank_end.eq(self.index == BANK - 2),
                left.eq(left - 1),
                self.last.eq(left == 1),
                self.bank.eq(Mux(bank_end, self.bank << 1, self.bank)),
            ]
        return m


class WordBuffer(wiring.Component):
    """Buffer of exactly ``depth`` words, each written once and then read once.

    The words are written without back-pressure, ``depth`` of them a round, and may be read while
    later ones are written. Reading takes two clocks, one to look a word up in its bank and one to
    choose the bank, so that depth costs no speed.

    Parameters
    ----------
    width : :class:`int`
        Bits a word.
    depth : :class:`int`
        Words in a round.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word.
    data : :py:`In(width)`
        See ``push``.
    full : :py:`Out(1)`
        The next word written is the last of the round.
    available : :py:`In(1)`
        Reading may go on: the next word to be read has been written.
    emptied : :py:`Out(1)`
        The last word is read now; ``available`` must fall, or the round starts again.
    rewind : :py:`In(1)`
        Drop what has been read ahead; the next word read is the first.
    last : :py:`Out(1)`
        The word at ``o`` is the last of the round.
    o : :py:`Out(stream.Signature(width))`
        The words; the first one two clocks after ``available`` rises.
    """

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({
            "push": In(1),
            "data": In(width),
            "full": Out(1),
            "available": In(1),
            "emptied": Out(1),
            "rewind": In(1),
            "last": Out(1),
            "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = _Pointer(self.depth)
        m.submodules.read = read = _Pointer(self.depth)
        step = Signal()
        found = Signal()  # a word has been looked up
        found_last = Signal()
        m.d.comb += [
            write.step.eq(self.push),
            self.full.eq(write.last),
            step.eq(~self.o.valid | self.o.ready),
            read.step.eq(step & self.available),
            read.rewind.eq(self.rewind),
            self.emptied.eq(read.step & read.last),
        ]
        looked_up = []
        for number in range(len(write.bank)):
            depth = min(BANK, self.depth - number * BANK)
            memory = Memory(shape=self.width, depth=depth, init=[])
            m.submodules[f"bank_{number}"] = memory
            write_port, read_port = memory.write_port(), memory.read_port(domain="comb")
            m.d.comb += [
                write_port.addr.eq(write.index),
                write_port.data.eq(self.data),
                write_port.en.eq(self.push & write.bank[number]),
                read_port.addr.eq(read.index),
            ]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            with m.If(step):
                m.d.sync += word.eq(Mux(read.bank[number], read_port.data, 0))
            looked_up.append(word)
        payload = Signal(self.width, reset_less=True)
        with m.If(step):
            m.d.sync += [
                found.eq(self.available),
                found_last.eq(read.last),
                self.o.valid.eq(found),
                self.last.eq(found_last),
                payload.eq(reduce(or_, looked_up)),
            ]
        with m.If(self.rewind):
            m.d.sync += Cat(found, self.o.valid).eq(0)
        m.d.comb += self.o.payload.eq(payload)
        return m
