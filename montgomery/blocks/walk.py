"""Goes through words of a memory, run after run."""

import dataclasses
from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .carry_save import gate

__all__ = ["Run", "Walk"]


@dataclasses.dataclass(frozen=True)
class Run:
    """Words that follow each other.

    Attributes
    ----------
    start : :class:`int`
        Index of the first one.
    count : :class:`int`
        Number of words.
    """

    start: int
    count: int


class Walk(wiring.Component):
    """Goes through the indices of a run, and then to another run.

    Parameters
    ----------
    runs : list of :class:`Run`
        The first one is the current one in the beginning.

    Members
    -------
    step : :py:`In(1)`
        Go on by one index, or after the last one to the run ``next``.
    next : :py:`In(len(runs))`
        One-hot.
    run : :py:`Out(len(runs))`
        The current run, one-hot.
    index : :py:`Out(...)`
        The current index.
    first, last : :py:`Out(1)`
        It is the first index of its run, or the last.
    """

    def __init__(self, runs):
        self.runs = runs
        top = max(run.start + run.count for run in runs)
        super().__init__({
            "step": In(1), "next": In(len(runs)),
            "run": Out(len(runs), init=1), "index": Out(range(top), init=runs[0].start),
            "first": Out(1, init=1), "last": Out(1, init=runs[0].count == 1),
        })

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(max(run.count for run in self.runs)), name="left",
                      init=self.runs[0].count - 1)

        def of_next(values, width):
            return reduce(or_, (gate(self.next[number], Const(value, width))
                                for number, value in enumerate(values)))

        with m.If(self.step):
            m.d.sync += [
                self.first.eq(self.last),
                self.last.eq(Mux(self.last, of_next([run.count == 1 for run in self.runs], 1),
                                 left == 1)),
                left.eq(Mux(self.last, of_next([run.count - 1 for run in self.runs], len(left)),
                            left - 1)),
                self.index.eq(Mux(self.last, of_next([run.start for run in self.runs],
                                                     len(self.index)), self.index + 1)),
            ]
            with m.If(self.last):
                m.d.sync += self.run.eq(self.next)
        return m
