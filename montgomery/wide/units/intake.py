"""Words of operations on their way into an engine that works on others."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...blocks.block_ram import BlockRam
from ...blocks.values import later
from ..datapath.ranges import BASE

__all__ = ["PairedIntake", "WordQueue"]


class WordQueue(wiring.Component):
    """Keeps words until those of an operation are there, and then gives them without a gap, however
    slowly they came. No word comes in before the last one goes out.

    Latency: :attr:`LATENCY` clocks from the last word that comes to the first one that goes.
    Throughput: a word per clock comes, or goes.
    """

    LATENCY = 1 + BlockRam.LATENCY

    def __init__(self, count):
        self.count = count
        super().__init__({"i": In(stream.Signature(BASE)), "o": Out(stream.Signature(BASE))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = BlockRam(BASE, self.count)
        place = Signal(range(self.count))
        full, found, moves, is_last = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(~full), memory.b.write.eq(self.i.valid & ~full),
            memory.b.address.eq(place), memory.b.data.eq(self.i.payload),
            memory.a.enable.eq(~self.o.valid | self.o.ready), memory.a.address.eq(place),
            self.o.payload.eq(memory.a.q), is_last.eq(place == self.count - 1),
            moves.eq(Mux(full, memory.a.enable, self.i.valid))]
        with m.If(memory.a.enable):
            m.d.sync += [found.eq(full), self.o.valid.eq(found)]
        with m.If(moves):
            m.d.sync += [place.eq(Mux(is_last, 0, place + 1)), full.eq(full ^ is_last)]
        return m


class PairedIntake(wiring.Component):
    """Lets an operation into an engine of two when a turn ends, if all of its words are there.

    If they are not, the turn goes on without it: an operation under way never waits for words.
    While none is under way, words go on as they come, unless the block gathers them.

    Latency: :attr:`LATENCY` clocks from a word of ``i`` to ``takes``, while none is under way; or
    from the last word to the first one that is taken.
    Throughput: a word per clock.

    If it ``gathers``, words come in any turn, as they must from a source that goes on to others
    meanwhile, and go on when all of an operation are there. If not, they come in a turn that an
    operation entered, or after it, and go on as they come while none is under way.
    """

    LATENCY = 1
    #: Clocks that an operation takes besides both of its turns, if no other one comes.
    ALONE = 4 + LATENCY

    def __init__(self, count, gathers=False):
        self.count, self.gathers = count, gathers
        super().__init__({
            "i": In(stream.Signature(BASE)),
            # No turn runs. It falls some clocks after the last word of an operation, or
            # ``goes_on``.
            "resting": In(1),
            # The engine takes a word; the word that it took two clocks ago.
            "takes": Out(1), "word": Out(BASE),
            "goes_on": Out(1),  # a turn without another operation begins in the next clock
            "slot": Out(1),  # the operation that comes in
            "sends": Out(1),  # the turn has an operation to send
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = BlockRam(BASE, self.count)
        there, taken = Signal(range(self.count + 1)), Signal(range(self.count))
        enters, entered = Signal(init=1), Signal()
        rests, full, pushes, none = Signal(), Signal(), Signal(), Signal()
        rested = later(m, self.resting, 1, "rested", reset_less=False, init=1)
        m.d.comb += [
            rests.eq(self.resting & ~rested), full.eq(there == self.count),
            self.i.ready.eq((self.gathers or enters | entered) & ~full),
            pushes.eq(self.i.valid & self.i.ready),
            self.takes.eq(enters & (full if self.gathers else there != taken)),
            none.eq(rests & entered & ~full),
            memory.b.write.eq(pushes), memory.b.address.eq(there),
            memory.b.data.eq(self.i.payload), memory.a.address.eq(taken),
            self.word.eq(memory.a.q)]
        m.d.comb += self.goes_on.eq(later(m, none, 2, "none", reset_less=False))
        m.d.sync += [there.eq(there + pushes), taken.eq(taken + self.takes)]
        with m.If(rests):
            m.d.sync += [self.slot.eq(~self.slot), self.sends.eq(entered), entered.eq(0),
                         enters.eq(~none)]
        with m.If(self.takes & (taken == self.count - 1)):
            m.d.sync += [there.eq(0), taken.eq(0), enters.eq(0), entered.eq(1)]
        return m
