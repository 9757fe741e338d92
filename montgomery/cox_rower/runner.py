"""Runs the program: one multiplication after the other, of numbers in the Rowers' memories."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .control import Number, Store, Take
from .schedule import Factor

__all__ = ["Runner", "operation"]


def operation(numbers):
    """Return the layout of what a multiplication is of.

    Members are the numbers of ``x`` and ``y`` and of the ``target`` of the result, and whether it
    is the ``last`` one.
    """
    return data.StructLayout({"x": range(numbers), "y": range(numbers), "target": range(numbers),
                              "last": 1})


class Runner(wiring.Component):
    """Makes the Rowers' control words of the program's.

    Multiplications overlap: x and y of the next one are read before all of the result has been
    written. Where x is the result of the one before, R2 may have it earlier than the memory.

    Parameters
    ----------
    program : :class:`~montgomery.cox_rower.control.Program`

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from ``start`` to the first ``word``.

    Members
    -------
    start : :py:`In(1)`
        Begin with the first multiplication.
    next : :py:`In(operation(numbers))`
        The next multiplication.
    takes : :py:`Out(1)`
        It is taken in this clock, and ``next`` may change. It has to be there in time: some clocks
        less than an interval later.
    word : :py:`Out(program.layout.shape)`
        The control word of the next clock, as :class:`~montgomery.cox_rower.rower.Rower` takes it.
    running : :py:`Out(1)`
        There is one.
    ends : :py:`Out(1)`
        It is the last one.
    """

    LATENCY = 3

    def __init__(self, program):
        self.program = program
        shape = program.layout.shape
        super().__init__({
            "start": In(1), "next": In(operation(program.layout.numbers)), "takes": Out(1),
            "word": Out(shape), "running": Out(1), "ends": Out(1)})

    def elaborate(self, platform):
        m = Module()
        program, layout, interval = self.program, self.program.layout, self.program.interval
        m.submodules.words = words = Memory(shape=layout.shape, depth=interval, init=program.words)
        read = words.read_port()
        index, runs = Signal(range(interval)), Signal()
        m.d.comb += read.addr.eq(index)
        last, begun, idle = Signal(), Signal(), Signal()

        # -- What word is addressed.
        turns = runs & (index == interval - program.lead)
        with m.If(self.start):
            m.d.sync += [index.eq(interval - program.lead), runs.eq(1), last.eq(0), idle.eq(0)]
        with m.Elif(runs):
            m.d.sync += index.eq(Mux(index == interval - 1, 0, index + 1))
            with m.If(idle & (index == program.tail)):
                m.d.sync += runs.eq(0)
        m.d.comb += self.takes.eq(turns & ~last)
        with m.If(self.takes):
            m.d.sync += last.eq(self.next.last)
        with m.If(turns & last):
            m.d.sync += idle.eq(1)  # what begins now is not a multiplication

        # -- A clock later, what it is about; this is as it has to be in the clock after that.
        fetched = Signal(layout.shape)
        now, running = Signal(range(interval)), Signal()
        taken, operation_next = Signal(), Signal.like(self.next)
        m.d.sync += [fetched.eq(read.data), now.eq(index), running.eq(runs), taken.eq(self.takes),
                     operation_next.eq(self.next), self.running.eq(running),
                     self.ends.eq(running & ~runs)]
        offsets = range(layout.numbers * layout.number_words)
        x, y, target, result = (Signal(offsets, name=name)
                                for name in ("x", "y", "target", "result"))
        square, chained = Signal(), Signal()
        own_stored, before_stored = Signal(), Signal()
        with m.If(self.start):
            m.d.sync += [begun.eq(0), own_stored.eq(0)]
        with m.If(taken):
            new_x = operation_next.x * layout.number_words
            m.d.sync += [
                x.eq(new_x), y.eq(operation_next.y * layout.number_words),
                target.eq(operation_next.target * layout.number_words), begun.eq(1),
                square.eq(operation_next.x == operation_next.y),
                chained.eq(begun & (new_x == target)),
            ]
        with m.If(running & (now == 0)):
            m.d.sync += [own_stored.eq(1), before_stored.eq(own_stored)]
        with m.If(now == program.tail + 1):
            m.d.sync += result.eq(target)

        # -- And the word.
        word = self.word
        m.d.comb += word.eq(fetched)
        with m.Switch(fetched.number):
            with m.Case(Number.X):
                m.d.comb += word.variable.eq(fetched.variable + x)
            with m.Case(Number.Y):
                m.d.comb += word.variable.eq(fetched.variable + y)
        with m.If(fetched.is_result):
            m.d.comb += word.target.eq(fetched.target + result)
        with m.If(fetched.chain & chained):
            m.d.comb += word.take.eq(Take.RESULT)
        with m.If((fetched.factor == Factor.Y) & ~square):
            m.d.comb += word.factor.eq(Factor.VARIABLE)
        m.d.comb += word.store.eq(Mux(
            ((fetched.store == Store.NOW) & own_stored)
            | ((fetched.store == Store.LATE) & before_stored), Store.NOW, Store.NEVER))
        return m
