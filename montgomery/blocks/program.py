"""Programs: lists of steps with loops, which hardware goes through and integer models follow.

What a step does is up to the user of a program, who gives the fields of a step as a layout. What
follows a step is a :class:`Flow`: it depends on how many turns of a loop there have been, and on
nothing else but a condition that whoever writes the program declares public. So the steps of a
program, and their number, tell nothing about secret numbers.

:class:`~montgomery.blocks.sequencer.Sequencer` goes through a program in hardware, and
:meth:`Program.walk` does the same in Python. Whoever walks a program knows what an operation does,
and how long it takes.
"""

import dataclasses
from collections.abc import Mapping

from amaranth.lib import data, enum

__all__ = ["END", "Flow", "Loop", "Program", "Step"]


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
    """The turns of a loop.

    Attributes
    ----------
    turns : :class:`range`
        Numbers of the turns, in steps of 1. Also of the longest loop, where ``given`` is true.
    given : :class:`bool`
        The number of the last turn is given for each run of the program.
    """

    turns: range
    given: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a program.

    Attributes
    ----------
    fields : :class:`~collections.abc.Mapping`
        Values of the fields, as ``layout.const`` of the layout of the program takes them.
    label : :class:`str`
        A name, if other steps go here: those with this one as ``to``.
    """

    fields: Mapping
    label: str = ""
    flow: Flow = Flow.NEXT
    loop: str = ""
    to: str = ""


#: A run ends here, within a list of steps that has several entries.
END = Step(fields={})


class Program:
    """A list of steps, whose fields have a layout.

    Parameters
    ----------
    loops : :class:`dict` from :class:`str` to :class:`Loop`
        The loops by name. Those that no step names are left out.

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

        Parameters
        ----------
        last : :class:`dict` from :class:`str` to :class:`int`
            The last turns of the loops in which they are given.
        condition : callable
            Takes the turns, and returns the condition of ``Flow.REPEAT_IF``.
        entry : :class:`str`
            The label of the step to begin with; the first one if empty.
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
