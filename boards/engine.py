"""A core that runs one operation at a time, with a counter of its clocks."""

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from montgomery.blocks.clearable import Clearable
from montgomery.core import LEAST_WIDTH, results_of, traits

from .protocol import CLOCKS_BYTES, SIZE_BYTES, word_bytes

__all__ = ["Engine", "most_bytes"]

#: Bits of the counter of clocks.
_CLOCK_BITS = 40
#: Words that wait for the core.
_WAITING = 8


def most_bytes(parameters):
    """Return the number of bytes of the longest request for a core, an operation or a key."""
    return SIZE_BYTES + max(message.words * word_bytes(message.width)
                            for message in (parameters.operands, parameters.key_operands))


class Engine(wiring.Component):
    """A core, a memory for one operation or key, and a counter of the clocks that it takes.

    The engine stores words as they arrive. When all have arrived intact, it sends them to the core,
    one word per clock. After each operation it wipes the memory, and clears a core without keys.

    Members
    -------
    clear, key : :py:`In(1)`
        The next byte is the first byte of an operation, or of a key if ``key`` is high.
    request : :py:`In(stream.Signature(8, always_ready=True))`
        The payload of a request ``RUN`` or ``KEY``.
    to_key : :py:`Out(1)`
        What was received last is a key.
    has_key : :py:`Out(1)`
        The core can accept an operation.
    whole : :py:`Out(1)`
        The bytes so far are as many complete words as operations or keys have.
    start : :py:`In(1)`
        Begins the operation, or gives the core the key.
    busy : :py:`Out(1)`
        An operation or a key is under way; no byte of a request may arrive.
    ready : :py:`Out(1)`
        The first word of the result is ready, or the core has accepted the key.
    length, reply : :py:`Out(16)`, :py:`Out(stream.Signature(8))`
        The number of bytes in the payload of the reply, and these.
    finish : :py:`In(1)`
        The reply was sent.
    forget : :py:`In(1)`
        The core is cleared of its key and what it does, and the memory is wiped.
    """

    def __init__(self, parameters):
        self._parameters = parameters
        super().__init__({
            "clear": In(1), "key": In(1), "request": In(stream.Signature(8, always_ready=True)),
            "to_key": Out(1), "has_key": Out(1), "whole": Out(1), "start": In(1), "busy": Out(1),
            "ready": Out(1), "length": Out(16), "reply": Out(stream.Signature(8)),
            "finish": In(1), "forget": In(1)})

    def elaborate(self, platform):
        m = Module()
        renew = Signal()
        m.d.sync += renew.eq(self.finish | self.forget)
        m.submodules.core = core = Clearable(self._parameters)
        if self._parameters.k_words:
            forgets = Signal()
            m.d.sync += forgets.eq(self.forget)
            m.d.comb += core.clear.eq(forgets)
            with m.If(self.clear):
                m.d.sync += self.to_key.eq(self.key)
            with m.If(forgets):
                m.d.sync += self.has_key.eq(0)
            with m.Elif(self.start & self.to_key):
                m.d.sync += self.has_key.eq(1)
        else:
            m.d.comb += [core.clear.eq(renew), self.has_key.eq(1)]
        with m.If(self.start):
            m.d.sync += self.busy.eq(1)
        with m.Elif(renew):
            m.d.sync += self.busy.eq(0)
        last = self._operands(m, core, renew)
        self._timed_result(m, core, last, renew)
        return m

    def _operands(self, m, core, renew):
        """Store and send the operands or the key; return whether the core accepts the last word."""
        p = self._parameters
        width = max(p.operands.width, p.key_operands.width)
        most = max(p.i_words, p.k_words)
        size = word_bytes(width)
        word = Signal(8 * size)
        # Words of operands and keys may differ in size; the last byte of each is on top.
        own = Signal.like(word)
        sizes = [word_bytes(message.width) if message.words else size
                 for message in (p.operands, p.key_operands)]
        m.d.comb += own.eq(Mux(self.to_key, word >> 8 * (size - sizes[1]),
                               word >> 8 * (size - sizes[0])))
        full = Mux(self.to_key, sizes[1] - 1, sizes[0] - 1)
        lane = Signal(range(size))
        head = Signal(range(SIZE_BYTES + 1))
        count = Signal(range(most_bytes(p)))
        write = Signal()
        length = Signal(8 * SIZE_BYTES)
        m.d.sync += [write.eq(0), self.length.eq(Mux(self.to_key, 0, length + CLOCKS_BYTES))]
        byte = self.request.payload
        with m.If(self.clear):
            m.d.sync += [head.eq(0), lane.eq(0), count.eq(0)]
        with m.Elif(self.request.valid):
            with m.If(head != SIZE_BYTES):
                m.d.sync += [length.eq(Cat(length[8:], byte)), head.eq(head + 1)]
            with m.Else():
                m.d.sync += [word.eq(Cat(word[8:], byte)), lane.eq(lane + 1)]
                with m.If(lane == full):
                    m.d.sync += [lane.eq(0), count.eq(count + 1), write.eq(1)]
        # Too few words would be completed by the next ones, and too many begin the next operation.
        # A core without keys is cleared after either.
        enough = Signal()
        m.d.sync += enough.eq(count != 0)
        if p.k_words:
            cores = [p.shorter(bits) for bits in range(LEAST_WIDTH, p.width + 1)] if traits(
                p).takes_shorter else [p]
            keys, operations = ({getattr(core, f"{name}_words") for core in cores}
                                for name in ("k", "i"))
            m.d.sync += enough.eq(Mux(self.to_key, count.matches(*keys),
                                      count.matches(*operations)))
        m.d.sync += self.whole.eq(enough & (lane == 0))

        sending = Signal()
        last = Signal()
        payload = Signal(width)
        valid = Signal()
        ready = Signal()
        m.d.comb += [core.i.payload.eq(payload[:p.operands.width]),
                     core.i.valid.eq(valid & ~self.to_key), ready.eq(core.i.ready)]
        if p.k_words:
            m.d.comb += [core.k.payload.eq(payload[:p.key_operands.width]),
                         core.k.valid.eq(valid & self.to_key),
                         ready.eq(Mux(self.to_key, core.k.ready, core.i.ready))]
        m.submodules.operands = memory = Memory(shape=width, depth=most, init=[])
        port, read = memory.write_port(), memory.read_port()
        # Wiping goes up from the first word, faster than bytes come, and a word that comes goes
        # first. The words that wait for the core are pushed out by zeros.
        wipes, wiped = Signal(), Signal(range(max(most, 2 * _WAITING)))
        ends = wipes & (wiped == max(most, 2 * _WAITING) - 1)
        with m.If(renew):
            m.d.sync += [wipes.eq(1), wiped.eq(0), word.eq(0)]
        with m.Elif(wipes & ~write):
            m.d.sync += [wiped.eq(wiped + 1), wipes.eq(~ends)]
        m.d.comb += [port.addr.eq(Mux(write, count - 1, wiped)), port.en.eq(write | wipes),
                     port.data.eq(Mux(write, own[:width], 0))]
        # Words wait here, so that whether the core takes one need not be known further up.
        m.submodules.waiting = waiting = ResetInserter(renew | ends)(
            SyncFIFOBuffered(width=width + 1, depth=_WAITING))
        room = Signal()
        sent = Signal(range(most + 1))
        fetched = Signal()
        is_last = Signal()
        m.d.comb += [
            room.eq((waiting.w_level < _WAITING - 2) & ~wipes), read.addr.eq(sent),
            waiting.w_en.eq(fetched | wipes),
            waiting.w_data.eq(Mux(wipes, 0, Cat(read.data, is_last))),
            payload.eq(waiting.r_data[:width]), valid.eq(waiting.r_rdy & ~wipes),
            waiting.r_en.eq(ready | wipes), last.eq(valid & ready & waiting.r_data[-1])]
        m.d.sync += [fetched.eq(sending & room), is_last.eq(sent + 1 == count)]
        with m.If(sending & room):
            m.d.sync += [sent.eq(sent + 1), sending.eq(sent + 1 != count)]
        with m.If(renew):
            m.d.sync += [fetched.eq(0), sending.eq(0)]
        with m.If(self.start):
            m.d.sync += [sent.eq(0), sending.eq(1)]
        return last

    def _timed_result(self, m, core, last, renew):
        # That a result is there is seen a clock late, and counting begins as late.
        counting, clocks, seen = Signal(), Signal(_CLOCK_BITS), Signal()
        m.d.sync += seen.eq(self.busy & ~self.to_key & core.o.valid)
        with m.If(last):
            m.d.sync += [counting.eq(1), clocks.eq(0)]
        with m.Elif(seen | renew):
            m.d.sync += counting.eq(0)
        with m.Elif(counting):
            m.d.sync += clocks.eq(clocks + 1)

        width = results_of(self._parameters).width
        size = word_bytes(width)
        rest = Signal(8 * max(size, CLOCKS_BYTES))
        left = Signal(range(max(size, CLOCKS_BYTES) + 1))
        told = Signal()
        wants = Signal()
        m.d.comb += [self.reply.payload.eq(rest[:8]), self.reply.valid.eq(left != 0),
                     core.o.ready.eq(wants)]
        with m.If(left != 0), m.If(self.reply.ready):
            m.d.sync += [rest.eq(rest[8:]), left.eq(left - 1)]
        with m.Elif(self.ready & ~told & ~self.to_key):
            m.d.sync += [rest.eq(clocks), left.eq(CLOCKS_BYTES), told.eq(1)]
        with m.Elif(told):
            m.d.sync += wants.eq(1)
            with m.If(core.o.valid & wants):
                m.d.sync += [rest.eq(core.o.payload), left.eq(size), wants.eq(0)]
        # A core may wait for operands before it accepts any, so that a key is ready as it is taken.
        m.d.sync += self.ready.eq(self.ready | Mux(self.to_key, last, seen & ~counting))
        with m.If(self.start | renew):
            m.d.sync += [self.ready.eq(0), seen.eq(0), told.eq(0), wants.eq(0), left.eq(0),
                         rest.eq(0)]
