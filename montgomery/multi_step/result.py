"""The end of a multi-step multiplication: the final subtraction, and the result's way out."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.gather import Gather
from ..blocks.word_buffer import WordBuffer

__all__ = ["Result"]


class Result(wiring.Component):
    """Gathers a number below 2 m, subtracts m if it is m or more, and hands it out.

    Both the number and the difference are kept, until the last word has decided.

    Parameters
    ----------
    layout : :class:`~.layout.Layout`

    Members
    -------
    word : :py:`In(pe_width)`
    load_m : :py:`In(1)`
        ``word`` is the next word of the modulus.
    taking_m : :py:`In(1)`
        The modulus is awaited.
    done : :py:`In(1)`
        ``head`` is the end of the number.
    head : :py:`In(steps)`
    numbers : :py:`In(pe_width).array(operand_words)`
        The columns above; word v counts v + 1 clocks after ``done``.
    o : :py:`Out(stream.Signature(pe_width))`
        The result.
    finished : :py:`Out(1)`
        Its last word is handed over.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.pe_width
        super().__init__({
            "word": In(word), "load_m": In(1), "taking_m": In(1), "done": In(1),
            "head": In(layout.steps),
            "numbers": In(word).array(layout.operand_words),
            "o": Out(stream.Signature(word)),
            "finished": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        g, s, word = self.layout, self.layout.steps, self.layout.pe_width

        def delayed(name, signal, clocks):
            signals = [signal]
            for index in range(clocks):
                signals.append(Signal(name=f"{name}_{index}"))
                m.d.sync += signals[-1].eq(signals[-2])
            return signals

        m.submodules.gather = gather = Gather(word, g.operand_words + 1)
        # The head is what a word below PE 0 would have at its upper end.
        m.d.comb += [
            gather.chosen.eq(Cat(delayed("chosen", self.done, g.operand_words))),
            gather.words[0].eq(Cat(C(0, word - s), self.head)),
        ]
        m.d.comb += [gather.words[v + 1].eq(self.numbers[v]) for v in range(g.operand_words)]
        first = delayed("first", self.done, Gather.latency_of(g.operand_words + 1))[-1]
        m.submodules.modulus = modulus = WordBuffer(word, g.operand_words)
        m.d.comb += [
            modulus.push.eq(self.load_m), modulus.data.eq(self.word),
            modulus.available.eq(~(self.taking_m | self.load_m)),
        ]

        # -- The number in words as they are sent, and less the modulus.
        subtracting = Signal(name="$signal")
        storing = Signal(name="$signal")
        ends = Signal(name="ends")
        last = subtracting & modulus.last
        below = Signal(s, name="below", reset_less=True)
        number = Signal(word, name="$signal", reset_less=True)
        difference = Signal(word, name="difference", reset_less=True)
        borrow = Signal(name="borrow", reset_less=True)
        now = Cat(below, gather.word[:word - s])
        m.d.sync += [
            subtracting.eq((subtracting | first) & ~last),
            storing.eq(subtracting),
            ends.eq(last),
            below.eq(gather.word[word - s:]),
            number.eq(now),
            # The borrow as a bit below both, so that one carry chain does.
            Cat(difference, borrow).eq((Cat(C(0, 1), now) - Cat(borrow, modulus.o.payload))[1:]),
        ]
        with m.If(first):
            m.d.sync += borrow.eq(0)
        m.d.comb += modulus.o.ready.eq(subtracting)

        # -- Way out. The first words are looked up before it is known which ones they are.
        m.submodules.buffer = buffer = WordBuffer(2 * word, g.operand_words)
        decided = Signal(name="$signal")
        smaller = Signal(name="$signal")
        available = Signal(name="available")
        with m.If(ends):
            # The bit above the words is only set where they end at ``width``.
            m.d.sync += smaller.eq(borrow & ~below[0])
        m.d.sync += [
            decided.eq((decided | ends) & ~self.finished),
            available.eq((available | storing) & ~self.finished),
        ]
        m.d.comb += [
            buffer.push.eq(storing),
            buffer.data.eq(Cat(number, difference)),
            buffer.available.eq(available),
            buffer.o.ready.eq(decided & self.o.ready),
            self.o.valid.eq(decided & buffer.o.valid),
            self.o.payload.eq(Mux(smaller, buffer.o.payload[:word], buffer.o.payload[word:])),
            self.finished.eq(self.o.valid & self.o.ready & buffer.last),
        ]
        return m
