"""Goes through the code, and through the words of each slot."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..core import ceil_div
from .point_words import Control

__all__ = ["PointControl", "rom_width"]

#: Step of a slot in which the next word is asked for.
_FETCH = 1

#: What is special about a step.
_MARK = data.StructLayout({
    "starts": 1, "highest": 1, "begins": 1, "ends": 1, "counts": 1, "writes": 1, "comes": 1,
    "leaves": 1, "keys": 1, "has_bit": 1})


def rom_width(layout):
    """Return the bits of a word of the memory with rows and code, at least those of a block."""
    return max(layout.width, 18)


class PointControl(wiring.Component):
    """Counts the steps of slots and the turns of loops, and brings words of code.

    A word of code is in several words of a block RAM, which are read one after the other during the
    slot before. The rows of the adder are in the same memory.

    Latency: a step from ``row`` and the index of the step before to ``correction``. Throughput: a
    slot after the other.

    Parameters
    ----------
    params : :class:`~.scalar_multiplication.Parameters`

    Members
    -------
    tick, moves : :py:`In(1)`
        A step ends; memories move.
    word : :py:`Out(code_layout())`
        The word of the slot.
    index : :py:`Out(range(words))`
        The word that is to be read in the step.
    mark : :py:`Out(...)`
        Whether it is the lowest, or the last, of the highest ones that are looked at first; and of
        the others the first or the last one; whether it is one at all, and in a first pass; whether
        it comes in, leaves, is one of the key, or has the bit for the digit.
    opens : :py:`Out(1)`
        In the next step there is the first word.
    turn : :py:`Out(4)`
        Turns of the outer loop.
    row, correction : :py:`In(...)`, :py:`Out(width)`
    """

    def __init__(self, params):
        self.params, self.layout = params, params.layout
        super().__init__({
            "tick": In(1), "moves": In(1), "word": Out(params.code.layout),
            "index": Out(self.layout.index_bits), "mark": Out(_MARK), "opens": Out(1),
            "turn": Out(4), "row": In(range(len(self.layout.rows()))),
            "correction": Out(self.layout.width)})

    def elaborate(self, platform):
        m = Module()
        layout, mark, words = self.layout, self.mark, self.layout.words
        step, index = Signal(range(layout.steps), name="step"), Signal.like(self.index)
        active, counts, again, begins = (Signal(name=name, init=name == "active") for name in
                                         ("active", "counts", "again", "begins"))
        ends, last = Signal(name="ends"), Signal(name="last")
        m.d.comb += [self.index.eq(index), self.opens.eq(step == layout.lead - 1),
                     ends.eq(step == layout.steps - 1), last.eq(index == words - 1)]
        with m.If(self.tick):
            m.d.sync += [step.eq(step + 1), index.eq(index + 1), begins.eq(self.opens)]
            with m.If(self.opens):
                m.d.sync += [index.eq(0), counts.eq(active)]
            with m.Elif(counts & last):
                m.d.sync += counts.eq(0)
                if layout.again:
                    with m.If(self.word.product & ~again):
                        m.d.sync += [counts.eq(1), again.eq(1), index.eq(0), begins.eq(1),
                                     step.eq(layout.lead)]
            with m.If(ends):
                m.d.sync += [step.eq(0), index.eq(layout.estimate.words[0]), again.eq(0)]

        field, skipped = self.params.field_words, layout.skipped
        m.d.comb += [
            mark.starts.eq(step == 0), mark.highest.eq(step == len(layout.estimate.words) - 1),
            mark.begins.eq(begins), mark.counts.eq(counts), mark.ends.eq(counts & last),
            mark.writes.eq(counts & (~self.word.product | again) if layout.again else counts),
            mark.comes.eq(counts & (index < field)),
            mark.leaves.eq(counts & (index >= skipped) & (index < skipped + field)),
            mark.keys.eq(counts & (index < len(layout.key[0]))),
            mark.has_bit.eq(counts & (index == self.params.width // layout.width))]
        asks = active & ~again & (step >= _FETCH) & (step < _FETCH + self._parts)
        self._fetch(m, asks, index, active, ends)
        return m

    @property
    def _parts(self):
        """Words of the memory that a word of code is in."""
        return ceil_div(self.word.shape().size, rom_width(self.layout))

    def _fetch(self, m, asking, index, active, ends):
        """Add the memory with the code, what goes through it, and the counters."""
        layout, word, mark = self.layout, self.word, self.mark
        width = rom_width(layout)
        rows = [number for row in layout.rows() for number in row
                + [0] * ((1 << layout.index_bits) - len(row))]
        parts = self._parts
        contents = rows + self.params.code.constants(parts, width, len(rows))
        m.submodules.rom = rom = BlockRam(width, len(contents), contents)
        place = Signal(range(len(contents)), name="place", init=len(rows))
        asks, came = Signal(name="asks"), Signal(BlockRam.LATENCY, name="came")
        fetched = Signal(parts * width, name="fetched", reset_less=True)
        now, following = (data.View(word.shape(), value[:word.shape().size])
                          for value in (Signal(word.shape().size, name="now"), fetched))
        left = Signal.like(now.wait, name="left")
        m.d.comb += [
            word.eq(now), rom.a.enable.eq(self.tick), rom.a.address.eq(place),
            rom.b.enable.eq(self.moves), rom.b.address.eq(Cat(self._before(m, index), self.row)),
            self.correction.eq(rom.b.q),
            asks.eq(asking)]
        counters = [Signal(self.params.code.counter_bits, name=name)
                    for name in ("outer", "inner")]
        m.d.comb += self.turn.eq(counters[0])
        counter = Mux(word.inner, *counters[::-1])
        given = Cat(word.a, word.b, word.d, word.a_digit, word.d_turn)
        value, target = given[:len(counter)], given[len(counter):]
        with m.If(self.tick):
            m.d.sync += came.eq(Cat(asks, came))
            with m.If(came[-1]):
                m.d.sync += fetched.eq(Cat(fetched, rom.a.q)[width:])
            with m.If(asks):
                m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += [left.eq(left - 1), active.eq(0)]
                with m.If(left == 0):
                    m.d.sync += [now.eq(following), left.eq(following.wait), active.eq(1)]
            with m.If(mark.starts & active & (word.control != Control.NONE)):
                turned = Mux(word.control == Control.SET, value, counter + 1)
                for which, register in enumerate(counters):
                    with m.If(word.inner == which):
                        m.d.sync += register.eq(turned)
                with m.If((word.control == Control.LOOP) & ~counter.all()):
                    m.d.sync += place.eq(target)

    def _before(self, m, index):
        """Return the index of the step before."""
        before = Signal.like(index, name="before", reset_less=True)
        with m.If(self.tick):
            m.d.sync += before.eq(index)
        return before
