"""The end of a multi-step multiplication: the result's way out, and back in as an operand."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.gather import Gather
from ..blocks.values import delays, later
from ..blocks.word_buffer import WordBuffer
from .loader import moved_signature

__all__ = ["StepResult"]


class StepResult(wiring.Component):
    """Gathers a number below 2 m, hands it out, and keeps it as an operand of the next operation.

    If the layout :attr:`~.multiplier.StepLayout.subtracts`, m is subtracted if the number is m or
    more. Both the number and the difference are kept then, until the last word has decided.

    Latency: the clocks of :class:`~.gather.Gather` and of :class:`~.word_buffer.WordBuffer`; if it
    subtracts, one more for each word. Throughput: a word per clock.

    Members
    -------
    moved : :py:`In(moved_signature(layout))`
        Words of m.
    start : :py:`In(1)`
        An operation begins.
    done : :py:`In(1)`
        ``head`` is the end of the number.
    head : :py:`In(steps)`
    numbers : :py:`In(pe_width).array(operand_words)`
        The columns above; word v counts v + 1 clocks after ``done``.
    o : :py:`Out(stream.Signature(pe_width))`
        The result.
    busy : :py:`Out(1)`
        From the start of an operation until its last word is here.
    reserved : :py:`Out(1)`
        From the start of an operation to the clock before the one that hands over its last word; to
        that clock, if the port is slow.
    readable : :py:`Out(1)`
        From the next clock on, the result may be read as an operand.
    read : :py:`In(1)`
        Read the next word of the last result; the first one if this was low in the clock before.
    kept : :py:`Out(pe_width)`
        The word that was read in the clock before.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.pe_width
        super().__init__({
            "moved": In(moved_signature(layout)), "start": In(1), "done": In(1),
            "head": In(layout.steps), "numbers": In(word).array(layout.operand_words),
            "o": Out(stream.Signature(word)), "busy": Out(1), "reserved": Out(1),
            "readable": Out(1), "read": In(1), "kept": Out(word),
        })

    def elaborate(self, platform):
        m = Module()
        g, s, word, count = (self.layout, self.layout.steps, self.layout.pe_width,
                             self.layout.operand_words)
        m.submodules.gather = gather = Gather(word, count + 1)
        # The head is what a word below PE 0 would have at its upper end.
        m.d.comb += [
            gather.chosen.eq(Cat(delays(m, self.done, count, "chosen", reset_less=False))),
            gather.words[0].eq(Cat(C(0, word - s), self.head)),
            *(gather.words[v + 1].eq(self.numbers[v]) for v in range(count)),
        ]
        first = later(m, self.done, Gather.latency_of(count + 1), "first", reset_less=False)

        # -- The number in words as they are sent.
        comes = Signal()
        below = Signal(s, reset_less=True)
        number = Cat(below, gather.word[:word - s])
        m.d.sync += below.eq(gather.word[word - s:])

        # -- Way out. Words are looked up before it is known which of two numbers is the result.
        size = 2 * word if g.subtracts else word
        m.submodules.buffer = buffer = WordBuffer(size, count, turns=1)
        m.submodules.store = store = WordBuffer(size, count, registered=False)
        begun = Signal()
        finished = Signal()
        m.d.comb += [
            self.reserved.eq(begun if g.slow_port else begun & ~finished),
            store.push.eq(buffer.push), store.data.eq(buffer.data), store.available.eq(self.read),
            store.o.ready.eq(1),
            finished.eq(self.o.valid & self.o.ready & buffer.last),
        ]
        m.d.sync += [
            self.busy.eq((self.busy | self.start) & ~(buffer.push & buffer.full)),
            begun.eq((begun & ~finished) | self.start),
        ]
        if g.subtracts:
            self._subtract(m, first, comes, number, below, buffer, store, finished)
        else:
            m.d.sync += comes.eq((comes | first) & ~(comes & buffer.full))
            m.d.comb += [
                buffer.push.eq(comes), buffer.data.eq(number), self.readable.eq(comes),
                self.o.valid.eq(buffer.o.valid), buffer.o.ready.eq(self.o.ready),
                self.o.payload.eq(buffer.o.payload), self.kept.eq(store.o.payload),
            ]
        return m

    def _subtract(self, m, first, comes, number, below, buffer, store, finished):
        """Subtract the modulus, one clock later, and choose a clock after the last word."""
        g, word = self.layout, self.layout.pe_width
        m.submodules.modulus = modulus = WordBuffer(word, g.operand_words)
        m.d.comb += [
            modulus.push.eq(self.moved.of_key), modulus.data.eq(self.moved.y),
            modulus.available.eq(~self.start), modulus.o.ready.eq(comes),
        ]
        storing, ends = Signal(name="storing"), Signal(name="ends")
        last = comes & modulus.last
        late = Signal(word, name="number", reset_less=True)
        difference = Signal(word, reset_less=True)
        borrow = Signal(reset_less=True)
        m.d.sync += [
            comes.eq((comes | first) & ~last),
            storing.eq(comes), ends.eq(last), late.eq(number),
            # The borrow as a bit below both, so that one carry chain does.
            Cat(difference, borrow).eq(
                (Cat(C(0, 1), number) - Cat(borrow, modulus.o.payload))[1:]),
        ]
        with m.If(first):
            m.d.sync += borrow.eq(0)

        decided, smaller = Signal(name="decided"), Signal(name="smaller")
        with m.If(ends):
            # The bit above the words is only set where they end at ``width``.
            m.d.sync += smaller.eq(borrow & ~below[0])
        m.d.sync += decided.eq((decided | ends) & ~finished)
        m.d.comb += [
            buffer.push.eq(storing), buffer.data.eq(Cat(late, difference)),
            buffer.o.ready.eq(decided & self.o.ready),
            self.readable.eq(last if g.operand_words > 1 else ends),
            self.o.valid.eq(decided & buffer.o.valid),
            self.o.payload.eq(Mux(smaller, buffer.o.payload[:word], buffer.o.payload[word:])),
            self.kept.eq(Mux(smaller, store.o.payload[:word], store.o.payload[word:])),
        ]
