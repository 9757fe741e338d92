"""The hardware of exponentiation, and of RSA with CRT, around the systolic array."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.block_ram import BlockRam
from ..blocks.program import Sequencer
from ..blocks.row_unit import RowUnit
from ..blocks.values import later, signals
from ..blocks.windows import DigitSource
from ..core import Core, traits
from .lane import Lane
from .lane_program import Digits, Unit

__all__ = ["LaneCore", "Stepper"]


class Stepper(wiring.Component):
    """Goes through a program: starts the unit of each step, and goes on when the step is over.

    A step takes as many clocks as its unit says, whatever its numbers are. A product follows the
    product before, or the last digit of its y, at once. Any other step starts :attr:`OTHER` clocks
    after the one before, when the result of that is stored.

    Latency: :meth:`clocks_of` for a step. Throughput: one step at a time.
    """

    OTHER = 2

    def __init__(self, schedule, program):
        self.schedule = schedule
        self.sequencer = Sequencer(program)
        #: The factor whose turn it is, if there are two: the second one is first.
        self.half = ~self.sequencer.turn_of("half")
        super().__init__({
            "begin": In(1),  # begin with the first step
            "resting": Out(1),  # there is no step to do
            "ends": Out(1),  # the last one has been done
            "storing": In(1),  # the result of a product is stored
            # A step starts, a bit for each unit; a product has started with the clock before.
            "start": Out(len(Unit)),
        })

    @staticmethod
    def clocks_of(schedule):
        """Return the clocks of a step of each unit, from its start to its end."""
        n = schedule.digits
        return {Unit.MODULUS: n, Unit.Y: n, Unit.PRODUCT: schedule.interval,
                Unit.ROW: RowUnit.clocks(n)}

    @classmethod
    def clocks(cls, schedule, units):
        """Return the clocks from ``begin`` to a word of the result; ``units`` are of all steps."""
        s, n = schedule, schedule.digits
        # From the start of a product to the clock in which all of its result has been stored.
        stored = (s.restart - s.period + n * s.period + s.sum_latency + s.arrival(n - 1) + 3)
        takes = cls.clocks_of(s)
        ready = done = start = 0
        for unit in units:
            start = done if unit is Unit.PRODUCT else max(done + cls.OTHER, ready)
            done = start + takes[unit]
            ready = start + stored if unit is Unit.PRODUCT else 0
        return done + 3 + BlockRam.LATENCY

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = self.sequencer
        unit, following = sequencer.step.unit, sequencer.following
        m.d.comb += sequencer.begin.eq(self.begin)
        clocks = self.clocks_of(self.schedule)
        left = Signal(range(-1, max(clocks.values()) - 1), name="clocks_left")  # -1: the last one
        of_unit = Signal.like(left, name="clocks_of_unit")
        m.d.sync += [left.eq(left - 1), self.start.eq(0)]
        with m.Switch(unit):
            for each, taken in clocks.items():
                with m.Case(each):
                    m.d.sync += of_unit.eq(taken - 2)
        with m.FSM(name="state"):
            with m.State("REST"):
                m.d.comb += self.resting.eq(1)
                with m.If(self.begin):
                    m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~self.storing):
                for each in Unit:
                    if each is not Unit.PRODUCT:
                        m.d.sync += self.start[each].eq(unit == each)
                m.next = "START"
            with m.State("START"):
                m.d.sync += left.eq(of_unit)
                m.next = "DO"
            with m.State("DO"), m.If(left < 0):
                m.d.comb += sequencer.advance.eq(1)
                with m.If(following.ends):
                    m.next = "END"
                with m.Elif(following.fields.unit == Unit.PRODUCT):
                    m.d.sync += [self.start[Unit.PRODUCT].eq(1), left.eq(clocks[Unit.PRODUCT] - 2)]
                with m.Else():
                    m.next = "SETTLE"
            with m.State("END"):
                m.next = "LAST"
            with m.State("LAST"):
                m.d.comb += self.ends.eq(1)
                m.next = "REST"
        return m


class LaneCore(Core):
    """One array, or two, and a program.

    All numbers are columns of a memory. A sequencer goes through the steps of a program: what the
    array multiplies, and what a unit with one more multiplier adds, subtracts and multiplies digit
    by digit. Two arrays have a memory and such a unit each, and one sequencer; the second one does
    what the first one does, a clock later. The result stays in the memory until it is sent; if it
    has not passed the check, only ones leave the core.

    The check does not see two kinds of faults, neither of which gives the factors away: a bit that
    is wrong in the result after it was checked, or on its way out, leaves as it is; and a message
    that was stored wrongly is signed, as if it had been sent.

    Latency: the steps, none of which takes a time that depends on a number. The memory is read at
    addresses that depend on the exponents, and on one comparison for each exact reduction: that
    may show in the power that the core takes, or in what it radiates.

    Throughput: one operation at a time; a message is accepted when the result before has been
    taken.
    """

    def elaborate(self, platform):
        m = Module()
        p = self.params
        n, width = p.digits, p.word_width
        parts = {field.name: field.words for field in p.key_operands.fields
                 if field.name not in p.key_columns} | {"columns": n * len(p.key_columns)}
        m.submodules.pace = stepper = Stepper(p.inner.schedule, p.program)
        sequencer = stepper.sequencer
        lanes = [Lane(p, stepper, number) for number in range(p.arrays)]
        for number, lane in enumerate(lanes):
            m.submodules[f"lane_{number}"] = lane
        word, index, of = self._let_in(m, parts, stepper, empty=~lanes[0].sending)
        begun = stepper.start.any()

        def collected(name):
            """Return the value of a part of the key, in registers."""
            value = Signal(parts[name] * width, name=name, reset_less=True)
            with m.If(of[name]):
                m.d.sync += value.eq(Cat(value, word)[width:])
            return value

        def given(loop, name):
            """Let a loop have as many turns as a part of the key says."""
            last = Signal.like(sequencer.last[loop], name=f"last_{loop}")
            m.d.sync += last.eq(collected(name) - 1)
            m.d.comb += sequencer.last[loop].eq(last)

        def digits_of(name, window, moves):
            """Return the digit of an exponent to which the program has moved."""
            m.submodules[name] = source = DigitSource(width, parts[name], window)
            m.d.comb += [source.write.eq(of[name]), source.index.eq(index), source.word.eq(word)]
            # A clock late, when the step has read its source; none needs the next digit so soon.
            m.d.sync += [source.rewind.eq(begun & (sequencer.step.digits == Digits.REWIND)),
                         source.next.eq(begun & (sequencer.step.digits == moves))]
            return source.digit

        digits = [digits_of(f"exponent{factor}", p.window, Digits.NEXT) for factor in p.factors]
        inverses = [collected(f"inverse{factor}") for factor in p.factors]
        given("digit", "digits")
        if p.arrays < len(p.factors):
            inverse = Signal(width, name="inverse", reset_less=True)
            digit = Signal(p.window, name="digit", reset_less=True)
            m.d.sync += [inverse.eq(Mux(stepper.half, inverses[1], inverses[0])),
                         digit.eq(Mux(stepper.half, digits[1], digits[0]))]
            inverses, digits = [inverse], [digit]
        m.d.comb += stepper.storing.eq(lanes[0].storing)
        passed = None
        if traits(p).checks:
            given("public", "public_digits")
            m.d.comb += sequencer.condition.eq(~digits_of("public", 1, Digits.NEXT_PUBLIC))
            passed = self._passed(m, stepper, lanes)

        # -- Writing: keys and messages, to all lanes, and what they find.
        first = min(p.key_columns.values())
        place, column = Signal(range(n), name="place"), Signal(p.columns.bits, name="column",
                                                               init=first)
        part = Signal(range(len(p.message_columns)), name="part_of_message")
        with m.If(of.columns | of.base):
            m.d.sync += place.eq(place + 1)
            with m.If(place == n - 1):
                m.d.sync += [place.eq(0), column.eq(column + of.columns), part.eq(part + of.base)]
        with m.Elif(of.digits | ~stepper.resting):
            # Nothing that an operation before may have left moves the next message, or key.
            m.d.sync += [place.eq(0), column.eq(first), part.eq(0)]
        message_column = Mux(part, p.message_columns[-1], p.message_columns[0])
        address = Cat(Mux(of.base, message_column, column), place)
        for lane, inverse, digit in zip(lanes, inverses, digits, strict=True):
            m.d.comb += [lane.inverse.eq(inverse), lane.digit.eq(digit), lane.word.eq(word),
                         lane.keep.eq(of.columns | of.base), lane.address.eq(address)]
        if len(lanes) > 1:
            lanes[0].other, lanes[1].other = lanes[1], lanes[0]
        self._send(m, lanes[0], stepper.ends, passed)
        return m

    def _let_in(self, m, parts, stepper, *, empty):
        """Let keys and messages in when nothing is computed, and messages when ``empty`` is high.

        An operation begins in the clock after one in which it was offered, and no key was. Return
        what has come a clock before: the word, its place in its part, and a bit for each of the
        ``parts`` of a key and for ``base``.
        """
        i, k, digits = self.i, self.k, self.params.i_words
        m.submodules.base = base = Pointer(digits)
        index = Signal(range(max(digits, *parts.values())), name="place")
        of = Signal(data.StructLayout(dict.fromkeys((*parts, "base"), 1)), name="part")
        begun, open_, known, renew, keyed, last = signals("key_begun open known renew keyed last")
        m.d.comb += [
            k.ready.eq(stepper.resting & base.first & ~open_), i.ready.eq(~base.first | open_),
            renew.eq(k.valid & k.ready), base.step.eq(i.valid & i.ready), of.base.eq(base.step),
            stepper.begin.eq(base.step & base.last),
        ]
        m.d.sync += open_.eq(stepper.resting & known & empty & ~begun & i.valid & ~k.valid
                             & ~base.step)
        with m.If(base.step | renew):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        with m.If(keyed):
            m.d.sync += known.eq(1)
        with m.Elif(renew):
            m.d.sync += known.eq(0)
        names = list(parts)
        # Words of the part after the next one: -1 with the last word, whatever their number.
        left = Signal(range(-1, max(parts.values())), name="words_left", init=parts[names[0]] - 2)
        ends = left < 0
        with m.If(renew):
            m.d.sync += [begun.eq(~keyed), left.eq(left - 1)]
        m.d.comb += last.eq(Mux(base.step, base.last, ends))
        with m.FSM(name="part"):
            for name, following in zip(names, [*names[1:], names[0]], strict=True):
                with m.State(name.upper()):
                    m.d.comb += of[name].eq(renew)
                    with m.If(renew & ends):
                        m.d.sync += left.eq(parts[following] - 2)
                        m.next = following.upper()
                    if name == names[-1]:
                        m.d.comb += keyed.eq(renew & ends)
        return (later(m, Mux(base.step, i.payload, k.payload), 1, "word"),
                later(m, index, 1, "index_of_word"),
                data.View(of.shape(), later(m, of.as_value(), 1, "of", reset_less=False)))

    @staticmethod
    def _passed(m, stepper, lanes):
        """Return whether the result is right modulo both factors; that of q comes a clock late."""
        passed = Signal(2, name="passed")
        judges, sequencer = Signal(name="judges"), stepper.sequencer
        m.d.sync += judges.eq(sequencer.advance & sequencer.step.verdict)
        if len(lanes) == 1:
            judged = Signal(name="judged")
            m.d.sync += judged.eq(stepper.half)
            with m.If(judges):
                m.d.sync += passed.bit_select(judged, 1).eq(~lanes[0].rows.any)
        else:
            for number, lane in enumerate(lanes):
                with m.If(later(m, judges, number, "judges", reset_less=False)):
                    m.d.sync += passed[number].eq(~lane.rows.any)
        with m.If(sequencer.begin):
            m.d.sync += passed.eq(0)
        return passed.all()

    def _send(self, m, lane, ends, passed):
        """Let the result leave; with a check, if it has passed, and nothing else."""
        p, memory = self.params, lane.memory
        asked, sending, moves = lane.asked, lane.sending, lane.moves
        last = p.result_places[-1]["column"]
        there = Signal(2, name="there")
        word = memory.b.q
        if traits(p).checks:
            # Whichever bit of an address is wrong: the key is in the same memory.
            of_result, late = Signal(name="of_result"), Signal(BlockRam.LATENCY, name="was_result")
            m.d.comb += of_result.eq(reduce(or_, [lane.reading == place["column"]
                                                  for place in p.result_places]))
            with m.If(memory.b.enable):
                m.d.sync += late.eq(Cat(of_result, late))
            right = Signal(name="right")
            m.d.comb += right.eq(passed)
            word |= (~(right & late[-1])).replicate(len(word))
        m.d.comb += [moves.eq(~self.o.valid | self.o.ready), self.o.valid.eq(there[1] & sending),
                     self.o.payload.eq(word)]
        with m.If(ends):
            m.d.sync += [sending.eq(1), asked.eq(1), there.eq(0)]
        with m.Elif(moves):
            m.d.sync += there.eq(Cat(asked, there[0]))
            with m.If(lane.end & (len(p.result_places) == 1 or lane.reading == last)):
                m.d.sync += asked.eq(0)
            with m.If(~asked & ~there[0]):
                m.d.sync += sending.eq(0)
