"""Several exponentiators behind one pair of streams."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from ...blocks.carry_save import gate
from ...core import Signature
from .exponentiator import Exponentiator

__all__ = ["Array"]


class Array(wiring.Component):
    """Figure 6: processors that share nothing but the ports.

    They take turns: each is given the numbers of one exponentiation, and results come in the order
    in which they were asked for. The paper has a signal to run each processor; here it runs when it
    has its last word, while others are still given theirs.

    Nor do they share memories. A product keeps both ports of its memory busy in every clock, for
    three numbers that are read and one that is written a pair of clocks; of two processors on one
    memory, each would take twice the clocks. The paper's two processors in one block RAM have a
    half of it each with two ports of its own: 18 of the 36 kbit of a Virtex-6 or 7-series block,
    which placement joins, since a processor asks for no more than that. Blocks of an ECP5 hold 18
    kbit, and there is nothing to share.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.single_dsp.Parameters`

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks that the ports take more than those of a single processor.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    done : :py:`Out(processors)`
        The processor has a result, or nothing to do.
    all_done : :py:`Out(1)`
        All of them.
    """

    LATENCY = 2

    def __init__(self, params):
        self.params = params
        ports = Signature(params.word_width)
        super().__init__(dict(ports.members) | {
            "done": Out(params.processors, init=-1), "all_done": Out(1)})

    def elaborate(self, platform):
        m = Module()
        count = self.params.processors
        processors = [Exponentiator(self.params) for _ in range(count)]
        taking, giving = Signal(count, init=1), Signal(count, init=1)  # one-hot
        word, waiting = Signal(self.params.word_width, reset_less=True), Signal()
        for number, processor in enumerate(processors):
            m.submodules[f"processor_{number}"] = processor
            m.d.comb += [processor.i.payload.eq(word),
                         processor.i.valid.eq(waiting & taking[number])]
            with m.If(processor.front.loaded):
                m.d.sync += self.done[number].eq(0)
            with m.If(processor.front.send):
                m.d.sync += self.done[number].eq(1)
        m.d.comb += self.all_done.eq(self.done.all())

        m.d.comb += self.i.ready.eq(
            ~waiting | (taking & Cat(each.i.ready for each in processors)).any())
        with m.If(self.i.ready):
            m.d.sync += [word.eq(self.i.payload), waiting.eq(self.i.valid)]
        # A processor that has all takes nothing more, so the next word waits for this.
        with m.If(Cat(each.front.loaded for each in processors).any()):
            m.d.sync += taking.eq(taking.rotate_left(1))

        moves = Signal()
        m.d.comb += moves.eq(~self.o.valid | self.o.ready)
        with m.If(moves):
            m.d.sync += [
                self.o.valid.eq((giving & Cat(each.o.valid for each in processors)).any()),
                self.o.payload.eq(reduce(or_, (gate(chosen, each.o.payload) for chosen, each in
                                               zip(giving, processors, strict=True)))),
            ]
        for number, processor in enumerate(processors):
            m.d.comb += processor.o.ready.eq(moves & giving[number])
        with m.If(Cat(each.front.sent for each in processors).any()):
            m.d.sync += giving.eq(giving.rotate_left(1))
        return m
