"""Buffers in memories that fit one look-up table per bit: banks, and what points to their words."""

import contextlib
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from ..core import ceil_div
from .carry_save import gate

__all__ = ["BANK", "Pointer", "choose", "look_up"]

#: Words in a distributed RAM of every family that has one (16 on ECP5, Nexus and Gowin).
BANK = 16


class Pointer(wiring.Component):
    """Counts through the words of a buffer: a one-hot bank and an index in it.

    Latency: all outputs change in the clock after ``step``. Throughput: a step per clock.
    """

    def __init__(self, depth):
        self.depth = depth
        super().__init__({
            # Go to the next word, the first follows the last; with ``rewind``, go to the first
            # instead.
            "step": In(1), "rewind": In(1),
            # Points to the first word; to the last word.
            "first": Out(1, init=1), "last": Out(1, init=depth == 1),
            "bank": Out(ceil_div(depth, BANK), init=1),  # one-hot
            "index": Out(range(BANK)),  # word in the bank
        })

    def elaborate(self, platform):
        m = Module()
        bank_end = Signal()  # the index is the last of its bank
        bank_ends = self.index == BANK - 2
        if self.depth > BANK and self.depth % BANK == BANK - 1:
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


def look_up(m, width, depth, *, write, read, push, data, turns=None):
    """Add the banks of a buffer to a module, and return the word of each that is looked up.

    ``data`` is written where ``write`` points while ``push``, and words are looked up where
    ``read`` does, whose ``bank`` tells which is meant. With ``turns``, a pair, there is room for
    two times ``depth`` words: which half is written, and which is looked up.
    """
    words = []
    for number in range(len(write.bank)):
        words_here = min(BANK, depth - number * BANK)
        to, at = write.index, read.index
        if turns is not None:
            bits = ceil_log2(words_here)
            words_here = 2 << bits
            to, at = Cat(to[:bits], turns[0]), Cat(at[:bits], turns[1])
        memory = Memory(shape=width, depth=words_here, init=[])
        m.submodules[f"bank_{number}"] = memory
        put = memory.write_port()
        get = memory.read_port(domain="comb")
        m.d.comb += [put.addr.eq(to), put.data.eq(data), put.en.eq(push & write.bank[number]),
                     get.addr.eq(at)]
        words.append(get.data)
    return words


def choose(m, words, bank, *, enable=None):
    """Return the word of the one-hot ``bank``, a clock later, of those of :func:`look_up`.

    The choice is one of gates behind registers, so that the receiver must register the word. While
    ``enable`` is low, if it is given, the registers stay.
    """
    def register(value, name):
        signal = Signal(len(value), name=name, reset_less=True)
        with contextlib.nullcontext() if enable is None else m.If(enable):
            m.d.sync += signal.eq(value)
        return signal

    found = [register(word, f"word_{number}") for number, word in enumerate(words)]
    if len(found) == 1:
        return found[0]
    return reduce(or_, (gate(register(bank[number], f"chosen_{number}"), word)
                        for number, word in enumerate(found)))
