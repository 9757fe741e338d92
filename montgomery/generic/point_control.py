"""Goes through the code, and through the words of each slot."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.values import signals
from .point_layout import Control

__all__ = ["PointControl"]

#: What is special about a step.
_MARK = data.StructLayout({
    "begins": 1, "ends": 1, "counts": 1, "comes": 1, "leaves": 1, "keys": 1, "has_bit": 1,
    "turns": 1})


class PointControl(wiring.Component):
    """Counts the steps of slots and the turns of loops, and brings words of code.

    A word of code is in several words of a block RAM, which are read one after the other during the
    slot before. The rows of the adder are in the same memory.

    Latency: ``row_word`` is there :attr:`~.point_layout.PointLayout.read_steps` steps after ``row``
    and two steps behind that of ``index``. Throughput: a slot after the other.
    """

    def __init__(self, params):
        self.params, self.layout = params, params.layout
        super().__init__({
            "tick": In(1), "moves": In(1),  # a step ends; memories move
            "word": Out(params.code.layout),  # the word of the slot
            "index": Out(self.layout.index_bits),  # the word that is to be read in the step
            # Whether it is the first one or the last one; whether it is one at all; whether it
            # comes in, leaves, is one of the key, or has the bit for the digit; whether the slot
            # ends.
            "mark": Out(_MARK),
            "turn": Out(4),  # turns of the outer loop
            "row": In(range(len(self.layout.rows()))), "row_word": Out(self.layout.width),
        })

    def elaborate(self, platform):
        m = Module()
        layout, mark, words = self.layout, self.mark, self.layout.words
        step, active = Signal(range(layout.steps), name="step"), Signal(name="active", init=1)
        begins, counts, ends = (Signal(name=name, init=name != "ends")
                                for name in ("begins", "counts", "ends"))
        last = Signal(name="last", init=words == 1)
        with m.If(self.tick):
            m.d.sync += [
                step.eq(Mux(ends, 0, step + 1)), begins.eq(ends),
                ends.eq(step == layout.steps - 2), last.eq(step == words - 2),
                counts.eq(ends | (counts & ~last))]
        field, skipped = self.params.field_words, layout.skipped
        m.d.comb += [
            self.index.eq(step), mark.begins.eq(begins), mark.counts.eq(counts & active),
            mark.ends.eq(last & active), mark.turns.eq(ends),
            mark.comes.eq(counts & active & (step < field)),
            mark.leaves.eq(counts & active & (step >= skipped) & (step < skipped + field)),
            mark.keys.eq(counts & active & (step < self.word.a)),
            mark.has_bit.eq(counts & active & (step == self.params.width // layout.width))]
        self._fetch(m, active & (step >= 1) & (step <= layout.code_parts), begins & active, active,
                    ends)
        return m

    def _fetch(self, m, asks, begins, active, ends):
        """Add the memory with the code, what goes through it, and the counters."""
        layout, word = self.layout, self.word
        width, parts = layout.code_width, layout.code_parts
        rows = [number for row in layout.rows() for number in row
                + [0] * ((1 << layout.index_bits) - len(row))]
        contents = rows + self.params.code.constants(parts, width, len(rows))
        m.submodules.rom = rom = BlockRam(width, len(contents), contents)
        place = Signal(range(len(contents)), name="place", init=len(rows))
        came = Signal(BlockRam.LATENCY, name="came")
        fetched = Signal(parts * width, name="fetched", reset_less=True)
        now, following = (data.View(word.shape(), value[:word.shape().size])
                          for value in (Signal(word.shape().size, name="now"), fetched))
        left = Signal.like(now.wait, name="left")
        index, index_before = (Signal.like(self.index, name=name, reset_less=True)
                               for name in ("index_2", "index_1"))
        m.d.comb += [
            word.eq(now), rom.a.enable.eq(self.tick), rom.a.address.eq(place),
            rom.b.enable.eq(self.moves), rom.b.address.eq(Cat(index, self.row)),
            self.row_word.eq(rom.b.q)]
        counters = signals("outer inner", self.params.code.counter_bits)
        m.d.comb += self.turn.eq(counters[0])
        counter = Mux(word.inner, *counters[::-1])
        given = Cat(word.a, word.b, word.d, word.a_digit, word.d_turn)
        value, target = given[:len(counter)], given[len(counter):]
        with m.If(self.tick):
            m.d.sync += [index_before.eq(self.index), index.eq(index_before),
                         came.eq(Cat(asks, came))]
            with m.If(came[-1]):
                m.d.sync += fetched.eq(Cat(fetched, rom.a.q)[width:])
            with m.If(asks):
                m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += [left.eq(left - 1), active.eq(0)]
                with m.If(left == 0):
                    m.d.sync += [now.eq(following), left.eq(following.wait), active.eq(1)]
            with m.If(begins & (word.control != Control.NONE)):
                turned = Mux(word.control == Control.SET, value, counter + 1)
                for which, register in enumerate(counters):
                    with m.If(word.inner == which):
                        m.d.sync += register.eq(turned)
                with m.If((word.control == Control.LOOP) & ~counter.all()):
                    m.d.sync += place.eq(target)
