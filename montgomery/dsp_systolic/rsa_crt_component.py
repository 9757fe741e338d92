"""The hardware of RSA with CRT around the systolic array."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.delay import later
from ..core import Products
from .crt_lane import CrtLane
from .crt_program import Unit
from .crt_sequencer import CrtSequencer
from .exponent import Exponent
from .loader import Loader

__all__ = ["RsaCrtCore"]


class RsaCrtCore(wiring.Component):
    """RSA with the Chinese remainder theorem on one array, first modulo q and then modulo p, or on
    two arrays at once.

    All numbers are columns of a memory. A sequencer goes through a list of steps: what the array
    multiplies, and what a unit with one more multiplier adds, subtracts and multiplies digit by
    digit. Two arrays have a memory and such a unit each, and one sequencer; the second one does
    what the first one does, a clock later. The result stays in the memory; if it has not passed the
    check, only ones leave the core.

    The check does not see two kinds of faults, neither of which gives the factors away: a bit that
    is wrong in the result after it was checked, or on its way out, leaves as it is; and a message
    that was stored wrongly is signed, as if it had been sent.

    Latency: the steps, none of which takes a time that depends on a number. The memory is read at
    addresses that depend on the exponents, and on one comparison for each exact reduction: that
    may show in the power that the core takes, or in what it radiates.

    Throughput: one operation at a time; a message is accepted when the result before has been
    taken.

    Parameters
    ----------
    params : :class:`~montgomery.dsp_systolic.rsa_crt.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    @staticmethod
    def clocks(schedule, units):
        """Return the clocks from the last word of a message to the first one of the result.

        Parameters
        ----------
        schedule : :class:`~.schedule.Schedule`
        units : iterable of :class:`~.crt_program.Unit`
            Those of the steps, in order.
        """
        s, n = schedule, schedule.digits
        # From the start of a product to the clock in which all of its result has been stored.
        stored = (s.restart - s.period + n * s.period + s.sum_latency + s.arrival(n - 1) + 3)
        takes = CrtSequencer.clocks(s)
        ready = done = start = 0
        for unit in units:
            start = done if unit is Unit.PRODUCT else max(done + CrtSequencer.OTHER, ready)
            done = start + takes[unit]
            ready = start + stored if unit is Unit.PRODUCT else 0
        return done + 3 + BlockRam.LATENCY

    @staticmethod
    def products(width):
        """Return the :class:`~montgomery.core.Products` beside those of the array."""
        return (Products(1, width, width),)

    def elaborate(self, platform):
        m = Module()
        p = self.params
        s = p.inner.schedule
        n, width = s.digits, s.digit_width
        parts = {field.name: field.words for field in p.key_operands.fields}
        loader, steps = Loader(width, parts, 2 * n), CrtSequencer(p)
        lanes = [CrtLane(m, p, steps, number) for number in range(p.arrays)]
        for lane in lanes:
            m.submodules[lane.name("array")] = lane.array
        m.submodules.loader = loader
        m.submodules.sequencer = steps
        for lane in lanes:
            m.submodules[lane.name("rows")] = lane.rows
            m.submodules[lane.name("memory")] = lane.memory
        # The words of keys and messages, a clock late.
        of, word, index = (later(m, value, 1, name, reset_less=False) for value, name in (
            (loader.of.as_value(), "of"), (loader.word, "word"), (loader.index, "index_of_word")))
        of = data.View(loader.of.shape(), of)
        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)

        def collected(name):
            """Return the value of a part of the key, in registers."""
            value = Signal(parts[name] * width, name=name, reset_less=True)
            with m.If(of[name]):
                m.d.sync += value.eq(Cat(value, word)[width:])
            return value

        exponents = {}
        for name in ("exponent_p", "exponent_q", "public"):
            if name in parts:
                window = 1 if name == "public" else p.window
                m.submodules[name] = exponents[name] = each = Exponent(width, parts[name], window)
                m.d.comb += [
                    each.write.eq(of[name]), each.index.eq(index), each.word.eq(word)]
                # A clock late: no step is so short that its end needs the bits sooner.
                m.d.sync += [
                    each.rewind.eq(steps.rewind),
                    each.take.eq(steps.take_public if name == "public" else steps.take)]
        inverses = [collected(f"inverse_{name}") for name in "pq"]
        digits = [exponents[f"exponent_{name}"].digit for name in "pq"]
        known = Signal(name="known")
        with m.If(loader.keyed):
            m.d.sync += known.eq(1)
        with m.Elif(loader.renew):
            m.d.sync += known.eq(0)
        if p.arrays == 1:
            inverse = Signal(width, name="inverse", reset_less=True)
            m.d.sync += inverse.eq(Mux(steps.half, inverses[1], inverses[0]))
            digit = Signal(p.window, name="digit", reset_less=True)
            m.d.sync += digit.eq(Mux(steps.half, digits[1], digits[0]))
            inverses, digits = [inverse], [digit]
        first, sending = lanes[0], Signal(name="sending")
        m.d.comb += [
            loader.resting.eq(steps.resting), loader.known.eq(known), loader.empty.eq(~sending),
            steps.begin.eq(loader.based), steps.digit_count.eq(collected("digits")),
            steps.storing.eq(first.storing),
            steps.nonzero.eq(Cat(lane.rows.any for lane in lanes)),
        ]
        for lane, inverse in zip(lanes, inverses, strict=True):
            lane.connect(inverse)
        if p.traits.checks:
            m.d.comb += [steps.public_count.eq(collected("public_digits")),
                         steps.public_bit.eq(exponents["public"].digit)]

        asked, moves = Signal(name="asked"), Signal(name="moves")
        for lane, digit in zip(lanes, digits, strict=True):
            lane.read(digit, {"asked": asked, "sending": sending, "moves": moves}
                      if lane is first else None)

        # -- Writing: keys and messages, to all lanes, and what they find.
        for lane in lanes:
            lane.store()
        message_place = Signal(range(n), name="message_place")
        low = Signal(name="low_message", init=1)
        with m.If(of.base):
            m.d.sync += message_place.eq(message_place + 1)
            with m.If(message_place == n - 1):
                m.d.sync += [message_place.eq(0), low.eq(~low)]
        with m.Elif(~steps.resting):
            # Nothing that an operation before may have left moves the next message.
            m.d.sync += [message_place.eq(0), low.eq(1)]
        names, fixed = p.key_columns, first.fixed
        key_column = reduce(or_, [
            gate(of[f"{name}_{factor}"], fixed(name, odd=bool(half)))
            for half, factor in enumerate("pq") for name in names])
        kept = reduce(or_, [of[f"{name}_{factor}"] for name in names for factor in "pq"])
        message_column = Mux(low, fixed("message", odd=True), fixed("message"))
        address = Mux(of.base, Cat(message_column, message_place),
                      Cat(key_column, index[:len(message_place)]))
        for lane, other in zip(lanes, [None] if p.arrays == 1 else lanes[::-1], strict=True):
            lane.write([kept, of.base], word, address, other)

        # -- The result leaves, if it has passed; nothing else, whichever bit is wrong.
        there = Signal(2, name="there")
        right, of_result = Signal(name="right"), Signal(name="of_result")
        memory, total = first.memory, [fixed("total"), fixed("total", odd=True)]
        # In pace with the memory, where the key is beside the result.
        columns = Signal(BlockRam.LATENCY, name="columns_of_result")
        with m.If(memory.b.enable):
            m.d.sync += columns.eq(Cat(of_result, columns))
        m.d.comb += [
            of_result.eq(reduce(or_, [first.reading == column for column in total])),
            moves.eq(~self.o.valid | self.o.ready), self.o.valid.eq(there[1] & sending),
            self.o.payload.eq(memory.b.q | (~(right & columns[-1])).replicate(width)),
            right.eq(steps.passed.all()),
        ]
        with m.If(steps.ends):
            m.d.sync += [sending.eq(1), asked.eq(1), there.eq(0)]
        with m.Elif(moves):
            m.d.sync += there.eq(Cat(asked, there[0]))
            with m.If(first.end & (first.reading == total[0])):
                m.d.sync += asked.eq(0)
            with m.If(~asked & ~there[0]):
                m.d.sync += sending.eq(0)
        return m
