"""What begins the steps of a program."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.program import Sequencer
from ..blocks.row_unit import RowUnit
from .lane_program import Unit

__all__ = ["Stepper"]


class Stepper(wiring.Component):
    """Goes through a program: starts the unit of each step, and goes on when the step is over.

    A step takes as many clocks as its unit says, whatever its numbers are. A product follows the
    product before, or the last digit of its y, at once. Any other step starts :attr:`OTHER` clocks
    after the one before, when the result of that is stored.

    Latency: :meth:`clocks_of` for a step. Throughput: one step at a time.

    Parameters
    ----------
    schedule : :class:`~.schedule.Slots`
    program : :class:`~montgomery.blocks.program.Program`

    Attributes
    ----------
    sequencer : :class:`~montgomery.blocks.program.Sequencer`
        It has the step that is done.
    half : expression
        The factor whose turn it is, if there are two: the second one is first.

    Members
    -------
    begin : :py:`In(1)`
        Begin with the first step.
    resting, ends : :py:`Out(1)`
        There is no step to do; the last one has been done.
    storing : :py:`In(1)`
        The result of a product is stored.
    start : :py:`Out(len(Unit))`
        A step starts, a bit for each unit; a product has started with the clock before.
    """

    OTHER = 2

    def __init__(self, schedule, program):
        self.schedule = schedule
        self.sequencer = Sequencer(program)
        self.half = ~self.sequencer.turn_of("half")
        super().__init__({
            "begin": In(1), "resting": Out(1), "ends": Out(1), "storing": In(1),
            "start": Out(len(Unit))})

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
