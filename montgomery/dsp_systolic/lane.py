"""An array with the memory and the unit for rows beside it, as the steps of a program move them."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.column_memory import ColumnMemory
from ..blocks.delay import later
from ..blocks.row_unit import RowUnit
from .array import create_array

__all__ = ["Lane"]


class Lane:
    """What works on the numbers of a memory.

    This is no component: it adds to the module that it is given. With two arrays there are two
    lanes, that of p and that of q. They do the same, since no step takes a time that depends on a
    number; the second one a clock later, so that it has registers of its own, which can lie beside
    its array.

    Parameters
    ----------
    m : :class:`amaranth.hdl.Module`
    params : :class:`~.programmed.Programmed`
    sequencer : :class:`~montgomery.blocks.sequencer.Sequencer`
    pace : :class:`~.lane_control.Pace`
        These say what all lanes do.
    number : :class:`int`
        0 or, of the second lane, 1.

    Attributes
    ----------
    array, rows, memory
        Its parts.
    found : :class:`dict` from :class:`str` to :class:`amaranth.hdl.Signal`
        What the unit for rows gave a clock before: ``write`` or ``lowest``, ``to``, ``data``.
    storing : :class:`amaranth.hdl.Signal`
        Digits of a product are stored.
    end, reading : :class:`amaranth.hdl.Signal`
        The last row of the memory is read, but not for the unit for rows; the column.
    """

    def __init__(self, m, params, sequencer, pace, number):
        s = params.inner.schedule
        self._m, self.params, self._pace, self.number = m, params, pace, number
        self._step, self._turn_of = sequencer.step, sequencer.turn_of
        self.array = create_array(s)
        self.rows = RowUnit(s.digit_width, s.digits)
        self.memory = ColumnMemory(s.digit_width, s.digits, params.columns.bits)
        self.storing = Signal(name=self.name("storing"))
        for part in ("array", "rows", "memory"):
            m.submodules[self.name(part)] = getattr(self, part)

    def name(self, name):
        """Return the name of a signal, or of a part, of this lane."""
        return name if self.params.arrays == 1 else f"{name}_{'pq'[self.number]}"

    @property
    def half(self):
        """The factor whose turn it is, if there are two: the second one is first."""
        return ~self._turn_of("half")

    def _late(self, value, name, *, more=0):
        """Return what comes from the sequencer, as late as this lane is."""
        clocks, name = self.number + more, self.name(name)
        if not self.number:
            return later(self._m, value, clocks, name, reset_less=False)
        # Complements: of registers that follow each other in both lanes, synthesis would make one
        # set for both, far from one of them.
        ones = (1 << len(value)) - 1
        return ~later(self._m, ~Value.cast(value), clocks, name, reset_less=False, init=ones)

    def _column(self, place, name, digit, half, *, more=0):
        """Return the column of a place, a clock late."""
        found = Signal(self.params.columns.bits, name=self.name(name), reset_less=True)
        self._m.d.sync += found.eq(
            place.column | (place.half & half) | (place.choice & self.rows.above)
            | gate(place.entry, self._turn_of("entry")) | gate(place.digit, digit))
        return self._late(found, name, more=more)

    def connect(self, inverse, digit, sends=None):
        """Connect the parts with each other.

        Parameters
        ----------
        inverse : :class:`amaranth.hdl.Signal`
            -1/m modulo b, for the factor m.
        digit : expression
            The digit of the exponent.
        sends : :class:`dict` or ``None``
            Of the first lane, from which results leave: they are asked for (``asked``), leave
            (``sending``), and move (``moves``).
        """
        m, rows = self._m, self.rows
        self._start = {unit: self._late(self._pace.start[unit], f"start_{unit}")
                       for unit in ("modulus", "y", "product", "row")}
        self._inverse = inverse
        self.found = self._late_rows({name: getattr(rows, name) for name in (
            "write", "lowest", "to", "data")}, "found")
        m.d.comb += [
            rows.inverse.eq(inverse),
            rows.start.eq(self._start["row"]), rows.row.eq(self._late(self._step.row, "row")),
            rows.place.eq(self._late(self._turn_of("place"), "place_of_row")),
            rows.q.eq(later(m, self.memory.b.q, 1, self.name("q"))), self.array.keep.eq(1),
        ]
        self._read(digit, sends)
        self._store()

    def _read(self, digit, sends):
        """Connect what is read: x of a product, y or a modulus, rows, and results."""
        m, p, step, rows, array = self._m, self.params, self._step, self.rows, self.array
        s, columns, memory = p.inner.schedule, p.columns, self.memory
        n, width = s.digits, s.digit_width
        start = self._start
        shares = p.arrays == 2
        half = self.half
        source = self._column(step.source, "source", digit, self.number if shares else half)
        # Later still where there are two arrays, since what the other lane found is.
        self._target = self._column(
            step.target, "target", digit,
            Mux(step.shared, half, self.number) if shares else half, more=2 * shares)
        index = Signal(range(n), name=self.name("index"), reset_less=True)
        reading = self.reading = Signal(columns.bits, name=self.name("column"), reset_less=True)
        # From a clock after the step before to the product, which may have its result as x.
        wait = s.restart - s.period - s.lead
        points = later(m, start["product"], 1, self.name("points"), reset_less=False)
        begin = later(m, points, wait - 1, self.name("begin"), reset_less=False)
        reloads, is_modulus = (Signal(name=self.name("reloads")),
                               Signal(name=self.name("is_modulus")))
        reload = start["y"] | start["modulus"]
        end = self.end = Signal(name=self.name("end"))  # the index is the last one
        reloaded = reloads & end
        m.d.sync += reloads.eq((reloads & ~reloaded) | reload)
        with m.If(reload):
            m.d.sync += is_modulus.eq(start["modulus"])
        advance = self._paced(begin, end)
        exact = Const(columns.number("exact"), columns.bits) if "exact" in columns else source
        with m.If(rows.asks | rows.of_exact):
            m.d.sync += [index.eq(rows.index), end.eq(0),
                         reading.eq(Mux(rows.of_exact, exact, source))]
        with m.Elif(reload | points):
            m.d.sync += [index.eq(0), end.eq(0), reading.eq(source)]
        goes_on, more = reloads | advance, []
        if sends:
            first, *more = [place["column"] | (place.get("choice", 0) & rows.above)
                            for place in p.result_places]
            with m.Elif(self._pace.ends):
                m.d.sync += [index.eq(0), end.eq(0), reading.eq(first)]
            goes_on = Mux(sends["sending"], sends["moves"] & sends["asked"], goes_on)
        with m.Elif(goes_on):
            m.d.sync += [index.eq(Mux(end, 0, index + 1)), end.eq(index == n - 2)]
            for second in more:
                with m.If(sends["sending"] & end):
                    m.d.sync += reading.eq(second)
        is_last = Signal(name=self.name("is_last"), reset_less=True)
        m.d.sync += is_last.eq(end)

        def at_output(value, name, **kwargs):
            return later(m, value, BlockRam.LATENCY, self.name(name), **kwargs)

        gives = at_output(reloads, "gives", reset_less=False)
        gives_first = at_output(reloads & (index == 0), "gives_first")
        gives_last = at_output(reloaded, "gives_last", reset_less=False)
        of_modulus = at_output(is_modulus, "of_modulus")
        m.d.comb += [
            memory.b.address.eq(Cat(reading, index)),
            memory.b.enable.eq(~sends["sending"] | sends["moves"] if sends else 1),
            array.begin.eq(begin), array.x.valid.eq(1),
            array.x.payload.eq(memory.b.q), array.last.eq(is_last),
            array.operand.digit.eq(memory.b.q), array.operand.is_modulus.eq(of_modulus),
            array.operand.last_operand.eq(gives_last),
        ]
        if s.excess:
            m.d.comb += array.operand.load.eq(gives)
        else:
            # m_0 goes to CU alone.
            lowest = Signal(width, name=self.name("lowest"), reset_less=True)
            of_cu = gives_first & of_modulus
            with m.If(gives & of_cu):
                m.d.sync += lowest.eq(memory.b.q)
            m.d.comb += [array.operand.load.eq(gives & ~of_cu), array.lowest.eq(lowest),
                         array.inverse.eq(self._inverse)]

    def _paced(self, begin, end):
        """Return when the array takes digits of x, which is known without it.

        The array, which says so too, may be far from the memory.

        Parameters
        ----------
        begin : expression
            The product begins: digits are taken a slot apart from the next clock on.
        end : expression
            The next digit to take is the last one.
        """
        m, period = self._m, self.params.inner.schedule.period
        takes, moving = Signal(name=self.name("takes_x")), Signal(name=self.name("moving"))
        phase = Signal(range(period), name=self.name("phase"), reset_less=True)
        ends = phase == period - 1
        m.d.sync += [takes.eq(begin | (moving & ends)),
                     moving.eq((moving & ~(takes & end)) | begin),
                     phase.eq(Mux(begin | ends, 0, phase + 1))]
        return takes

    def _store(self):
        """Take the results of products."""
        m, array, n = self._m, self.array, self.params.digits
        self._place = place = Signal(range(n), name=self.name("place"))
        self._to = to = Signal(self.params.columns.bits, name=self.name("to"))
        self._stores = self.storing & array.result.valid
        with m.If(array.leaves):
            m.d.sync += [self.storing.eq(1), place.eq(0), to.eq(self._target)]
        with m.Elif(self._stores):
            m.d.sync += [self.storing.eq(place != n - 1), place.eq(place + 1)]

    def _late_rows(self, values, name):
        """Return what the unit for rows gives, a clock late."""
        return {key: later(self._m, value, 1, self.name(f"{name}_{key}"),
                           reset_less=key in ("to", "data")) for key, value in values.items()}

    def write(self, keep, word, address, other=None):
        """Write keys and messages, results of the array, and rows.

        Parameters
        ----------
        keep : expression
            A word of a column of a key, or of a message, came a clock before.
        word, address : expression
            The word; where to.
        other : :class:`Lane` or ``None``
            The other lane, if there is one.
        """
        m, memory, found = self._m, self.memory, self.found
        if other is not None:
            turn = Signal(name=self.name("others_turn"))
            m.d.sync += turn.eq(self._step.shared & (self.half != self.number))
            turn = self._late(turn, "others_turn", more=2)
            relayed = self._late_rows(other.found, "relayed")
            found = {name: Mux(turn, relayed[name], value) for name, value in found.items()}
        # Words are as late as this.
        resting = later(m, self._pace.resting, 1, self.name("rested"), reset_less=False)
        m.d.sync += memory.a.write.eq(self._stores | found["write"] | found["lowest"] | keep)
        data_in = Mux(resting, word, Mux(self.storing, self.array.result.digit, found["data"]))
        to = Mux(resting, address, Mux(self.storing, Cat(self._to, self._place),
                                       Cat(self._target | found["lowest"], found["to"])))
        m.d.comb += [memory.a.data.eq(later(m, data_in, 1, self.name("written"))),
                     memory.a.address.eq(later(m, to, 1, self.name("written_to")))]
