"""Gives the Rowers operands and the words of the program, and takes results from them."""

import dataclasses

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .layout import Store, Take
from .runner import Runner, operation
from .steps import READ

__all__ = ["Load", "Sequencer"]


@dataclasses.dataclass(frozen=True)
class Load:
    """What goes to the memories of the Rowers without a pause.

    Attributes
    ----------
    first : :class:`int`
        The number with which it begins.
    rows : :class:`int`
    runs : bool
        A run begins when it is there.
    """

    first: int
    rows: int
    runs: bool = True


class Sequencer(wiring.Component):
    """One for all Rowers: loads, runs the program for some multiplications, unloads.

    The ring is the way for words from and to the streams too: the words of a row, one for each
    Rower and that of the last Rower first, go in one by one, and then to the memories at the same
    time; results come in the same order.

    Latency: :meth:`run_clocks`, from the last word loaded to the end of the runs. Throughput: a
    word is loaded per clock, and one is unloaded every other clock, with a pause of :attr:`FETCH`
    clocks before each row.

    Parameters
    ----------
    programs : list of :class:`~montgomery.cox_rower.control.Program`
        See :class:`~montgomery.cox_rower.runner.Runner`.
    width : :class:`int`
        Bits per word of the streams.
    u : :class:`int`
        Words of a row.
    loads : sequence of :class:`Load`
        What may be loaded.
    rows_out : :class:`int`
        Rows that are unloaded. If none are, something else takes the result.
    result : :class:`int`
        The number that is unloaded.

    Attributes
    ----------
    START, AGAIN, FETCH : :class:`int`
        Clocks before those of the first run of a program, between two runs, and after the last.

    Members
    -------
    i, o : :py:`stream.Signature(width)`
    load : :py:`In(range(len(loads)))`
        What is loaded. It may change while ``fresh``.
    fresh : :py:`Out(1)`
        The next word is the first one of what is loaded.
    control : :py:`Out(layout.shape)`
        See :class:`~montgomery.cox_rower.rower.Rower`, which has the register.
    store_r2 : :py:`Out(1)`
        Likewise.
    enters : :py:`Out(1)`
        The first Rower takes ``word``, not R2 of the last one.
    word : :py:`Out(width)`
    last : :py:`In(width)`
        R2 of the last Rower.
    next, takes
        See :class:`~montgomery.cox_rower.runner.Runner`.
    more : :py:`In(1)`
        After this run, there is another one.
    """

    START = Runner.LATENCY
    AGAIN = Runner.LATENCY - 1
    FETCH = 2 + READ

    def __init__(self, programs, *, width, u, loads, rows_out, result=1):
        self.programs, self.layout, self.u = programs, programs[0].layout, u
        self.loads, self.rows_out, self.result = loads, rows_out, result
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
            "load": In(range(len(loads))), "fresh": Out(1),
            "control": Out(self.layout.shape), "store_r2": Out(1), "enters": Out(1),
            "word": Out(width), "last": In(width),
            "next": In(operation(self.layout.numbers, len(programs))), "takes": Out(1),
            "more": In(1),
        })

    @classmethod
    def run_clocks(cls, *runs):
        """Return the clocks of runs, each of a program so many times, from the last word loaded."""
        return (cls.START - cls.AGAIN
                + sum(program.clocks(times) + cls.AGAIN for program, times in runs))

    def elaborate(self, platform):
        m = Module()
        first_out = self.result * self.layout.number_words

        def of_load(values):
            return Array(map(Const, values))[self.load]

        loads = Signal(name="loads", init=1)
        row = Signal(range(max(self.rows_out, *(each.rows for each in self.loads))))
        place = Signal(range(self.u), name="place")
        taken = Signal()
        given = Signal()
        row_ends = Signal(name="row_ends")
        m.d.comb += [self.i.ready.eq(loads), taken.eq(loads & self.i.valid),
                     given.eq(self.o.valid & self.o.ready), row_ends.eq(place == self.u - 1)]
        last_row = Signal(name="last_row")
        runs = Signal(name="runs")
        m.d.comb += [
            last_row.eq(row == Mux(loads, of_load(each.rows - 1 for each in self.loads),
                                   max(self.rows_out, 1) - 1)),
            runs.eq(of_load(each.runs for each in self.loads)),
            self.fresh.eq(loads & (row == 0) & (place == 0)),
        ]
        with m.If(taken | given):
            m.d.sync += place.eq(Mux(row_ends, 0, place + 1))
            with m.If(row_ends):
                m.d.sync += row.eq(Mux(last_row, 0, row + 1))
                with m.If(last_row):
                    m.d.sync += loads.eq(~(loads & runs))

        # -- In: R2 takes the word a clock later, and another one later a row is complete.
        full, stored = Signal(name="full"), Signal(range(self.layout.variables), name="stored")
        m.d.sync += [self.word.eq(self.i.payload), self.enters.eq(taken),
                     full.eq(taken & row_ends),
                     stored.eq(row + of_load(each.first * self.layout.number_words
                                             for each in self.loads))]
        m.d.comb += self.store_r2.eq(full)

        # -- The program.
        m.submodules.runner = runner = Runner(self.programs)
        m.d.comb += [runner.start.eq((taken & row_ends & last_row & runs)
                                     | (runner.ends & self.more)),
                     runner.next.eq(self.next),
                     self.takes.eq(runner.takes)]

        # -- Out: the row is read into R2, and then R2 goes on after each word.
        fetches, follows = Signal(self.FETCH, name="fetches"), Signal(name="follows")
        m.d.comb += self.o.payload.eq(self.last)
        ends = runner.ends & ~self.more
        if not self.rows_out:
            with m.If(ends):
                m.d.sync += loads.eq(1)
            ends = Const(0, 1)
        next_row = ends | (given & row_ends & ~last_row)
        m.d.sync += [fetches.eq(Cat(next_row, fetches)), follows.eq(given & ~row_ends)]
        with m.If(given):
            m.d.sync += self.o.valid.eq(0)
        with m.Elif(follows | fetches[-1]):
            m.d.sync += self.o.valid.eq(1)

        # -- The control word.
        with m.If(runner.running):
            m.d.comb += self.control.eq(runner.word)
        with m.Else():
            m.d.comb += [
                self.control.take.eq(Mux(fetches[READ], Take.MEMORY,
                                         Mux(taken | (given & ~row_ends), Take.RING, 0))),
                self.control.variable.eq(row + first_out),
                self.control.target.eq(stored),
                self.control.store.eq(Mux(full, Store.NOW, Store.NEVER)),
            ]
        return m
