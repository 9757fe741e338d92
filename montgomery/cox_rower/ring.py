"""Hardware: all Rowers in a ring, and the programs that they run."""

import itertools
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Mux, Shape, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.values import later, signals
from .control import Number, Store
from .rower import Rower
from .schedule import READ, Factor, Take

__all__ = ["Load", "RowerRing"]


class Load(NamedTuple):
    """What goes to the memories of the Rowers without a pause."""

    first: int  # number of each memory with which it begins
    rows: int
    runs: bool = True  # a run begins when all rows are there


class RowerRing(wiring.Component):
    """Loads words into the Rowers, runs programs on them, and takes results from them.

    The ring is the way for words from and to the streams too. The words of a row, one for each
    Rower and that of the last Rower first, go in one by one, and then to the memories at the same
    time. Results come in the same order, or as sums that become digits.

    Latency: that of the runs, with :attr:`START` clocks before the first one, :attr:`AGAIN` between
    two, and :attr:`FETCH` after the last. Throughput: a word is loaded per clock, and one is
    unloaded every other clock, with a pause of :attr:`FETCH` clocks before each row.
    """

    START, AGAIN, FETCH = 5, 4, 2 + READ

    def __init__(self, params, *, loads, rows_out=0):
        self.params, self.u = params, params.u
        # Rows are unloaded from number 1 on. If none are, sums are drained instead.
        self.loads, self.rows_out = loads, rows_out
        self.programs = list(itertools.chain.from_iterable(params.programs))
        self.layout = self.programs[0].layout
        word, total = (stream.Signature(width) for width in (
            params.word_width, params.sets[0].reduction.width))
        super().__init__({
            "i": In(word),
            "load": In(range(len(loads))),  # what is loaded; it may change while ``fresh``
            "fresh": Out(1),  # the next word is the first one of what is loaded
            # The next operation, which is there when a run begins, and is read in the clock of
            # ``takes``. What follows must be there before that comes again, an interval later.
            "next": In(self.layout.operation(len(self.programs))),
            "takes": Out(1),
            "more": In(1),  # this run is followed by another one at once
            # The words of results, or the sums of Equation 9, lowest digit first, which do not
            # wait.
        } | ({"o": Out(word)} if rows_out else {"sum": Out(total)}))

    def elaborate(self, platform):
        m = Module()

        def of_load(values):
            return Array(map(Const, values))[self.load]

        loads = Signal(name="loads", init=1)
        row = Signal(range(max(self.rows_out, *(each.rows for each in self.loads))), name="row")
        place = Signal(range(self.u), name="place")
        given, next_row, taken, row_ends, last_row, runs = signals(
            "given next_row taken row_ends last_row runs")
        m.d.comb += [
            self.i.ready.eq(loads), taken.eq(loads & self.i.valid),
            row_ends.eq(place == self.u - 1), runs.eq(of_load(each.runs for each in self.loads)),
            last_row.eq(row == Mux(loads, of_load(each.rows - 1 for each in self.loads),
                                   max(self.rows_out, 1) - 1)),
            self.fresh.eq(loads & (row == 0) & (place == 0)),
        ]
        with m.If(taken | given):
            m.d.sync += place.eq(Mux(row_ends, 0, place + 1))
            with m.If(row_ends):
                m.d.sync += row.eq(Mux(last_row, 0, row + 1))
                with m.If(last_row):
                    m.d.sync += loads.eq(~(loads & runs))

        # -- In: R2 takes the word a clock later, and another one later a row is complete.
        full, entered = signals("full entered")
        word = Signal.like(self.i.payload, name="word", reset_less=True)
        stored = Signal(range(self.layout.variables), name="stored", reset_less=True)
        m.d.sync += [word.eq(self.i.payload), entered.eq(taken), full.eq(taken & row_ends),
                     stored.eq(row + of_load(each.first * self.layout.number_words
                                             for each in self.loads))]

        # -- The program.
        start, ends = signals("start ends")
        word_of_run, running, run_ends = self._run(m, start)
        m.d.comb += [start.eq((taken & row_ends & last_row & runs) | (run_ends & self.more)),
                     ends.eq(run_ends & ~self.more)]

        # -- Out: the row is read into R2, and then R2 goes on after each word.
        fetches, follows = Signal(self.FETCH, name="fetches"), Signal(name="follows")
        m.d.sync += [fetches.eq(Cat(next_row, fetches)), follows.eq(given & ~row_ends)]
        if self.rows_out:
            m.d.comb += [given.eq(self.o.valid & self.o.ready),
                         next_row.eq(ends | (given & row_ends & ~last_row))]
            with m.If(given):
                m.d.sync += self.o.valid.eq(0)
            with m.Elif(follows | fetches[-1]):
                m.d.sync += self.o.valid.eq(1)
        else:
            with m.If(ends):
                m.d.sync += loads.eq(1)

        # -- The control word.
        control = Signal(self.layout.shape, name="control")
        with m.If(running):
            m.d.comb += control.eq(word_of_run)
        with m.Else():
            m.d.comb += [
                control.take.eq(Mux(fetches[READ], Take.MEMORY,
                                    Mux(taken | (given & ~row_ends), Take.RING, 0))),
                control.variable.eq(row + self.layout.number_words),
                control.target.eq(stored),
                control.store.eq(Mux(full, Store.NOW, Store.NEVER)),
            ]

        # -- The Rowers.
        layouts = [programs[0].layout for programs in self.params.programs]
        sets = list(zip(self.params.sets, layouts, strict=True))
        rowers = [Rower(sets, self.params.latency, index) for index in range(self.u)]
        before = Mux(entered, word, rowers[-1].r2)
        for index, rower in enumerate(rowers):
            m.submodules[f"rower_{index}"] = rower
            m.d.comb += [rower.control.eq(control), rower.store_r2.eq(full),
                         rower.before.eq(before)]
            before = rower.r2
        if self.rows_out:
            m.d.comb += self.o.payload.eq(rowers[-1].r2)
        else:
            self._drain(m, control, rowers)
        if self.layout.converts:
            # The bits of the exponents for N**-1, from the highest: each step is one.
            r = self.params.word_width
            bit = Signal(range(r), name="bit")
            with m.If((control.factor == Factor.CHOSEN) & control.element.matches(
                    *(each.element("choose", each.slots - 1) for each in layouts))):
                m.d.sync += bit.eq(Mux(bit == r - 1, 0, bit + 1))
            m.d.comb += [rower.bit.eq(bit) for rower in rowers]
        return m

    def _run(self, m, start):
        """Go through control programs, and put the numbers of operations into their words.

        Operations overlap, and R2 may take the result before as x before it is in the memory.
        Return the control word of the next clock, whether there is one, and whether it is the last
        one of a run.
        """
        layout = self.layout
        *starts, depth = itertools.accumulate((each.interval for each in self.programs), initial=0)
        m.submodules.words = words = Memory(
            shape=layout.shape, depth=depth,
            init=[word for program in self.programs for word in program.words])
        read, index = words.read_port(), Signal(range(depth), name="index")
        runs, last, idle, begins = signals("runs last idle begins")
        m.d.comb += read.addr.eq(index)

        def place(name, offset):
            """Return where in the memory a word of the program is."""
            places = [at + offset(program)
                      for at, program in zip(starts, self.programs, strict=True)]
            found = Signal(range(depth), name=name, init=places[0])
            if len(places) > 1:
                with m.If(start):
                    m.d.sync += found.eq(Array(map(Const, places))[self.next.program])
            return found

        first, tail = place("first", lambda _: 0), place("tail", lambda program: program.tail)
        final = place("final", lambda program: program.interval - 1)
        turn = place("turn", lambda program: program.interval - program.lead)

        # -- What word is addressed.
        m.d.sync += begins.eq(start)
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
        now, coming = Signal.like(index), Signal.like(self.next, name="coming", reset_less=True)
        running, begun, taken = signals("running begun taken")
        m.d.sync += [fetched.eq(read.data), now.eq(index), running.eq(runs), taken.eq(self.takes),
                     coming.eq(self.next)]
        offsets = range(layout.numbers * layout.number_words)
        # A table, for which synthesis takes no multiplier.
        places = Array(Const(number * layout.number_words, Shape.cast(offsets))
                       for number in range(layout.numbers))
        x, y, target, result, key = signals("x y target result key", offsets, reset_less=True)
        with m.If(start):
            m.d.sync += key.eq(places[self.next.key])
        square, chained, own_stored, before_stored, after_tail = signals(
            "square chained own_stored before_stored after_tail")
        m.d.sync += after_tail.eq(now == tail)
        with m.If(begins):
            m.d.sync += [begun.eq(0), own_stored.eq(0)]
        with m.If(taken):
            new_x = places[coming.x]
            m.d.sync += [x.eq(new_x), y.eq(places[coming.y]), target.eq(places[coming.target]),
                         square.eq(coming.x == coming.y), chained.eq(begun & (new_x == target)),
                         begun.eq(1)]
        with m.If(running & (now == first)):
            m.d.sync += [own_stored.eq(1), before_stored.eq(own_stored)]
        with m.If(after_tail):
            m.d.sync += result.eq(target)

        # -- And the word.
        word = Signal(layout.shape, name="word_of_run")
        given = Signal(layout.shape, name="given_word", reset_less=True)
        m.d.sync += given.eq(word)
        m.d.comb += word.eq(fetched)
        with m.Switch(fetched.number):
            for number, offset in ((Number.X, x), (Number.Y, y), (Number.KEY, key)):
                with m.Case(number):
                    m.d.comb += word.variable.eq(fetched.variable + offset)
        with m.If(fetched.is_result):
            m.d.comb += word.target.eq(fetched.target + result)
        with m.If(fetched.chain & chained):
            m.d.comb += word.take.eq(Take.RESULT)
        with m.If((fetched.factor == Factor.Y) & ~square):
            m.d.comb += word.factor.eq(Factor.VARIABLE)
        m.d.comb += word.store.eq(Mux(
            ((fetched.store == Store.NOW) & own_stored)
            | ((fetched.store == Store.LATE) & before_stored), Store.NOW, Store.NEVER))
        return (given, later(m, running, 2, "running", reset_less=False),
                later(m, running & ~runs, 2, "ends", reset_less=False))

    def _drain(self, m, control, rowers):
        """Let the sums out at the first Rower, for as many clocks as there are Rowers."""
        left, drains = Signal(range(self.u + 1), name="left"), Signal(name="drains")
        m.d.sync += drains.eq(control.drain)
        with m.If(drains):
            m.d.sync += left.eq(self.u)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        for rower, after in itertools.pairwise(rowers):
            m.d.comb += rower.drain_before.eq(after.drain)
        m.d.comb += [self.sum.payload.eq(rowers[0].drain), self.sum.valid.eq(left != 0)]
