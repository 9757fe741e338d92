"""Programs: lists of steps with loops, which hardware goes through and integer models follow.

What a step does is up to the user of a program, who gives the fields of a step as a layout. What
follows a step is a :class:`Flow`: it depends on how many turns of a loop there have been, and on
nothing else but a condition that whoever writes the program declares public. So the steps of a
program, and their number, tell nothing about secret numbers.

:class:`Sequencer` goes through a program in hardware, and
:meth:`Program.walk` does the same in Python. Whoever walks a program knows what an operation does,
and how long it takes.
"""

import dataclasses
from collections.abc import Mapping
from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["END", "Flow", "Loop", "OneHot", "Program", "Sequencer", "Step"]


class Flow(enum.IntEnum):
    """What follows a step. All but ``NEXT`` name a loop, and a step ``to`` go to."""

    #: The next step of the list.
    NEXT = 0
    #: A turn of the loop ends: ``to`` if there is another one, and else the next step.
    REPEAT = 1
    #: A turn of the loop ends: the next step if there is another one, and else ``to``.
    LEAVE = 2
    #: If there is another turn and the condition is met, this one ends and ``to`` follows; else
    #: the next step.
    REPEAT_IF = 3


@dataclasses.dataclass(frozen=True)
class Loop:
    """The turns of a loop."""

    # Numbers of the turns, in steps of 1. Also of the longest loop, where ``given`` is true.
    turns: range
    given: bool = False  # the number of the last turn is given for each run of the program


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a program."""

    # Values of the fields, as ``layout.const`` of the layout of the program takes them.
    fields: Mapping
    label: str = ""  # a name, if other steps go here: those with this one as ``to``
    flow: Flow = Flow.NEXT
    loop: str = ""
    to: str = ""


#: A run ends here, within a list of steps that has several entries.
END = Step(fields={})


class Program:
    """A list of steps, whose fields have a layout.

    Loops that no step names are left out.

    Attributes
    ----------
    word : :class:`amaranth.lib.data.StructLayout`
        A step in hardware: its ``fields``, ``flow``, the numbers of the loop and of the step
        ``to``, and whether the program ``ends``: behind the last step, and at :data:`END`.
    """

    def __init__(self, layout, steps, loops):
        self.layout, self.steps = layout, list(steps)
        used = {step.loop for step in self.steps}
        self.loops = {name: loop for name, loop in loops.items() if name in used}
        self._labels = {step.label: number for number, step in enumerate(self.steps) if step.label}
        self.word = data.StructLayout({
            "fields": layout, "flow": Flow, "loop": range(max(len(self.loops), 1)),
            "to": range(len(self.steps) + 1), "ends": 1})

    def number(self, label):
        """Return the number of the step with a label; 0 for the empty one."""
        return self._labels[label] if label else 0

    def words(self):
        """Return the constants of :attr:`word`, that of the end after those of the steps."""
        numbers = {name: number for number, name in enumerate(self.loops)}
        return [self.word.const({"ends": 1}) if step is END else self.word.const({
            "fields": step.fields, "flow": step.flow, "loop": numbers.get(step.loop, 0),
            "to": self.number(step.to)}) for step in (*self.steps, END)]

    def walk(self, last=None, condition=None, entry=""):
        """Yield each step that is done, with the turn of each loop.

        ``last`` has the last turns of loops in which they are given. ``condition`` takes the turns,
        and returns the condition of ``Flow.REPEAT_IF``. The first step is that with the label
        ``entry``, if there is one.
        """
        last = {name: loop.turns[-1] for name, loop in self.loops.items()} | (last or {})
        turns = {name: loop.turns[0] for name, loop in self.loops.items()}
        number = self.number(entry)
        while number < len(self.steps) and self.steps[number] is not END:
            step = self.steps[number]
            yield step, dict(turns)
            number += 1
            if step.flow is Flow.NEXT:
                continue
            is_last = turns[step.loop] == last[step.loop]
            match step.flow:
                case Flow.REPEAT:
                    jumps = not is_last
                case Flow.LEAVE:
                    jumps = is_last
                case Flow.REPEAT_IF:
                    jumps = not is_last and condition(turns)
            if jumps or step.flow is not Flow.REPEAT_IF:
                turns[step.loop] = (self.loops[step.loop].turns[0] if is_last
                                    else turns[step.loop] + 1)
            if jumps:
                number = self._labels[step.to]


class Sequencer(wiring.Component):
    """Goes through a :class:`~.program.Program`, as :meth:`~.program.Program.walk` does.

    The steps are in a read-only memory. While a step is done the next one is looked up, in a clock
    each for whether a turn of a loop is the last one, for the address, and for the word.

    Latency: a step is there in the clock after ``begin`` or ``advance``, and what follows it
    :attr:`LATENCY` clocks after these. Throughput: a step every :attr:`LATENCY` clocks.

    A run begins with a step whose label is in ``entries``, or with the first step if that is empty.
    """

    LATENCY = 4

    def __init__(self, program, entries=()):
        self.program, self.entries = program, entries
        numbers = {name: loop.turns.stop for name, loop in program.loops.items()}
        super().__init__({
            # Begin with the first step. Only while the sequencer rests, three clocks or more after
            # it has begun to.
            "begin": In(1),
            # With ``entries``: which of them to begin with, from two clocks before ``begin``.
            **({"entry": In(range(len(entries)))} if entries else {}),
            "advance": In(1),  # the step is over
            "resting": Out(1, init=1),  # there is no step
            "step": Out(program.layout),  # the step that is done
            # What follows it: its fields, and whether the program ends instead.
            "following": Out(program.word),
            # By name of the loop: the number of its turn; that of its last turn, where it is given,
            # which stays during a run.
            "turn": Out(data.StructLayout({name: range(stop) for name, stop in numbers.items()})),
            "last": In(data.StructLayout({name: range(stop) for name, stop in numbers.items()
                                          if program.loops[name].given})),
            # The condition of ``Flow.REPEAT_IF``. It stays during a step, but for its first clock.
            "condition": In(1),
        })

    def turn_of(self, loop):
        """Return the number of the turn of a loop, and 0 if the program has none of that name."""
        return self.turn[loop] if loop in self.program.loops else Const(0, 1)

    def elaborate(self, platform):
        m = Module()
        program, words = self.program, self.program.words()
        # In logic: a block RAM without its output register takes most of a clock.
        m.submodules.words = memory = Memory(shape=program.word, depth=len(words), init=words,
                                             attrs={"rom_style": "logic"})
        read = memory.read_port()
        now = Signal(program.word, name="now")
        number, address = (Signal(range(len(words)), name=name) for name in ("number", "address"))
        jumps, counts = Signal(name="jumps"), Signal(name="counts")
        is_last = Signal(len(program.loops), name="is_last")  # of each loop, if the step names it
        m.d.comb += [read.addr.eq(address), self.following.eq(read.data), self.step.eq(now.fields)]
        begins = 0
        if self.entries:
            begins = Array(map(program.number, self.entries))[self.entry]
        m.d.sync += address.eq(Mux(self.resting, begins, Mux(jumps, now.to, number + 1)))
        with m.If(self.begin | self.advance):
            m.d.sync += [now.eq(read.data), number.eq(address), self.resting.eq(read.data.ends)]

        # -- What follows.
        with m.Switch(now.flow):
            with m.Case(Flow.REPEAT):
                m.d.comb += [jumps.eq(~is_last.any()), counts.eq(1)]
            with m.Case(Flow.LEAVE):
                m.d.comb += [jumps.eq(is_last.any()), counts.eq(1)]
            with m.Case(Flow.REPEAT_IF):
                m.d.comb += [jumps.eq(self.condition & ~is_last.any()), counts.eq(jumps)]

        # -- The turns of loops.
        lasts = []
        for index, (name, loop) in enumerate(program.loops.items()):
            turn = Signal(range(loop.turns.stop), name=f"turn_{name}", init=loop.turns[0])
            named = now.loop == index
            lasts.append(named & (turn == (self.last[name] if loop.given else loop.turns[-1])))
            m.d.comb += self.turn[name].eq(turn)
            with m.If(self.resting):
                m.d.sync += turn.eq(loop.turns[0])
            with m.Elif(self.advance & counts & named):
                m.d.sync += turn.eq(Mux(is_last.any(), loop.turns[0], turn + 1))
        m.d.sync += is_last.eq(Cat(lasts))
        return m


class OneHot:
    """States of which one is 1 at a time, so that a condition on a state is one signal.

    The first one named is the initial state.
    """

    def __init__(self, *names):
        self._flags = dict(zip(names, Signal(len(names), name="state", init=1), strict=True))

    def __getitem__(self, name):
        return self._flags[name]

    def follow(self, m, moves):
        """Add transitions to a module: tuples of a state, the state after it, and when.

        At most one of the conditions of a state holds.
        """
        for name, flag in self._flags.items():
            comes = [self[before] & when for before, after, when in moves if after == name]
            goes = [when for before, _, when in moves if before == name]
            m.d.sync += flag.eq(reduce(or_, comes, flag & ~reduce(or_, goes)))
