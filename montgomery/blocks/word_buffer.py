"""A buffer that is filled and emptied in order, in memories that fit one look-up table per bit."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..core import ceil_div
from .carry_save import gate
from .memory_ports import read_port, write_port

__all__ = ["Pointer", "WordBuffer"]

#: Words in a distributed RAM of every family that has one (16 on ECP5, Nexus and Gowin).
BANK = 16


class Pointer(wiring.Component):
    """Counts through the words of a buffer: a one-hot bank and an index in it.

    Members
    -------
    step, rewind : :py:`In(1)`
        Go to the next word, the first follows the last; with ``rewind``, go to the first instead.
    first, last : :py:`Out(1)`
        Points to the first word; to the last word.
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
            "first": Out(1, init=1),
            "last": Out(1, init=depth == 1),
            "bank": Out(ceil_div(depth, BANK), init=1),
            "index": Out(range(BANK)),
        })

    def elaborate(self, platform):
        m = Module()
        bank_end = Signal(name="bank_end")  # the index is the last of its bank
        bank_ends = self.index == BANK - 2
        if self.depth % BANK == BANK - 1:
            # The last word has this index too, and the first one follows it.
            bank_ends &= ~self.last
        with m.If(self.step):
            m.d.sync += [
                self.first.eq(self.last),
                self.index.eq(Mux(self.last, 0, self.index + 1)),
                bank_end.eq(bank_ends),
            ]
            if self.depth > 1:
                before_bank, before_index = divmod(self.depth - 2, BANK)
                m.d.sync += self.last.eq(self.bank[before_bank] & (self.index == before_index))
            if len(self.bank) > 1:
                # In gates, since a multiplexer here would become a clock enable, and slower.
                leaves = self.last | bank_end
                m.d.sync += self.bank.eq(gate(leaves, self.bank.rotate_left(1))
                                         | gate(~leaves, self.bank))
            with m.If(self.rewind):
                m.d.sync += [self.index.eq(0), self.bank.eq(1), bank_end.eq(0),
                             self.first.eq(1), self.last.eq(self.depth == 1)]
        return m


class WordBuffer(wiring.Component):
    """Buffer of exactly ``depth`` words, each written once and then read once.

    The words are written without back-pressure and may be read while later ones are written.
    Reading takes two clocks, one to look a word up in its bank and one to choose the bank, so that
    depth costs no speed.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    depth : :class:`int`
        Words in the buffer.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word; the first follows the last.
    data : :py:`In(width)`
        See ``push``.
    full : :py:`Out(1)`
        The next word written is the last.
    available : :py:`In(1)`
        The words may be read. While this is low, what has been read ahead is dropped, and the next
        word read is the first. Low for two clocks, or for one when no word waits at ``o``.
    last : :py:`Out(1)`
        The word at ``o`` is the last.
    o : :py:`Out(stream.Signature(width))`
        The words, once each; the first one two clocks after ``available`` rises.
    """

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({
            "push": In(1),
            "data": In(width),
            "full": Out(1),
            "available": In(1),
            "last": Out(1),
            "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.read = read = Pointer(self.depth)
        step = Signal(name="step")
        done = Signal(name="done")  # all words have been looked up
        found = Signal(name="found")  # a word has been looked up
        found_last = Signal(name="found_last", reset_less=True)
        valid = Signal(name="valid")
        last = Signal(name="last", reset_less=True)
        m.d.comb += [
            write.step.eq(self.push),
            self.full.eq(write.last),
            step.eq(~self.o.valid | self.o.ready),
            read.step.eq(step),
            read.rewind.eq(~self.available),
        ]
        looked_up = []
        for number in range(len(write.bank)):
            depth = min(BANK, self.depth - number * BANK)
            memory = Memory(shape=self.width, depth=depth, init=[])
            m.submodules[f"bank_{number}"] = memory
            put = write_port(memory, "$signature")
            get = read_port(memory, "read_port", domain="comb")
            m.d.comb += [
                put.addr.eq(write.index),
                put.data.eq(self.data),
                put.en.eq(self.push & write.bank[number]),
                get.addr.eq(read.index),
            ]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            chosen = Signal(name=f"chosen_{number}", reset_less=True)
            with m.If(step):
                m.d.sync += [word.eq(get.data), chosen.eq(read.bank[number])]
            looked_up.append(gate(chosen, word))
        payload = Signal(self.width, name="payload", reset_less=True)
        with m.If(step):
            m.d.sync += [
                found_last.eq(read.last),
                last.eq(found_last),
                payload.eq(reduce(or_, looked_up)),
            ]
        # In gates, since clear and enable together would be slower.
        m.d.sync += [
            found.eq(self.available & ((step & ~done) | (~step & found))),
            done.eq(self.available & (done | (step & read.last))),
            valid.eq(self.available & ((step & found) | (~step & valid))),
        ]
        m.d.comb += [self.o.payload.eq(payload), self.o.valid.eq(valid), self.last.eq(last)]
        return m
