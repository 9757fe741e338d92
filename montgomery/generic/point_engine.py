"""The engine for points: a multiplier, an adder, a memory of words, and code."""

from functools import reduce
from operator import or_

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.values import add_with_carry, signals
from ..core import Core
from ..units.unit import MultiplierUnit
from .point_control import PointControl
from .point_layout import Source
from .reader import PairFeeder, ProductBuffer

__all__ = ["PointEngine"]


class PointEngine(Core):
    """Multiplies points by scalars, one at a time, as its code says.

    Numbers are in a block RAM, or in two copies of it. In a slot the words of two of them are read,
    to be added or multiplied, and those of one are written. Several multipliers take products in
    turn; one that keeps results squares them as often as it is told to. Where words wait that come
    in or go out, all do.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.
    """

    def __init__(self, params):
        super().__init__(params)
        self.layout = params.layout

    def elaborate(self, platform):
        m = self.m = Module()
        layout, width = self.layout, self.layout.width
        reads, writes = layout.read_steps, layout.write_steps
        m.submodules.control = control = self.control = PointControl(self.params)
        m.submodules.adder = adder = PointAdder(width)

        # -- Steps. In a step of two clocks words are written in the first one, and read in the
        # second one.
        moves, self.tick = signals("moves tick")
        reading, writing = C(1, 1), C(1, 1)
        if layout.step_clocks == 2:
            reading = Signal(name="reading")
            writing = ~reading
            with m.If(moves):
                m.d.sync += reading.eq(~reading)
        m.d.comb += [self.tick.eq(moves & reading), control.tick.eq(self.tick),
                     control.moves.eq(moves)]
        word, mark, late, held = control.word, control.mark, self._late, self._held

        # -- Numbers.
        digit = Signal(5, name="digit")
        read_a, read_b = self.params.code.addresses(word, digit)
        d = held(word.d | Mux(word.d_turn, control.turn, 0), writes, "d")
        source = held(word.source, writes, "source")
        writes_now = late(mark.counts, writes, "writes") & writing
        written = Signal(width, name="written")
        a, b = self._memory(
            moves, reading, Cat(control.index, read_a), Cat(control.index, read_b),
            writes_now & (source != Source.NOTHING),
            Cat(late(control.index, writes, "place"), d), written)

        # -- Sums.
        borrow, failed = Signal(name="borrow", reset_less=True), Signal(name="failed")
        summed = reads + 2
        m.d.comb += [
            adder.tick.eq(self.tick), adder.a.eq(a), adder.b.eq(b),
            adder.first.eq(self._begins(reads)), adder.begins.eq(self._begins(summed)),
            adder.has_a.eq(held(word.has_a, reads, "has_a")
                           & (~held(word.conditional, reads, "conditional") | borrow)),
            adder.has_b.eq(held(word.has_b, reads, "has_b")),
            adder.twice.eq(held(word.twice, reads, "twice")),
            adder.negative.eq(held(word.negative | (word.signed & digit[-1]), reads, "negative")),
            control.row.eq(held(gate(~word.signed | digit[-1], word.row), 2, "row")),
            adder.row.eq(control.row_word)]
        ends = late(mark.ends, summed, "ends")
        captures = ends & held(word.captures, summed, "captures")
        checks = ends & held(word.checks, summed, "checks")
        shifts = late(mark.has_bit, summed, "has_bit") & held(word.shifts, summed, "shifts")
        with m.If(self.tick):
            with m.If(captures):
                m.d.sync += borrow.eq(~adder.carry)
            with m.If(source == Source.INPUT):
                m.d.sync += [digit.eq(0), failed.eq(0)]
            with m.Elif(checks & adder.carry):
                m.d.sync += failed.eq(1)
            with m.Elif(shifts):
                m.d.sync += digit.eq(Cat(adder.raw[self.params.width % width], digit[:-1]))

        # -- What waits: words in and out, and those of the key. In their slots, and the next one,
        # a step takes two clocks, of which the first one says whether the other one may follow.
        comes = late(mark.comes, writes, "comes")
        enters = comes & (source == Source.INPUT) & writing
        meets = (word.source == Source.INPUT) | word.sends | word.key
        met, entered = Signal(name="met"), Signal(width, name="entered", reset_less=True)
        leaves = late(mark.leaves, reads, "leaves") & held(word.sends, reads, "sends") & reading
        keys = late(mark.keys, summed, "keys") & held(word.key, summed, "key") & reading
        product, takes_key = self._products(a, b, keys & moves, source == Source.PRODUCT,
                                            writes_now & moves)
        with m.If(self.tick & mark.turns):
            m.d.sync += met.eq(meets)
        left = ~self.o.valid | self.o.ready
        can = (~enters | self.i.valid) & (~leaves | left) & (~keys | takes_key)
        m.d.sync += [moves.eq(~(meets | met) | (can & ~moves)), entered.eq(0)]
        with m.If(enters):
            m.d.sync += entered.eq(self.i.payload)
        m.d.comb += self.i.ready.eq(enters & ~moves)
        valid, leaving = Signal(name="valid"), Signal(width, name="leaving", reset_less=True)
        m.d.comb += [self.o.valid.eq(valid), self.o.payload.eq(leaving)]
        m.d.sync += valid.eq((leaves & moves) | (valid & ~self.o.ready))
        with m.If(leaves & moves):
            m.d.sync += leaving.eq(a)
            with m.If(failed):
                m.d.sync += leaving.eq(~0)
        m.d.comb += written.eq(product | entered | gate(source == Source.SUM, adder.total))
        return m

    def _products(self, a, b, keys, written, moves):
        """Add the multipliers, with what brings them operands, and return a word of the product
        that is written, or else 0; and whether all take a word of the key.
        """
        m, layout, control = self.m, self.layout, self.control
        reads, word, mark, held = layout.read_steps, control.word, control.mark, self._held
        sends = held(word.product, reads, "product") & self.tick
        pushes = self._late(mark.counts, reads, "pushes") & sends
        sent = self._late(mark.ends, reads, "pair_ends") & sends
        # Where words come slower than they are fed, a pair is fed when all of it is there.
        starts = sent if layout.step_clocks == 2 else pushes & self._begins(reads)
        begins = self.tick & mark.begins & mark.counts
        asked = begins & (word.source == Source.PRODUCT)
        takes = written & moves
        taken = self._late(mark.ends, layout.write_steps, "product_ends") & takes

        def turn(done, name):
            """Return which multiplier it is, one-hot."""
            if layout.arrays == 1:
                return C(1, 1)
            turn = Signal(layout.arrays, name=name, init=1)
            with m.If(done):
                m.d.sync += turn.eq(turn.rotate_left(1))
            return turn

        sending, asking = turn(sent, "sending"), turn(asked, "asking")
        taking = turn(taken, "taking")
        squares, taken_square = C(0, 1), C(0, 1)
        if layout.squares:
            left = Signal(self.params.code.square_bits, name="squares_left")
            squares = left != 0
        words, units = [], []
        for number in range(layout.arrays):
            m.submodules[f"unit_{number}"] = unit = MultiplierUnit(self.params.unit)
            m.submodules[f"product_{number}"] = product = ProductBuffer(self.params.unit,
                                                                        layout.parts)
            available = Signal(name=f"available_{number}")
            square = squares & sending[number - layout.arrays + 1]
            taken_square |= square & unit.i.ready
            if layout.is_direct:
                valid = pushes & sending[number]
                m.d.comb += [unit.i.p.x.eq(a), unit.i.p.y.eq(b),
                             unit.i.p.first.eq(self._begins(reads) | square)]
            else:
                m.submodules[f"pair_{number}"] = pair = PairFeeder(self.params.unit, layout.parts)
                m.d.comb += [pair.x.eq(a), pair.y.eq(b), pair.push.eq(pushes & sending[number]),
                             pair.starts.eq(starts & sending[number]),
                             unit.i.payload.eq(pair.o.payload), pair.o.ready.eq(unit.i.ready)]
                valid = pair.o.valid
            m.d.comb += [unit.i.valid.eq(valid | square), unit.i.p.x_kept.eq(square),
                         unit.i.p.y_kept.eq(square)]
            with m.If(asked & asking[number]):
                m.d.sync += available.eq(1)
            with m.Elif(taken & taking[number]):
                m.d.sync += available.eq(0)
            m.d.comb += [
                product.push.eq(unit.o.valid),
                product.data.eq(unit.o.payload), product.available.eq(available),
                product.next.eq(takes & taking[number]), unit.o.ready.eq(1),
                unit.k.payload.eq(control.row_word)]
            units.append(unit)
            words.append(gate(taking[number] & written, product.word))
        if layout.squares:
            with m.If(begins & word.squares):
                m.d.sync += left.eq(Cat(word.a, word.b))
            with m.Elif(taken_square):
                m.d.sync += left.eq(left - 1)
        takes_key = Cat(unit.k.ready for unit in units).all()
        m.d.comb += [unit.k.valid.eq(keys) for unit in units]
        return reduce(or_, words), takes_key

    def _begins(self, steps):
        """Return whether the first word of a slot was read so many steps ago."""
        return self._late(self.control.mark.begins, steps, "begins")

    def _held(self, value, steps, name):
        """Return a value of the word of a slot, from so many steps after its first one on."""
        register = Signal(len(value), name=f"{name}_held", reset_less=True)
        with self.m.If(self.tick & self._begins(steps - 1)):
            self.m.d.sync += register.eq(value)
        return register

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
        copies = [BlockRam(layout.width, depth, words) for _ in range(3 - layout.step_clocks)]
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


class PointAdder(wiring.Component):
    """``total = ± a + b + row``, ``± a + 2 b + row`` and so on, a word in each step.

    Latency: three steps from words to a word of the total. Throughput: a word in each step.
    """

    def __init__(self, width):
        super().__init__({
            "tick": In(1),  # a step ends
            # The words are the lowest ones; they were two steps ago.
            "first": In(1), "begins": In(1),
            "a": In(width), "b": In(width),  # words of the operands
            # What counts of them.
            "has_a": In(1), "has_b": In(1), "negative": In(1), "twice": In(1),
            "row": In(width),  # the word of what is added to the sum that stands at ``raw``
            # A word of the sum before that, and the carry from it.
            "raw": Out(width), "carry": Out(1),
            "total": Out(width),
        })

    def elaborate(self, platform):
        m = Module()
        width = len(self.a)
        above = Signal(name="above", reset_less=True)  # the bit that leaves b when it is doubled
        raw = Signal(width, name="raw_word", reset_less=True)
        carry, more = Signal(name="carry_bit", reset_less=True), Signal(reset_less=True)
        total = Signal(width, name="total_word", reset_less=True)
        a, b = (Signal(width, name=f"counted_{name}", reset_less=True) for name in "ab")
        first, plus_1 = signals("lowest plus_1", reset_less=True)
        with m.If(self.tick):
            m.d.sync += [
                above.eq(self.b[-1]), first.eq(self.first), plus_1.eq(self.negative),
                a.eq(gate(self.has_a, self.a) ^ self.negative.replicate(width)),
                b.eq(gate(self.has_b, Mux(self.twice, Cat(above & ~self.first, self.b[:-1]),
                                          self.b))),
                Cat(raw, carry).eq(add_with_carry(a, b, Mux(first, plus_1, carry))),
                Cat(total, more).eq(add_with_carry(raw, self.row, more & ~self.begins))]
        m.d.comb += [self.raw.eq(raw), self.carry.eq(carry), self.total.eq(total)]
        return m
