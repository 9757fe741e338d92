"""Runs programs: one multiplication after the other, of numbers in the Rowers' memories."""

import itertools

from amaranth.hdl import Array, Const, Module, Mux, Shape, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .control import Number, Store
from .steps import Factor, Take

__all__ = ["Runner", "operation"]


def operation(numbers, programs):
    """Return the layout of an operation.

    ``x``, ``y`` and ``target`` are the numbers of the factors and of the result. ``last`` ends a
    run. ``key`` and ``program`` are read at the beginning of a run, and hold for all of it.
    """
    return data.StructLayout({"x": range(numbers), "y": range(numbers), "target": range(numbers),
                              "last": 1, "key": range(numbers), "program": range(programs)})


class Runner(wiring.Component):
    """Goes through control programs, and puts the numbers of operations into their words.

    Operations overlap: x and y of the next operation are read before all of the result has been
    written. If x is the result before, R2 may take it before it is in the memory.

    Latency: :attr:`LATENCY`, from ``start`` to the first ``word``. Throughput: a control word per
    clock; one multiplication after the other, without a pause.

    Parameters
    ----------
    programs : list of :class:`~montgomery.cox_rower.control.ControlProgram`
        Of control words of the same shape.

    Members
    -------
    start : :py:`In(1)`, next : :py:`In(operation(numbers, programs))`
        Begin a run with the next operation, which is there.
    takes : :py:`Out(1)`
        ``next`` is read in this clock. The operation that follows must be there before ``takes``
        comes again, which is an interval later.
    word : :py:`Out(layout.shape)`
        The control word of the next clock, as :class:`~montgomery.cox_rower.rower.Rower` takes it.
    running, ends : :py:`Out(1)`
        There is a control word; it is the last one of a run.
    """

    LATENCY = 5

    def __init__(self, programs):
        self.programs, self.layout = programs, programs[0].layout
        shape = self.layout.shape
        super().__init__({
            "start": In(1), "takes": Out(1),
            "next": In(operation(self.layout.numbers, len(programs))),
            "word": Out(shape), "running": Out(1), "ends": Out(1)})

    def elaborate(self, platform):
        m = Module()
        layout = self.layout
        starts = list(itertools.accumulate((each.interval for each in self.programs), initial=0))
        m.submodules.words = words = Memory(
            shape=layout.shape, depth=starts[-1],
            init=[word for program in self.programs for word in program.words])
        read = words.read_port()
        index, runs = Signal(range(starts[-1]), name="index"), Signal(name="runs")
        m.d.comb += read.addr.eq(index)
        last, idle = Signal(name="last"), Signal(name="idle")

        def place(name, offset):
            """Return where in the memory a word of the program is."""
            places = [start + offset(program)
                      for start, program in zip(starts, self.programs, strict=False)]
            found = Signal(range(starts[-1]), name=name, init=places[0])
            if len(places) > 1:
                with m.If(self.start):
                    m.d.sync += found.eq(Array(map(Const, places))[self.next.program])
            return found

        first, tail = place("first", lambda _: 0), place("tail", lambda program: program.tail)
        final = place("final", lambda program: program.interval - 1)
        turn = place("turn", lambda program: program.interval - program.lead)

        # -- What word is addressed.
        begins = Signal(name="begins")
        m.d.sync += begins.eq(self.start)
        turns = runs & (index == turn)
        with m.If(begins):
            m.d.sync += [index.eq(turn), runs.eq(1), last.eq(0), idle.eq(0)]
        with m.Elif(runs):
            m.d.sync += index.eq(Mux(index == final, first, index + 1))
            with m.If(idle & (index == tail)):
                m.d.sync += runs.eq(0)
        m.d.comb += self.takes.eq(turns & ~last)
        with m.If(self.takes):
            m.d.sync += last.eq(self.next.last)
        with m.If(turns & last):
            m.d.sync += idle.eq(1)  # the words from here on belong to no operation

        # -- The operation of the word that was fetched, which comes a clock after its address.
        fetched = Signal(layout.shape, name="fetched", reset_less=True)
        now = Signal.like(index)
        running, begun, taken = (Signal(name=name) for name in ("running", "begun", "taken"))
        operation_next = Signal.like(self.next, name="operation_next", reset_less=True)
        m.d.sync += [fetched.eq(read.data), now.eq(index), running.eq(runs), taken.eq(self.takes),
                     operation_next.eq(self.next)]
        offsets = range(layout.numbers * layout.number_words)
        # A table, for which synthesis takes no multiplier.
        places = Array(Const(number * layout.number_words, Shape.cast(offsets))
                       for number in range(layout.numbers))
        x, y, target, result, key = (Signal(offsets, name=name, reset_less=True)
                                     for name in ("x", "y", "target", "result", "key"))
        with m.If(self.start):
            m.d.sync += key.eq(places[self.next.key])
        square, chained, own_stored, before_stored, after_tail = (
            Signal(name=name) for name in ("square", "chained", "own_stored", "before_stored",
                                           "after_tail"))
        m.d.sync += after_tail.eq(now == tail)
        with m.If(begins):
            m.d.sync += [begun.eq(0), own_stored.eq(0)]
        with m.If(taken):
            new_x = places[operation_next.x]
            m.d.sync += [
                x.eq(new_x), y.eq(places[operation_next.y]),
                target.eq(places[operation_next.target]), begun.eq(1),
                square.eq(operation_next.x == operation_next.y),
                chained.eq(begun & (new_x == target)),
            ]
        with m.If(running & (now == first)):
            m.d.sync += [own_stored.eq(1), before_stored.eq(own_stored)]
        with m.If(after_tail):
            m.d.sync += result.eq(target)

        # -- And the word.
        word = Signal(layout.shape)
        given = Signal(layout.shape, name="given", reset_less=True)
        fetches, ends = Signal(name="fetches"), Signal(name="ends")
        m.d.sync += [fetches.eq(running), ends.eq(running & ~runs), given.eq(word),
                     self.running.eq(fetches), self.ends.eq(ends)]
        m.d.comb += [word.eq(fetched), self.word.eq(given)]
        with m.Switch(fetched.number):
            with m.Case(Number.X):
                m.d.comb += word.variable.eq(fetched.variable + x)
            with m.Case(Number.Y):
                m.d.comb += word.variable.eq(fetched.variable + y)
            with m.Case(Number.KEY):
                m.d.comb += word.variable.eq(fetched.variable + key)
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
