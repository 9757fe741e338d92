"""Buffers of words in memories that fit one look-up table per bit, and words gathered from many."""

import contextlib
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from ..core import ceil_div
from .carry_save import gate
from .values import signals

__all__ = ["BANK", "Gather", "Pointer", "WordBuffer", "choose", "look_up"]

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


class WordBuffer(wiring.Component):
    """Buffer of numbers of ``depth`` words each, which are written and read in order.

    A number is written without back-pressure, and may be read while its later words are written.
    Reading takes two clocks, one to look a word up in its bank and one to choose the bank, so that
    depth costs no speed.

    With ``turns``, the buffer is a queue of so many numbers, and each is read once. All words of
    one have to be written in clocks that follow one another: reading does not wait. Without, it has
    one number, which is read from its first word as often as ``available`` has been low.

    Latency: a number is at ``o`` two clocks after ``available`` rises, or :attr:`LATENCY` clocks
    after its first word was at ``data`` of an empty queue. Throughput: one word is written and one
    is read per clock.

    ``turns`` is 0, 1 or 2. Unless ``registered``, words are at ``o`` a clock earlier, behind gates,
    and ``o.ready`` has to stay high.
    """

    LATENCY = 3

    def __init__(self, width, depth, *, turns=0, registered=True):
        self.width = width
        self.depth = depth
        self.turns = turns
        self.registered = registered
        super().__init__({
            # Write ``data`` as the next word; the first word of a number follows the last one.
            "push": In(1), "data": In(width),
            "full": Out(1),  # the next word written is the last
            # Only without ``turns``: the number may be read. While this is low, what has been read
            # ahead is dropped, and the next word read is the first. Only with ``turns``: there is
            # room for one more number.
            **({"freed": Out(1)} if turns else {"available": In(1)}),
            # The word at ``o`` is the last of its number. It means nothing while there is no word.
            "last": Out(1),
            "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.read = read = Pointer(self.depth)
        step = Signal()
        found = Signal()  # a word has been looked up
        found_last = Signal(reset_less=True)
        m.d.comb += [write.step.eq(self.push), self.full.eq(write.last)]
        more, keeps, halves = (self._queue if self.turns else self._replay)(m, write, read, step)
        words = look_up(m, self.width, self.depth, write=write, read=read, push=self.push,
                        data=self.data, turns=halves)
        word = choose(m, words, read.bank, enable=step)
        # In gates, since clear and enable together would be slower.
        m.d.sync += found.eq(keeps & ((step & more) | (~step & found)))
        with m.If(step):
            m.d.sync += found_last.eq(read.last)
        if not self.registered:
            m.d.comb += [step.eq(1), self.o.valid.eq(found), self.o.payload.eq(word),
                         self.last.eq(found_last)]
            return m
        valid, last = Signal(name="valid"), Signal(name="last", reset_less=True)
        payload = Signal(self.width, reset_less=True)
        m.d.sync += valid.eq(keeps & ((step & found) | (~step & valid)))
        with m.If(step):
            m.d.sync += [last.eq(found_last), payload.eq(word)]
        m.d.comb += [step.eq(~valid | self.o.ready), self.o.valid.eq(valid),
                     self.o.payload.eq(payload), self.last.eq(last)]
        return m

    def _replay(self, m, write, read, step):
        """Say whether there is a word to look up, and whether those found are kept."""
        done = Signal()  # all words have been looked up
        m.d.sync += done.eq(self.available & (done | (step & read.last)))
        m.d.comb += [read.step.eq(step | ~self.available), read.rewind.eq(~self.available)]
        return ~done, self.available, None

    def _queue(self, m, write, read, step):
        """Say the same, and which half of the memory is written, and which is read."""
        # Numbers that are there and not looked up as a whole: one-hot from below, at least so many.
        waiting = Signal(self.turns)
        begins = Signal()
        m.d.comb += [begins.eq(self.push & write.first), read.step.eq(step & waiting[0]),
                     self.freed.eq(read.step & read.last)]
        # In gates, since a clock enable would come later still.
        left = gate(~self.freed, waiting) | gate(self.freed, waiting >> 1)
        m.d.sync += waiting.eq(gate(~begins, left) | gate(begins, Cat(1, left[:-1])))
        if self.turns == 1:
            return waiting[0], 1, None
        write_half, read_half = signals("write_half read_half")
        m.d.sync += [write_half.eq(write_half ^ (self.push & write.last)),
                     read_half.eq(read_half ^ self.freed)]
        return waiting[0], 1, (write_half, read_half)


class Gather(wiring.Component):
    """Brings words that are chosen one per clock to one place.

    Latency: :meth:`latency_of`. Throughput: a word per clock.
    """

    #: Words that are brought together in the first clock, in two levels of gates.
    GROUP = 8

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({
            "words": In(width).array(count),
            "chosen": In(count),  # at most one bit is high
            "word": Out(width),  # the word that was chosen, or 0
        })

    @classmethod
    def latency_of(cls, count):
        """Return the clocks through the gates of ``count`` words."""
        latency, left = 1, ceil_div(count, cls.GROUP)
        while left > 1:
            latency, left = latency + 1, ceil_div(left, 4)
        return latency

    def elaborate(self, platform):
        m = Module()
        level = [gate(self.chosen[index], self.words[index]) for index in range(self.count)]
        fan_in = self.GROUP
        while True:
            joined = []
            for start in range(0, len(level), fan_in):
                word = Signal(self.width, reset_less=True)
                m.d.sync += word.eq(reduce(or_, level[start:start + fan_in]))
                joined.append(word)
            level, fan_in = joined, 4
            if len(level) == 1:
                break
        m.d.comb += self.word.eq(level[0])
        return m
