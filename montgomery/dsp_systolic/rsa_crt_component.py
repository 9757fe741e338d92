"""The hardware of RSA with CRT around the systolic array."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from .arrays import create_array
from .crt_program import Place, Unit
from .crt_sequencer import CrtSequencer
from .element import later
from .exponent import Exponent
from .loader import Loader
from .rows import RowUnit

__all__ = ["RsaCrtCore"]


class RsaCrtCore(wiring.Component):
    """RSA with the Chinese remainder theorem on one array, first modulo q and then modulo p.

    All numbers are columns of one memory. A sequencer goes through a list of steps: what the array
    multiplies, and what a unit with one more multiplier adds, subtracts and multiplies digit by
    digit. The result stays in the
    memory; if it has not passed the check, only ones leave the core.

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
        takes = {Unit.MODULUS: n, Unit.Y: n, Unit.PRODUCT: s.interval, Unit.ROW: RowUnit.clocks(n)}
        ready = done = start = 0
        for unit in units:
            start = done if unit is Unit.PRODUCT else max(done + CrtSequencer.OTHER, ready)
            done = start + takes[unit]
            ready = start + stored if unit is Unit.PRODUCT else 0
        return done + 3 + BlockRam.LATENCY

    @staticmethod
    def more_multipliers(technology, width):
        """Return the multiplier blocks beside those of the array."""
        return MultiplyAdd.blocks_of(technology, width, width)

    def elaborate(self, platform):
        m = Module()
        p = self.params
        s, columns = p.inner.schedule, p.columns
        n, width = s.digits, s.digit_width
        parts = dict(p.key_parts)
        m.submodules.array = array = create_array(s)
        m.submodules.loader = loader = Loader(width, parts, 2 * n)
        m.submodules.sequencer = steps = CrtSequencer(p)
        m.submodules.rows = rows = RowUnit(width, n)
        m.submodules.memory = memory = BlockRam(width, n << columns.bits)
        of = loader.of
        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)

        def collected(name):
            """Return the value of a part of the key, in registers."""
            value = Signal(parts[name] * width, name=name, reset_less=True)
            with m.If(of[name]):
                m.d.sync += value.eq(Cat(value, loader.word)[width:])
            return value

        exponents = {}
        for name in ("exponent_p", "exponent_q", "public"):
            if name in parts:
                window = 1 if name == "public" else p.window
                m.submodules[name] = exponents[name] = each = Exponent(width, parts[name], window)
                m.d.comb += [
                    each.write.eq(of[name]), each.index.eq(loader.index),
                    each.word.eq(loader.word)]
                # A clock late: no step is so short that its end needs the bits sooner.
                m.d.sync += [
                    each.rewind.eq(steps.rewind),
                    each.take.eq(steps.take_public if name == "public" else steps.take)]
        inverses = [collected(f"inverse_{name}") for name in "pq"]
        inverse = Signal(width, name="inverse", reset_less=True)
        digit = Mux(steps.half, exponents["exponent_q"].digit, exponents["exponent_p"].digit)
        known = Signal(name="known")
        with m.If(loader.keyed):
            m.d.sync += known.eq(1)
        with m.Elif(loader.renew):
            m.d.sync += known.eq(0)
        storing, sending = Signal(name="storing"), Signal(name="sending")
        m.d.sync += inverse.eq(Mux(steps.half, inverses[1], inverses[0]))
        m.d.comb += [
            loader.resting.eq(steps.resting), loader.known.eq(known), loader.empty.eq(~sending),
            steps.begin.eq(loader.based), steps.digit_count.eq(collected("digits")),
            steps.storing.eq(storing), steps.nonzero.eq(rows.any), rows.inverse.eq(inverse),
            rows.start.eq(steps.start.row), rows.row.eq(steps.row), rows.place.eq(steps.place),
            rows.q.eq(memory.b.q), array.keep.eq(1),
        ]
        if p.checks:
            m.d.comb += [steps.public_count.eq(collected("public_digits")),
                         steps.public_bit.eq(exponents["public"].digit)]

        # -- Columns of the step, a clock late.
        def column(place, name):
            found = Signal(columns.bits, name=name, reset_less=True)
            m.d.sync += found.eq(
                place.base | (place.half & steps.half) | (place.choice & rows.above)
                | gate(place.entry, steps.entry) | gate(place.digit, digit))
            return found

        source, target = column(steps.source, "source"), column(steps.target, "target")

        def fixed(name, **kwargs):
            return Const(columns.number(Place(name=name, **kwargs)), columns.bits)

        # -- Reading: x of a product, y or a modulus, rows, and the result that leaves the core.
        index = Signal(range(n), name="index", reset_less=True)
        reading = Signal(columns.bits, name="column", reset_less=True)
        wait = s.restart - s.period - s.lead + 1
        pause, waits = Signal(range(wait + 1), name="pause"), Signal(name="waits")
        with m.If(steps.start.product):
            m.d.sync += [waits.eq(1), pause.eq(wait - 1)]
        with m.Elif(waits):
            m.d.sync += [pause.eq(pause - 1), waits.eq(pause != 0)]
        reloads, is_modulus = Signal(name="reloads"), Signal(name="is_modulus")
        reload = steps.start.y | steps.start.modulus
        reloaded = reloads & (index == n - 1)
        m.d.sync += reloads.eq((reloads & ~reloaded) | reload)
        with m.If(reload):
            m.d.sync += is_modulus.eq(steps.start.modulus)
        asked, moves = Signal(name="asked"), Signal(name="moves")
        advance = array.advance if s.overlaps else array.x.ready
        end = index == n - 1
        with m.If(rows.asks | rows.of_exact):
            m.d.sync += [index.eq(rows.index),
                         reading.eq(Mux(rows.of_exact, fixed("exact"), source))]
        with m.Elif(reload | (waits & (pause == wait - 2))):
            m.d.sync += [index.eq(0), reading.eq(source)]
        with m.Elif(steps.ends):
            m.d.sync += [index.eq(0), reading.eq(fixed("total", odd=True))]
        with m.Elif(Mux(sending, moves & asked, reloads | advance)):
            m.d.sync += index.eq(Mux(end, 0, index + 1))
            with m.If(sending & end):
                m.d.sync += reading.eq(fixed("total"))
        is_last = Signal(name="is_last", reset_less=True)
        m.d.sync += is_last.eq(end)
        late = BlockRam.LATENCY
        gives = later(m, reloads, late, "gives", reset_less=False)
        gives_first = later(m, reloads & (index == 0), late, "gives_first")
        gives_last = later(m, reloaded, late, "gives_last", reset_less=False)
        of_modulus = later(m, is_modulus, late, "of_modulus")
        m.d.comb += [
            memory.b.address.eq(Cat(reading, index)), memory.b.enable.eq(~sending | moves),
            array.begin.eq(waits & (pause == 0)), array.x.valid.eq(1),
            array.x.payload.eq(memory.b.q), array.last.eq(is_last),
            array.operand.digit.eq(memory.b.q), array.operand.is_modulus.eq(of_modulus),
            array.operand.last_operand.eq(gives_last),
            steps.done.eq(array.done | reloaded | rows.done),
        ]
        if s.scaled:
            m.d.comb += array.operand.load.eq(gives)
        else:
            # m_0 goes to CU alone.
            lowest = Signal(width, name="lowest", reset_less=True)
            of_cu = gives_first & of_modulus
            with m.If(gives & of_cu):
                m.d.sync += lowest.eq(memory.b.q)
            m.d.comb += [array.operand.load.eq(gives & ~of_cu), array.lowest.eq(lowest),
                         array.inverse.eq(inverse)]

        # -- Writing: keys and messages, results of the array, and rows.
        place, to = Signal(range(n), name="place"), Signal(columns.bits, name="to")
        stores = storing & array.result.valid
        with m.If(array.leaves):
            m.d.sync += [storing.eq(1), place.eq(0), to.eq(target)]
        with m.Elif(stores):
            m.d.sync += [storing.eq(place != n - 1), place.eq(place + 1)]
        message_place = Signal(range(n), name="message_place")
        low = Signal(name="low_message", init=1)
        with m.If(of.base):
            m.d.sync += message_place.eq(message_place + 1)
            with m.If(message_place == n - 1):
                m.d.sync += [message_place.eq(0), low.eq(~low)]
        names = p.key_columns
        key_column = reduce(or_, [
            gate(of[f"{name}_{factor}"], fixed(name, odd=bool(half)))
            for half, factor in enumerate("pq") for name in names])
        kept = reduce(or_, [of[f"{name}_{factor}"] for name in names for factor in "pq"])
        m.d.sync += [
            memory.a.write.eq(stores | rows.write | rows.lowest | kept | of.base),
            memory.a.data.eq(Mux(steps.resting, loader.word,
                                 Mux(storing, array.result.digit, rows.data))),
            memory.a.address.eq(Mux(
                steps.resting,
                Mux(of.base, Cat(Mux(low, fixed("message", odd=True), fixed("message")),
                                 message_place), Cat(key_column, loader.index[:len(place)])),
                Mux(storing, Cat(to, place), Cat(target | rows.lowest, rows.to)))),
        ]

        # -- The result leaves, if it has passed.
        there = Signal(2, name="there")
        right = Signal(name="right")
        m.d.comb += [
            moves.eq(~self.o.valid | self.o.ready), self.o.valid.eq(there[1]),
            self.o.payload.eq(memory.b.q | (~right).replicate(width)),
            right.eq(steps.passed.all()),
        ]
        with m.If(steps.ends):
            m.d.sync += [sending.eq(1), asked.eq(1)]
        with m.Elif(moves):
            m.d.sync += there.eq(Cat(asked, there[0]))
            with m.If(end & (reading == fixed("total"))):
                m.d.sync += asked.eq(0)
            with m.If(~asked & ~there[0]):
                m.d.sync += sending.eq(0)
        return m
