"""The engine for scalar multiplication: a multiplier, an adder, a memory of words, and code."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.skid import Skid
from ..blocks.word_buffer import WordBuffer
from ..units.multiplier_unit import MultiplierUnit
from .point_adder import PointAdder
from .point_control import PointControl
from .point_layout import table_number
from .point_words import Source

__all__ = ["PointEngine"]


class PointEngine(wiring.Component):
    """Multiplies points by scalars, one at a time, as its code says.

    Numbers are in a block RAM, or in two copies of it. In a slot the words of two of them are read,
    to be added or multiplied, and those of one are written. Where words have to wait, all do: those
    that come in and go out, and those of products.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.

    Parameters
    ----------
    params : :class:`~.scalar_multiplication.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params, self.layout = params, params.layout
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = self.m = Module()
        layout, width = self.layout, self.layout.width
        reads, writes = layout.read_steps, layout.write_steps
        m.submodules.control = control = self.control = PointControl(self.params)
        m.submodules.unit = multiplier = MultiplierUnit(self.params.unit)
        m.submodules.products = products = WordBuffer(width, layout.words)
        m.submodules.adder = adder = PointAdder(layout, len(layout.rows()))
        m.submodules.skid = skid = Skid(width)
        wiring.connect(m, skid.o, wiring.flipped(self.o))

        # -- Steps. With a pace of 2, words are written in the first clock of a step, and read in
        # the second one.
        moves, self.tick = Signal(name="moves"), Signal(name="tick")
        reading, writing = C(1, 1), C(1, 1)
        if layout.pace == 2:
            reading = Signal(name="reading")
            writing = ~reading
            with m.If(moves):
                m.d.sync += reading.eq(~reading)
        m.d.comb += [self.tick.eq(moves & reading), control.tick.eq(self.tick),
                     control.moves.eq(moves)]
        word, mark, late = control.word, control.mark, self._late

        # -- Numbers.
        digit = Signal(5, name="digit")
        entry = Array(C(table_number(0, abs((value + 1 >> 1) - (value & 16))), 4)
                      for value in range(32))[digit]
        d, source = Signal(6, name="d"), Signal(Source, name="source")
        with m.If(self.tick & control.opens):
            m.d.sync += [d.eq(word.d | Mux(word.d_turn, control.turn, 0)), source.eq(word.source)]
        writes_now = late(mark.writes, writes, "writes")
        written = Signal(width, name="written")
        a, b = self._memory(
            moves, reading, Cat(control.index, Mux(word.a_digit, entry, word.a[:4]), word.a[4:]),
            Cat(control.index, word.b), writes_now & writing & (source != Source.NOTHING),
            Cat(late(control.index, writes, "place"), d), written)

        # -- Sums.
        at_sum = late(mark.as_value(), reads + 1, "mark")
        summed = type(mark)(mark.shape(), at_sum)
        m.d.comb += [
            adder.tick.eq(self.tick), adder.a.eq(a), adder.b.eq(b),
            adder.first.eq(late(mark.starts | mark.begins, reads, "first")),
            adder.highest.eq(summed.highest), adder.begins.eq(summed.begins),
            adder.has_b.eq(word.has_b), adder.twice.eq(word.twice),
            adder.negative.eq(word.negative | (word.signed & digit[-1])),
            adder.corrects.eq(word.corrects), adder.given.eq(word.key), adder.row.eq(word.b),
            control.row.eq(adder.at), adder.correction.eq(control.correction)]
        borrow, failed = Signal(name="borrow", reset_less=True), Signal(name="failed")
        m.d.comb += adder.has_a.eq(word.has_a & (~word.conditional | borrow))
        with m.If(self.tick):
            with m.If(summed.ends & word.captures):
                m.d.sync += borrow.eq(~adder.carry)
            with m.If(source == Source.INPUT):
                m.d.sync += [digit.eq(0), failed.eq(0)]
            with m.Elif(summed.ends & word.checks & adder.carry):
                m.d.sync += failed.eq(1)
            with m.Elif(summed.has_bit & word.shifts):
                m.d.sync += digit.eq(Cat(adder.raw[self.params.width % width], digit[:-1]))

        # -- What waits: words to the multiplier, from it, in, out, and those of its key.
        sends = late(mark.counts, reads, "sends") & word.product & reading
        takes = writes_now & (source == Source.PRODUCT) & writing
        comes = late(mark.comes, writes, "comes")
        enters = comes & (source == Source.INPUT) & writing
        leaves = late(mark.leaves, reads, "leaves") & word.sends & reading
        keys = summed.keys & word.key & reading
        may_send, may_take = ~sends | multiplier.i.ready, ~takes | products.o.valid
        m.d.comb += [
            moves.eq(may_send & may_take & (~enters | self.i.valid) & (~leaves | skid.i.ready)
                     & (~keys | multiplier.k.ready)),
            multiplier.i.valid.eq(sends & may_take), multiplier.i.p.x.eq(a),
            multiplier.i.p.y.eq(b), multiplier.i.p.first.eq(late(mark.begins, reads, "is_first")),
            products.available.eq((source == Source.PRODUCT) & ~control.opens),
            products.push.eq(multiplier.o.valid), products.data.eq(multiplier.o.payload),
            multiplier.o.ready.eq(1), products.o.ready.eq(takes & may_send),
            multiplier.k.valid.eq(keys), multiplier.k.payload.eq(control.correction),
            self.i.ready.eq(enters), skid.i.valid.eq(leaves),
            skid.i.payload.eq(a | failed.replicate(width))]
        with m.Switch(source):
            with m.Case(Source.PRODUCT):
                m.d.comb += written.eq(products.o.payload)
            with m.Case(Source.INPUT):
                m.d.comb += written.eq(gate(comes, self.i.payload))
            with m.Default():
                m.d.comb += written.eq(adder.total)
        return m

    def _late(self, value, steps, name):
        """Return what a value was so many steps ago."""
        for step in range(steps):
            register = Signal(len(value), name=f"{name}_{step}")
            with self.m.If(self.tick):
                self.m.d.sync += register.eq(value)
            value = register
        return value

    def _memory(self, moves, reading, address_a, address_b, write, address, written):
        """Add the memory, or two copies, and return the words that were read."""
        m, layout = self.m, self.layout
        words, depth = layout.memory(self.params.constants), 1 << len(address)
        copies = [BlockRam(layout.width, depth, words) for _ in range(3 - layout.pace)]
        for number, ram in enumerate(copies):
            m.submodules[f"memory_{number}"] = ram
            m.d.comb += [ram.a.enable.eq(moves), ram.b.enable.eq(moves)]
        if len(copies) == 1:
            ram, = copies
            m.d.comb += [ram.a.address.eq(Mux(reading, address_a, address)),
                         ram.b.address.eq(address_b), ram.a.write.eq(write),
                         ram.a.data.eq(written)]
            return ram.a.q, ram.b.q
        for ram, read in zip(copies, (address_a, address_b), strict=True):
            m.d.comb += [ram.a.address.eq(read), ram.b.address.eq(address), ram.b.write.eq(write),
                         ram.b.data.eq(written)]
        return [ram.a.q for ram in copies]
