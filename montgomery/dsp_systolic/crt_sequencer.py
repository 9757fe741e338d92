"""What goes through the list of operations."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .crt_program import Loop, Row, Unit
from .rows import RowUnit

__all__ = ["CrtSequencer", "place_layout"]


def place_layout(columns):
    """Return what a :class:`~.crt_program.Place` is in hardware.

    ``base`` is a column; ``half``, ``choice``, ``entry`` and ``digit`` say what is added to it.
    """
    return data.StructLayout({"base": columns.bits, "half": 1, "choice": 1, "entry": 1, "digit": 1})


def _encoded(columns, place):
    index = {"entry": 0, "digit": 0, None: 0}.get(place.index, place.index)
    return {"base": columns.base(place.name) + place.odd + index, "half": int(place.half),
            "choice": int(place.choice), "entry": int(place.index == "entry"),
            "digit": int(place.index == "digit")}


class CrtSequencer(wiring.Component):
    """Walks the list of steps, as :func:`~.crt_program.walk` does.

    While a step is done the next one is looked up, so that a product follows the one before, or the
    last digit of its y, at once. Any other step starts :attr:`OTHER` clocks after the one before,
    when the result of that is stored.

    Latency: :meth:`clocks` for a step. Throughput: one step at a time.

    Parameters
    ----------
    params : :class:`~.rsa_crt.Parameters`

    Attributes
    ----------
    OTHER : :class:`int`

    Members
    -------
    begin : :py:`In(1)`
        Begin with the first step.
    resting, ends : :py:`Out(1)`
        There is no step to do; the last one has been done.
    digit_count, public_count : :py:`In(...)`
        Digits of the exponents; bits of the public one after the first.
    public_bit : :py:`In(1)`
        The bit that was taken last.
    storing : :py:`In(1)`
        A result arrives.
    nonzero : :py:`In(arrays)`
        The last row gave another number than 0; with two arrays, that of q a clock late.
    unit : :py:`Out(Unit)`, row : :py:`Out(Row)`, source, target : :py:`Out(place_layout(...))`
        The step that is done.
    start : :py:`Out(data.StructLayout(...))`
        One starts, of each unit; a product has started with the clock before.
    half, entry, place : :py:`Out(...)`
        See :func:`~.crt_program.walk`; ``place`` is its row.
    rewind, take, take_public : :py:`Out(1)`
        Exponents begin again; the next bit is taken.
    passed : :py:`Out(2)`
        The result is right modulo each factor.
    shared : :py:`Out(1)`
        See :class:`~.crt_program.Step`; with two arrays.
    """

    OTHER = 2

    def __init__(self, params):
        self.params = params
        place = place_layout(params.columns)
        shared = {"shared": Out(1)} if params.arrays == 2 else {}
        super().__init__({
            **shared, "begin": In(1), "resting": Out(1), "ends": Out(1),
            "digit_count": In(range(params.most_digits + 1)),
            "public_count": In(range(params.longest_public + 1)), "public_bit": In(1),
            "storing": In(1), "nonzero": In(params.arrays), "unit": Out(Unit),
            "row": Out(Row), "source": Out(place), "target": Out(place),
            "start": Out(data.StructLayout({unit.name.lower(): 1 for unit in Unit})),
            "half": Out(1), "entry": Out(params.window), "place": Out(range(params.digits)),
            "rewind": Out(1), "take": Out(1), "take_public": Out(1), "passed": Out(2)})

    @staticmethod
    def clocks(schedule):
        """Return the clocks of a step of each unit, from its start to its end.

        Parameters
        ----------
        schedule : :class:`~.schedule.Schedule`
        """
        n = schedule.digits
        return {Unit.MODULUS: n, Unit.Y: n, Unit.PRODUCT: schedule.interval,
                Unit.ROW: RowUnit.clocks(n)}

    def elaborate(self, platform):
        m = Module()
        p = self.params
        both = p.arrays == 2
        steps, place = p.program, place_layout(p.columns)
        labels = {step.label: index for index, step in enumerate(steps) if step.label}
        counter = range(len(steps) + 1)
        layout = data.StructLayout({
            "unit": Unit, "row": Row, "source": place, "target": place, "loop": Loop,
            "to": counter, "first": 1, "verdict": 1, "last": 1, **({"shared": 1} if both else {})})
        words = [layout.const({
            "unit": step.unit, "row": step.row, "source": _encoded(p.columns, step.source),
            "target": _encoded(p.columns, step.target), "loop": step.loop,
            "to": labels[step.to] if step.to else 0, "first": int(step.first),
            "verdict": int(step.verdict), "last": int(index == len(steps) - 1),
            **({"shared": int(step.shared)} if both else {})})
            for index, step in enumerate(steps)]
        following = Signal(layout, name="following")
        current = Signal(layout, name="current")
        number, upcoming = Signal(counter, name="number"), Signal(counter, name="upcoming")
        jumps, jumped = Signal(name="jumps"), Signal(name="jumped")  # jumped: a clock late
        m.d.sync += [
            upcoming.eq(Mux(jumps, current.to, number + 1)),
            following.eq(Array([word.as_value() for word in words])[upcoming]),
        ]

        # -- Counters, and where the next step is.
        bit = Signal(range(p.window), name="bit")
        left, public = Signal.like(self.digit_count, name="left"), Signal.like(
            self.public_count, name="public_left")
        first = Signal(range(p.window + 1), name="first_bits")
        conditions = {
            Loop.ENTRY: ~self.entry.all(), Loop.BIT: bit != p.window - 1, Loop.DIGIT: left != 1,
            Loop.ONE_DIGIT: left == 0, Loop.ROW: self.place != p.digits - 1, Loop.HALF: self.half,
            Loop.PUBLIC: ~self.public_bit & (public != 0), Loop.MORE_PUBLIC: public != 0,
            Loop.ONE_PUBLIC: public == 0}
        advances = Signal(name="advances")  # to the next step
        started = Signal(name="started")
        met = Signal(len(conditions), name="conditions_met")
        m.d.comb += jumps.eq(met.any())
        m.d.sync += [jumped.eq(jumps),
                     met.eq(Cat((current.loop == loop) & condition
                                for loop, condition in conditions.items()))]
        with m.If(advances), m.Switch(current.loop):
            with m.Case(Loop.ENTRY):
                m.d.sync += self.entry.eq(self.entry + 1)
            with m.Case(Loop.BIT):
                m.d.sync += bit.eq(Mux(bit == p.window - 1, 0, bit + 1))
            with m.Case(Loop.DIGIT):
                m.d.sync += left.eq(left - 1)
            with m.Case(Loop.ROW):
                m.d.sync += self.place.eq(self.place + 1)
            with m.Case(Loop.HALF):
                m.d.sync += self.half.eq(~self.half)
        with m.If(self.rewind):
            m.d.sync += [self.entry.eq(2), bit.eq(0), self.place.eq(0),
                         left.eq(self.digit_count - 1), public.eq(self.public_count)]
        # The step that starts takes bits.
        m.d.comb += [self.rewind.eq(self.start.modulus),
                     self.take.eq((first != 0) | (started & (current.loop == Loop.BIT))),
                     self.take_public.eq(started & (current.loop == Loop.PUBLIC))]
        with m.If(started & current.first):
            m.d.sync += first.eq(p.window)
        with m.Elif(first != 0):
            m.d.sync += first.eq(first - 1)
        with m.If(self.take_public):
            m.d.sync += public.eq(public - 1)

        # -- Clocks of a step, which no unit has to tell: the last one is there at -1.
        clocks = self.clocks(p.inner.schedule)
        left_clocks = Signal(range(-1, max(clocks.values()) - 1), name="clocks_left")
        done = Signal(name="done")
        m.d.comb += done.eq(left_clocks < 0)
        length = Signal.like(left_clocks, name="clocks_of_unit")
        m.d.sync += left_clocks.eq(left_clocks - 1)
        with m.Switch(current.unit):
            for unit, taken in clocks.items():
                with m.Case(unit):
                    m.d.sync += length.eq(taken - 2)

        # -- Steps.
        m.d.comb += [self.unit.eq(current.unit), self.row.eq(current.row),
                     self.source.eq(current.source), self.target.eq(current.target)]
        judges = Signal(name="judges")
        m.d.sync += [started.eq(0), self.start.eq(0), judges.eq(advances & current.verdict)]
        judged = Signal(name="judged")
        m.d.sync += judged.eq(judges if both else self.half)
        if both:
            m.d.comb += self.shared.eq(current.shared)
        if p.traits.checks and both:
            for index, verdict in enumerate((judges, judged)):
                with m.If(verdict):
                    m.d.sync += self.passed[index].eq(~self.nonzero[index])
        elif p.traits.checks:
            with m.If(judges):
                m.d.sync += self.passed.bit_select(judged, 1).eq(~self.nonzero)
        else:
            m.d.comb += self.passed.eq(Const(3, 2))
        with m.FSM(name="state"):
            with m.State("REST"):
                m.d.comb += self.resting.eq(1)
                m.d.sync += [current.eq(words[0]), number.eq(0), self.half.eq(1)]
                with m.If(self.begin):
                    if p.traits.checks:
                        m.d.sync += self.passed.eq(0)
                    m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~self.storing):
                for unit in Unit:
                    if unit is not Unit.PRODUCT:
                        m.d.sync += self.start[unit.name.lower()].eq(current.unit == unit)
                m.next = "START"
            with m.State("START"):
                m.d.sync += [started.eq(1), left_clocks.eq(length)]
                m.next = "DO"
            with m.State("DO"), m.If(done):
                m.d.comb += advances.eq(1)
                with m.If(current.last & ~jumped):
                    m.next = "END"
                with m.Else():
                    m.d.sync += [current.eq(following), number.eq(upcoming)]
                    with m.If(following.unit == Unit.PRODUCT):
                        m.d.sync += [started.eq(1), self.start.product.eq(1),
                                     left_clocks.eq(clocks[Unit.PRODUCT] - 2)]
                    with m.Else():
                        m.next = "SETTLE"
            with m.State("END"):
                m.next = "LAST"
            with m.State("LAST"):
                m.d.comb += self.ends.eq(1)
                m.next = "REST"
        return m
