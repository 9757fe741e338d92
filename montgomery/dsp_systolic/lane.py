"""An array with the memory and the unit for rows beside it, as the steps of a program move them."""

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..blocks.block_ram import BlockRam, port_signature
from ..blocks.carry_save import gate
from ..blocks.row_unit import RowUnit
from ..blocks.values import later, signals
from .array import create_array
from .lane_program import Unit

__all__ = ["ColumnMemory", "Lane"]


class ColumnMemory(wiring.Component):
    """A memory of columns, the number of the column being the lowest bits of an address.

    One :class:`~montgomery.blocks.block_ram.BlockRam` or, where that would have more words than
    one can have, two: for the lower half of the columns, and for the upper one.

    Latency and throughput: those of the block RAM.
    """

    _MOST_OF_ONE = 16384
    #: Words of the largest memory, on devices where block RAMs are instances.
    MOST = 2 * _MOST_OF_ONE

    def __init__(self, width, rows, bits):
        self.width, self.rows, self.bits = width, rows, bits  # of a word; words of a column
        port = port_signature(width, rows << bits)
        super().__init__({"a": In(port), "b": In(port)})

    def elaborate(self, platform):
        m = Module()
        if self.rows << self.bits <= self._MOST_OF_ONE:
            m.submodules.ram = ram = BlockRam(self.width, self.rows << self.bits)
            wiring.connect(m, wiring.flipped(self.a), ram.a)
            wiring.connect(m, wiring.flipped(self.b), ram.b)
            return m
        m.submodules.lower = lower = BlockRam(self.width, self.rows << self.bits - 1)
        m.submodules.upper = upper = BlockRam(self.width, self.rows << self.bits - 1)
        for name in "ab":
            port, high = getattr(self, name), self.bits - 1
            in_upper = port.address[high]
            for ram, chosen in ((lower, ~in_upper), (upper, in_upper)):
                inner = getattr(ram, name)
                m.d.comb += [
                    inner.enable.eq(port.enable), inner.write.eq(port.write & chosen),
                    inner.address.eq(Cat(port.address[:high], port.address[high + 1:])),
                    inner.data.eq(port.data)]
            late = Signal(BlockRam.LATENCY, name=f"{name}_upper", reset_less=True)
            with m.If(port.enable):
                m.d.sync += late.eq(Cat(in_upper, late))
            m.d.comb += port.q.eq(Mux(late[-1], getattr(upper, name).q, getattr(lower, name).q))
        return m


class Lane(Elaboratable):
    """What works on the numbers of a memory.

    With two arrays there are two lanes, that of p and that of q. They do the same, since no step
    time that depends on a number; the second one a clock later, so that it has registers of its
    own, which can lie beside its array. A :class:`~.lane_core.Stepper` says what all lanes do.
    """

    def __init__(self, params, stepper, number):
        s = params.inner.schedule
        self.params, self._stepper, self.number = params, stepper, number
        self.other = None  # the other lane, if there is one
        self._step, self._turn_of = stepper.sequencer.step, stepper.sequencer.turn_of
        self.array = create_array(s)
        self.rows = rows = RowUnit(s.digit_width, s.digits)
        self.memory = ColumnMemory(s.digit_width, s.digits, params.columns.bits)
        # To be given: -1/m modulo b, for the factor m; the digit of the exponent.
        self.inverse = Signal(s.digit_width, name="inverse")
        self.digit = Signal(params.window, name="digit")
        # To be given: a word of a column of a key, or of a message, came a clock before; where to.
        self.keep, self.word = Signal(name="keep"), Signal(s.digit_width, name="word")
        self.address = Signal.like(self.memory.a.address, name="address")
        # To be given to the first lane: results are asked for, move, and leave.
        self.asked, self.moves, self.sending = signals("asked moves sending")
        # Digits of a product are stored. The last row of a column of the memory is read, but not
        # for the unit for rows.
        self.storing, self.end = signals("storing end")
        self.reading = Signal(params.columns.bits, name="column", reset_less=True)
        # What the unit for rows gave, a clock before.
        self._found = {"write": rows.write, "lowest": rows.lowest, "to": rows.to, "data": rows.data}
        self.found = self._like_found("found")

    def _like_found(self, name):
        return {key: Signal.like(value, name=f"{name}_{key}", reset_less=key in ("to", "data"))
                for key, value in self._found.items()}

    def _late(self, value, name, *, more=0):
        """Return what comes from the sequencer, as late as this lane is."""
        if not self.number:
            return later(self._m, value, more, name, reset_less=False)
        # Complements: of registers that follow each other in both lanes, synthesis would make one
        # set for both, far from one of them.
        ones = (1 << len(value)) - 1
        return ~later(self._m, ~Value.cast(value), 1 + more, name, reset_less=False, init=ones)

    def _column(self, place, name, half, *, more=0):
        """Return the column of a place, a clock late."""
        found = Signal(self.params.columns.bits, name=name, reset_less=True)
        self._m.d.sync += found.eq(
            place.column | (place.half & half) | (place.choice & self.rows.above)
            | gate(place.entry, self._turn_of("entry")) | gate(place.digit, self.digit))
        return self._late(found, name, more=more)

    def elaborate(self, platform):
        m = self._m = Module()
        step, rows = self._step, self.rows
        m.submodules.array, m.submodules.rows, m.submodules.memory = self.array, rows, self.memory
        start = {unit: self._late(self._stepper.start[unit], f"start_{unit.name}") for unit in Unit}
        m.d.sync += [self.found[name].eq(value) for name, value in self._found.items()]
        m.d.comb += [
            rows.inverse.eq(self.inverse),
            rows.start.eq(start[Unit.ROW]), rows.row.eq(self._late(step.row, "row")),
            rows.place.eq(self._late(self._turn_of("place"), "place_of_row")),
            rows.q.eq(later(m, self.memory.b.q, 1, "q")), self.array.keep.eq(1),
        ]
        half, shares = self._stepper.half, self.params.arrays == 2
        source = self._column(step.source, "source", self.number if shares else half)
        # Later still where there are two arrays, since what the other lane found is.
        target = self._column(
            step.target, "target", Mux(step.shared, half, self.number) if shares else half,
            more=2 * shares)
        self._read(m, start, source)
        self._write(m, target)
        return m

    def _read(self, m, start, source):
        """Connect what is read: x of a product, y or a modulus, rows, and results."""
        p, rows, array, memory = self.params, self.rows, self.array, self.memory
        s, columns = p.inner.schedule, p.columns
        index = Signal(range(s.digits), name="index", reset_less=True)
        reading, end = self.reading, self.end
        # From a clock after the step before to the product, which may have its result as x.
        wait = s.restart - s.period - s.lead
        points = later(m, start[Unit.PRODUCT], 1, "points", reset_less=False)
        begin = later(m, points, wait - 1, "begin", reset_less=False)
        reloads, is_modulus = signals("reloads is_modulus")
        reload = start[Unit.Y] | start[Unit.MODULUS]
        reloaded = reloads & end
        m.d.sync += reloads.eq((reloads & ~reloaded) | reload)
        with m.If(reload):
            m.d.sync += is_modulus.eq(start[Unit.MODULUS])
        takes = self._takes_x(m, begin)
        exact = Const(columns.number("exact"), columns.bits) if "exact" in columns else source
        with m.If(rows.asks | rows.of_exact):
            m.d.sync += [index.eq(rows.index), end.eq(0),
                         reading.eq(Mux(rows.of_exact, exact, source))]
        with m.Elif(reload | points):
            m.d.sync += [index.eq(0), end.eq(0), reading.eq(source)]
        goes_on, more = reloads | takes, []
        if not self.number:
            first, *more = [place["column"] | (place.get("choice", 0) & rows.above)
                            for place in p.result_places]
            with m.Elif(self._stepper.ends):
                m.d.sync += [index.eq(0), end.eq(0), reading.eq(first)]
            goes_on = Mux(self.sending, self.moves & self.asked, goes_on)
        with m.Elif(goes_on):
            m.d.sync += [index.eq(Mux(end, 0, index + 1)), end.eq(index == s.digits - 2)]
            for second in more:
                with m.If(self.sending & end):
                    m.d.sync += reading.eq(second)
        is_last = Signal(name="is_last", reset_less=True)
        m.d.sync += is_last.eq(end)

        def at_output(value, name, **kwargs):
            return later(m, value, BlockRam.LATENCY, name, **kwargs)

        gives = at_output(reloads, "gives", reset_less=False)
        gives_first = at_output(reloads & (index == 0), "gives_first")
        gives_last = at_output(reloaded, "gives_last", reset_less=False)
        of_modulus = at_output(is_modulus, "of_modulus")
        m.d.comb += [
            memory.b.address.eq(Cat(reading, index)),
            memory.b.enable.eq(1 if self.number else ~self.sending | self.moves),
            array.begin.eq(begin), array.x.eq(memory.b.q), array.last.eq(is_last),
            array.operand.digit.eq(memory.b.q), array.operand.is_modulus.eq(of_modulus),
            array.operand.last_operand.eq(gives_last),
        ]
        if s.excess:
            m.d.comb += array.operand.load.eq(gives)
        else:
            # m_0 goes to CU alone.
            lowest = Signal(s.digit_width, name="lowest", reset_less=True)
            of_cu = gives_first & of_modulus
            with m.If(gives & of_cu):
                m.d.sync += lowest.eq(memory.b.q)
            m.d.comb += [array.operand.load.eq(gives & ~of_cu), array.lowest.eq(lowest),
                         array.inverse.eq(self.inverse)]

    def _takes_x(self, m, begin):
        """Return when the array takes digits of x: from the clock after ``begin``, a slot apart."""
        period = self.params.inner.schedule.period
        takes, moving = signals("takes_x moving")
        phase = Signal(range(period), name="phase", reset_less=True)
        ends = phase == period - 1
        m.d.sync += [takes.eq(begin | (moving & ends)),
                     moving.eq((moving & ~(takes & self.end)) | begin),
                     phase.eq(Mux(begin | ends, 0, phase + 1))]
        return takes

    def _write(self, m, target):
        """Write keys and messages, results of the array, and rows."""
        array, memory, storing, found, n = (self.array, self.memory, self.storing, self.found,
                                            self.params.digits)
        place, to = Signal(range(n), name="place"), Signal(len(target), name="to")
        stores = storing & array.result.valid
        with m.If(array.leaves):
            m.d.sync += [storing.eq(1), place.eq(0), to.eq(target)]
        with m.Elif(stores):
            m.d.sync += [storing.eq(place != n - 1), place.eq(place + 1)]
        if self.other:
            turn = Signal(name="others_turn")
            m.d.sync += turn.eq(self._step.shared & (self._stepper.half != self.number))
            turn = self._late(turn, "others_turn", more=2)
            relayed = self._like_found("relayed")
            m.d.sync += [relayed[name].eq(value) for name, value in self.other.found.items()]
            found = {name: Mux(turn, relayed[name], value) for name, value in found.items()}
        # Words are as late as this.
        resting = later(m, self._stepper.resting, 1, "rested", reset_less=False)
        m.d.sync += memory.a.write.eq(stores | found["write"] | found["lowest"] | self.keep)
        data_in = Mux(resting, self.word, Mux(storing, array.result.digit, found["data"]))
        written_to = Mux(resting, self.address, Mux(storing, Cat(to, place),
                                               Cat(target | found["lowest"], found["to"])))
        m.d.comb += [memory.a.data.eq(later(m, data_in, 1, "written")),
                     memory.a.address.eq(later(m, written_to, 1, "written_to"))]
