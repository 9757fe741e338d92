"""What is around a processor in each core."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.values import signals
from ..core import Core
from .processor import Processor

__all__ = ["NumberLoader", "Sender", "SingleDspCore"]


class NumberLoader(wiring.Component):
    """Writes the numbers of keys and of operations to the memory of a processor.

    A key begins with a word that is the number of digits of each number, less one. Upper bits for
    which the memory has no room are ignored, so that every word stands for some number of digits.
    ``lead`` words, -1/M and M follow, then the other numbers of the key, of which there are
    ``key_numbers`` with M, a power of two less one. M goes to part 1, the others to the parts after
    it, and the ``numbers`` of an operation to the parts after the key. The highest digit of each
    number gets its flag here.

    Latency and throughput: a word is taken every :attr:`PERIOD` clocks at most, and is in the
    memory three clocks later. To take a word in every clock would be the slowest path of a core.
    """

    PERIOD = 2

    def __init__(self, width, index_width, *, key_numbers, numbers, lead=0):
        self._lead = lead
        self._first, self._final = 1 + key_numbers, key_numbers + numbers
        super().__init__({
            "i": In(stream.Signature(width)),
            "k": In(stream.Signature(width)),
            "free": In(1),  # an operation may begin
            "done": In(1),  # the one that was ``loaded`` needs its numbers and its key no longer
            # Index of the highest digit. It stays, and so do numbers, from ``loaded`` to ``done``.
            "last": Out(index_width),
            "lead_any": Out(1),  # a word in front of -1/M is not 0
            "loaded": Out(1),  # all numbers of an operation were written
            # For the processor.
            "write": Out(1),
            "part": Out(range(self._final + 1)),
            "index": Out(index_width),
            "data": Out(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        last, index = (Signal.like(port, name=port.name, reset_less=True)
                       for port in (self.last, self.index))
        following = Signal.like(index, name="following", reset_less=True)  # one above the index
        data = Signal.like(self.data, name="data", reset_less=True)
        part = self.part
        keyed = part[-1]  # there is a key, and the part is that of an operation
        # The next word of a key is its first; no operation is computed, or none has begun.
        header, free = (Signal(name=name, init=1) for name in ("header", "free"))
        begun = Signal()
        key_offered = Signal(name="key_offered")  # in the clock before
        # This word is -1/M, or one in front of it; it is -1/M, or a number's highest digit.
        before, highest = signals("before highest")
        # A word is taken in one clock, and what that changes is changed in the next.
        takes_k, takes_i, numeral, ends, took = signals("takes_k takes_i numeral ends took")
        # It was the header; or the last one of a number.
        starts, restarts = signals("starts restarts")
        m.d.comb += [
            self.k.ready.eq(~took & (~header | (free & ~begun & (key_offered | ~self.i.valid)))),
            self.i.ready.eq(~took & free & keyed & (begun | (self.free & ~key_offered))),
            takes_k.eq(self.k.ready & self.k.valid), takes_i.eq(self.i.ready & self.i.valid),
            numeral.eq(takes_i | (takes_k & ~header)),
            ends.eq(takes_i & highest & (part == self._final)),
            self.index.eq(index), self.last.eq(last), self.data.eq(data),
        ]
        # Part and index stay for the clock after.
        m.d.sync += [self.write.eq(numeral),
                     data.eq(Cat(Mux(header, self.i.payload, self.k.payload), highest))]
        m.d.sync += [
            key_offered.eq(self.k.valid), took.eq(takes_k | takes_i), starts.eq(takes_k & header),
            restarts.eq(numeral & (highest if self._lead else before | highest)),
            self.loaded.eq(ends),
            header.eq((header | (restarts & (part == self._first - 1))) & ~starts),
            before.eq(starts | (before & ~restarts)),
            free.eq((free & ~ends) | self.done), begun.eq((begun | takes_i) & ~ends),
        ]
        with m.If(takes_k & header):
            m.d.sync += last.eq(self.k.payload)
        with m.If(restarts):
            m.d.sync += part.eq(Mux(part == self._final, self._first, part + 1))
        with m.If(starts):  # -1/M goes to the place before M
            m.d.sync += part.eq(0)
        # Known in time, since an index stays for two clocks or more.
        is_highest, all_are = signals("is_highest all_are", reset_less=True)
        ends_at = last | before.replicate(len(last) if self._lead else 0)
        m.d.sync += [is_highest.eq(following == ends_at), all_are.eq(last == 0)]
        m.d.sync += highest.eq(((restarts & all_are) | (took & ~restarts & is_highest)
                                | (~took & highest)) & ~starts)
        if self._lead:
            with m.If(starts):
                m.d.sync += self.lead_any.eq(0)
            with m.Elif(takes_k & before & ~highest & self.k.payload.any()):
                m.d.sync += self.lead_any.eq(1)
        with m.If(took):
            m.d.sync += [index.eq(following), following.eq(following + 1)]
        with m.If(restarts):
            m.d.sync += [index.eq(0), following.eq(1)]
        with m.If(starts):
            m.d.sync += [index.eq(-1 - self._lead), following.eq(-self._lead)]
        return m


class Sender(wiring.Component):
    """Sends a number from the memory of a processor.

    A read of the memory is repeated until it succeeds, since a word of the next key or operation
    may be written in the same clock. The next digit is read when this one has room.

    Latency: the first word comes two clocks after digit 0. Throughput: a word every :attr:`PERIOD`
    clocks.
    """

    PERIOD = Processor.LATENCY

    def __init__(self, width):
        super().__init__({
            "o": Out(stream.Signature(width)),  # the digits, the lowest first
            "start": In(1),  # send the number, of which digit 0 is read from the next clock on
            "zero": In(1),  # send 0 in place of it
            # The processor has to read the next digit, or any after the highest, from the next
            # clock on; in this clock it does not read.
            "advance": Out(1),
            "blocked": In(1),
            "last": Out(1),  # the digit at ``o`` is the last one
            "sent": Out(1),  # and it is sent in this clock
            "q": In(width + 1),  # a digit from the processor, and above it its flag
        })

    def elaborate(self, platform):
        m = Module()
        # Bit n: the digit was asked for n clocks ago. The last bit stays until there is room.
        asked = Signal(Processor.LATENCY)
        blocked = Signal(Processor.LATENCY - 1, reset_less=True)
        full, arrives = signals("full arrives")
        last = Signal(reset_less=True)
        digit = Signal.like(self.o.payload, name="digit", reset_less=True)
        m.d.comb += [
            self.o.valid.eq(full), self.o.payload.eq(digit),
            self.advance.eq(asked[-1] & ~blocked[-1] & ~full), self.last.eq(last),
            self.sent.eq(full & self.o.ready & last),
        ]
        m.d.sync += [
            blocked.eq(Cat(self.blocked, blocked)), arrives.eq(self.advance),
            asked.eq(Cat(self.start | self.advance, asked[0] & ~(arrives & self.q[-1]), asked[1:])),
            asked[-1].eq(asked[-2] | (asked[-1] & ~self.advance)),
        ]
        with m.If(~full):
            m.d.sync += [full.eq(arrives), digit.eq(self.q), last.eq(self.q[-1])]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(self.zero):
            m.d.sync += digit.eq(0)
        return m


class SingleDspCore(Core):
    """A processor, with what loads its memory and what sends results. A derived class controls it.

    The first word of a key tells how many words each number has, so that shorter numbers take less
    time. Bits of it for which the memory has no room are ignored. A word is taken every second
    clock, and a word of the result comes every fourth clock.

    Latency and throughput are those of the control. The word at ``o`` is the ``last`` of a result.
    """

    def __init__(self, params, *, index_width, part_width, **loads):
        self.processor = Processor(params.word_width, index_width, part_width)
        self.loader = NumberLoader(params.word_width, index_width, **loads)
        self.sender = Sender(params.word_width)
        self.last = self.sender.last
        super().__init__(params)

    def control(self, m):
        """Add the control; return part and index of the digit that is read without a product."""
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = self.processor
        m.submodules.loader = loader = self.loader
        m.submodules.sender = sender = self.sender
        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        wiring.connect(m, sender.o, wiring.flipped(self.o))
        part, index = self.control(m)
        m.d.comb += [
            processor.last.eq(loader.last), processor.write.eq(loader.write),
            processor.data.eq(loader.data),
            processor.part.eq(Mux(loader.write, loader.part, part)),
            processor.index.eq(Mux(loader.write, loader.index, index)),
            sender.blocked.eq(loader.write), sender.q.eq(processor.q),
        ]
        return m
