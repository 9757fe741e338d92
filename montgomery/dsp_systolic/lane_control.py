"""What lets the words of keys and messages in, and what begins the steps of a program."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.block_ram import BlockRam
from ..blocks.row_unit import RowUnit
from .lane_program import Unit

__all__ = ["LaneLoader", "Pace"]


class LaneLoader(wiring.Component):
    """Goes through the parts of a key, and through the base of an exponentiation.

    An operation begins in the clock after one in which it was offered, and no key was: so a key
    that is offered goes before an operation that has not begun.

    Latency: none; a word goes to its place in the clock in which it is accepted. Throughput: a word
    per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    parts : dict from :class:`str` to :class:`int`
        The parts of a key, in order, and their words.
    digits : :class:`int`
        Words of a base.

    Members
    -------
    i, k : :py:`In(stream.Signature(width))`
        Bases; keys.
    resting : :py:`In(1)`
        Nothing is computed: a key is accepted, or all of a base.
    empty : :py:`In(1)`
        The result before has been taken.
    known : :py:`In(1)`
        The key that was received may be used.
    word : :py:`Out(width)`
    index : :py:`Out(...)`
        Place of the word in its part, or in the base.
    last : :py:`Out(1)`
        It is the last word of its part.
    of : :py:`Out(...)`
        A word moves, of this part of a key, or of the ``base``.
    keyed, based : :py:`Out(1)`
        It is the last word of a key, or of a base.
    renew : :py:`Out(1)`
        It is a word of a key.
    """

    def __init__(self, width, parts, digits):
        self.parts, self.digits = parts, digits
        most = max(digits, *parts.values())
        super().__init__({
            "i": In(stream.Signature(width)), "k": In(stream.Signature(width)),
            "resting": In(1), "empty": In(1), "known": In(1), "word": Out(width),
            "index": Out(range(most)), "last": Out(1),
            "of": Out(data.StructLayout(dict.fromkeys((*parts, "base"), 1))),
            "keyed": Out(1), "based": Out(1), "renew": Out(1)})

    def elaborate(self, platform):
        m = Module()
        index = Signal.like(self.index, name="place")
        m.submodules.base = base = Pointer(self.digits)
        begun = Signal(name="key_begun")
        open_ = Signal(name="open")
        m.d.comb += [
            self.k.ready.eq(self.resting & base.first & ~open_),
            self.i.ready.eq(~base.first | open_),
            self.renew.eq(self.k.valid & self.k.ready),
            base.step.eq(self.i.valid & self.i.ready), self.of.base.eq(base.step),
            self.based.eq(base.step & base.last),
            self.word.eq(Mux(base.step, self.i.payload, self.k.payload)),
            self.index.eq(index),
        ]
        m.d.sync += open_.eq(self.resting & self.known & self.empty & ~begun & self.i.valid
                             & ~self.k.valid & ~base.step)
        moves = base.step | self.renew
        with m.If(moves):
            m.d.sync += index.eq(Mux(self.last, 0, index + 1))
        with m.If(self.renew):
            m.d.sync += begun.eq(~self.keyed)
        names = list(self.parts)
        # Words of the part after the next one: -1 with the last word, whatever their number.
        left = Signal(range(-1, max(self.parts.values())), name="words_left",
                      init=self.parts[names[0]] - 2)
        ends = left < 0
        with m.If(self.renew):
            m.d.sync += left.eq(left - 1)
        m.d.comb += self.last.eq(Mux(base.step, base.last, ends))
        with m.FSM(name="part"):
            for name, following in zip(names, [*names[1:], names[0]], strict=True):
                with m.State(name.upper()):
                    m.d.comb += self.of[name].eq(self.renew)
                    with m.If(self.renew & ends):
                        m.d.sync += left.eq(self.parts[following] - 2)
                        m.next = following.upper()
                    if name == names[-1]:
                        m.d.comb += self.keyed.eq(self.renew & ends)
        return m


class Pace(wiring.Component):
    """Starts the unit of each step, and goes on to the next one when the step is over.

    A step takes as many clocks as its unit says, whatever its numbers are. A product follows the
    product before, or the last digit of its y, at once. Any other step starts :attr:`OTHER` clocks
    after the one before, when the result of that is stored.

    Latency: :meth:`clocks_of` for a step. Throughput: one step at a time.

    Parameters
    ----------
    schedule : :class:`~.schedule.Slots`

    Members
    -------
    begin : :py:`In(1)`
        Begin with the first step.
    resting, ends : :py:`Out(1)`
        There is no step to do; the last one has been done.
    unit, following : :py:`In(Unit)`
        Of the step, and of the one that follows.
    is_end : :py:`In(1)`
        None does.
    storing : :py:`In(1)`
        The result of a product is stored.
    start : :py:`Out(data.StructLayout(...))`
        A step starts, of each unit; a product has started with the clock before.
    advance : :py:`Out(1)`
        The step is over.
    """

    OTHER = 2

    def __init__(self, schedule):
        self.schedule = schedule
        super().__init__({
            "begin": In(1), "resting": Out(1), "ends": Out(1), "unit": In(Unit),
            "following": In(Unit), "is_end": In(1), "storing": In(1),
            "start": Out(data.StructLayout({unit.name.lower(): 1 for unit in Unit})),
            "advance": Out(1)})

    @staticmethod
    def clocks_of(schedule):
        """Return the clocks of a step of each unit, from its start to its end."""
        n = schedule.digits
        return {Unit.MODULUS: n, Unit.Y: n, Unit.PRODUCT: schedule.interval,
                Unit.ROW: RowUnit.clocks(n)}

    @classmethod
    def clocks(cls, schedule, units):
        """Return the clocks from ``begin`` to the first word of a result.

        Parameters
        ----------
        units : iterable of :class:`~.lane_program.Unit`
            Those of the steps, in order.
        """
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
        clocks = self.clocks_of(self.schedule)
        left = Signal(range(-1, max(clocks.values()) - 1), name="clocks_left")  # -1: the last one
        of_unit = Signal.like(left, name="clocks_of_unit")
        m.d.sync += [left.eq(left - 1), self.start.eq(0)]
        with m.Switch(self.unit):
            for unit, taken in clocks.items():
                with m.Case(unit):
                    m.d.sync += of_unit.eq(taken - 2)
        with m.FSM(name="state"):
            with m.State("REST"):
                m.d.comb += self.resting.eq(1)
                with m.If(self.begin):
                    m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~self.storing):
                for unit in Unit:
                    if unit is not Unit.PRODUCT:
                        m.d.sync += self.start[unit.name.lower()].eq(self.unit == unit)
                m.next = "START"
            with m.State("START"):
                m.d.sync += left.eq(of_unit)
                m.next = "DO"
            with m.State("DO"), m.If(left < 0):
                m.d.comb += self.advance.eq(1)
                with m.If(self.is_end):
                    m.next = "END"
                with m.Elif(self.following == Unit.PRODUCT):
                    m.d.sync += [self.start.product.eq(1), left.eq(clocks[Unit.PRODUCT] - 2)]
                with m.Else():
                    m.next = "SETTLE"
            with m.State("END"):
                m.next = "LAST"
            with m.State("LAST"):
                m.d.comb += self.ends.eq(1)
                m.next = "REST"
        return m
