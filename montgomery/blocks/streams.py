"""Streams of words, the least significant one first: of other widths, and through registers."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["DigitQueue", "Narrow", "Skid", "Widen"]


class Narrow(wiring.Component):
    """Splits each word into ``ratio`` narrower ones, without a gap between words.

    Latency: the first narrow word is at ``o`` one clock after the wide word was accepted.
    Throughput: a narrow word per clock.

    A wide word has ``ratio`` words of ``width`` bits, 2 or more.
    """

    def __init__(self, width, ratio):
        self.width = width
        self.ratio = ratio
        super().__init__({
            "i": In(stream.Signature(width * ratio)), "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        data = Signal(self.width * self.ratio, reset_less=True)
        # One-hot from the top: left[0] marks the last narrow word.
        left = Signal(self.ratio)
        m.d.comb += [
            self.o.valid.eq(left.any()),
            self.o.payload.eq(data[:self.width]),
            self.i.ready.eq(~left.any() | (left[0] & self.o.ready)),
        ]
        with m.If(self.i.ready):
            m.d.sync += left.eq(self.i.valid << (self.ratio - 1))
        with m.Elif(self.o.ready):
            m.d.sync += left.eq(left >> 1)
        with m.If(self.i.ready):
            m.d.sync += data.eq(self.i.payload)
        with m.Elif(self.o.ready):
            m.d.sync += data.eq(data >> self.width)
        return m


class Widen(wiring.Component):
    """Joins ``ratio`` words into a wider one, without a gap between words.

    Latency: a wide word is at ``o`` one clock after its last narrow word was accepted. Throughput:
    a narrow word per clock.

    A wide word has ``ratio`` words of ``width`` bits, 2 or more.
    """

    def __init__(self, width, ratio):
        self.width = width
        self.ratio = ratio
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width * ratio)),
        })

    def elaborate(self, platform):
        m = Module()
        data = Signal(self.width * self.ratio, reset_less=True)
        # One-hot count of the narrow words held.
        filled = Signal(self.ratio + 1, init=1)
        m.d.comb += [
            self.o.valid.eq(filled[-1]),
            self.o.payload.eq(data),
            self.i.ready.eq(~filled[-1] | self.o.ready),
        ]
        with m.If(self.i.ready & self.i.valid):
            m.d.sync += data.eq(Cat(data, self.i.payload) >> self.width)
            m.d.sync += filled.eq(Cat(C(0, 1), filled[-1] | filled[0], filled[1:-1]))
        with m.Elif(self.i.ready):
            m.d.sync += filled.eq(Cat(filled[-1] | filled[0], filled[1:-1], C(0, 1)))
        return m


class Skid(wiring.Component):
    """Queue of two words: ``i.ready``, ``o.valid`` and ``o.payload`` come from registers.

    Latency: a word is at ``o`` one clock after it was accepted. Throughput: a word per clock.
    """

    LATENCY = 1

    def __init__(self, width):
        self.width = width
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        ready = Signal(init=1)
        valid = Signal()
        payload, spare = (Signal(self.width, name=name, reset_less=True)
                          for name in ("payload", "spare"))
        m.d.comb += [self.i.ready.eq(ready), self.o.valid.eq(valid), self.o.payload.eq(payload)]
        moves = Signal()
        m.d.comb += moves.eq(self.o.ready | ~valid)
        m.d.sync += ready.eq(moves | (ready & ~self.i.valid))
        with m.If(ready):
            m.d.sync += spare.eq(self.i.payload)
        with m.If(moves):
            m.d.sync += [valid.eq(self.i.valid | ~ready),
                         payload.eq(Mux(ready, self.i.payload, spare))]
        return m


#: Words of a memory: more of them in one would be chosen from in the clock that reads them.
_BANK = 32


class DigitQueue(wiring.Component):
    """First in, first out; what is pushed without room is lost.

    A word passes through a memory, where those of each bank are next read into a register, and then
    chosen from these. Whether one is read does not depend on the receiver, so that ``o.ready`` has
    few gates to pass.

    Latency: a word is at ``o`` a clock after it was pushed if there is none before it, and else
    four clocks or more. Throughput: a word is pushed per clock; one is taken every other clock, or
    per clock while none waits.

    There is room for ``depth`` words besides the one at ``o``.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({"push": In(1), "data": In(width), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        valid = Signal(name="valid")
        payload = Signal(self.width, name="payload", reset_less=True)
        stored = Signal(name="stored")  # words are in the memory
        read = Signal(name="read")  # one has been read from it
        written = Signal(name="written")  # one was written in the clock before
        some = Signal(name="some")
        moves = Signal(name="moves")  # there will be room at ``o``
        passes = Signal(name="passes")  # a word goes there at once
        push, fetch = Signal(name="push"), Signal(name="fetch")
        m.d.comb += [
            some.eq(stored | read | written), moves.eq(~valid | self.o.ready),
            passes.eq(self.push & moves & ~some), push.eq(self.push & ~(moves & ~some)),
            fetch.eq(stored & ~read),
            self.o.valid.eq(valid), self.o.payload.eq(payload),
        ]
        m.d.sync += [read.eq(fetch | (read & ~moves)), written.eq(push)]

        level = Signal(range(self.depth + 1), name="level")
        with m.If(written & ~fetch):
            m.d.sync += [level.eq(level + 1), stored.eq(1)]
        with m.If(~written & fetch):
            m.d.sync += [level.eq(level - 1), stored.eq(level != 1)]

        # -- Banks, in order.
        to, of = (Signal(range(self.depth), name=name) for name in ("to", "of"))
        inner = (_BANK - 1).bit_length()
        heads, firsts = [], range(0, self.depth, _BANK)
        chosen_to = Signal(len(firsts), name="chosen_to", init=1)  # one-hot
        for place, step in ((to, push), (of, fetch)):
            with m.If(step):
                m.d.sync += place.eq(Mux(place == self.depth - 1, 0, place + 1))
        if len(firsts) > 1:
            with m.If(push & (to[:inner].all() | (to == self.depth - 1))):
                m.d.sync += chosen_to.eq(chosen_to.rotate_left(1))
        for index, first in enumerate(firsts):
            bank = Memory(shape=self.width, depth=min(_BANK, self.depth - first), init=[])
            m.submodules[f"bank_{index}"] = bank
            write, get = bank.write_port(), bank.read_port(domain="comb")
            head = Signal(self.width, name=f"head_{index}", reset_less=True)
            # What passes at once is written too, and overwritten by the next word.
            m.d.comb += [write.addr.eq(to[:inner]), write.data.eq(self.data),
                         write.en.eq(self.push & chosen_to[index]), get.addr.eq(of[:inner])]
            with m.If(fetch):
                m.d.sync += head.eq(get.data)
            heads.append(head)
        chosen = Signal(range(len(heads)), name="chosen", reset_less=True)
        with m.If(fetch):
            m.d.sync += chosen.eq(of[inner:])
        with m.If(moves):
            m.d.sync += [valid.eq(read | passes),
                         payload.eq(Mux(read, Array(heads)[chosen], self.data))]
        return m
