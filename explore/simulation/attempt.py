"""One simulation of a verification, and what is said where it fails."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from montgomery import CoreParameters
from montgomery.core import expected_words

from .clocks import wrong_clocks
from .comparison import check_products, expected_results
from .engine import Engine, Mismatch, Progress, Trace
from .judge import Clash, Formula, Found, Rate, Run, judged
from .report import Report
from .run import simulate, stimulus
from .vectors import Vector

__all__ = ["Attempt", "Waveform", "failure"]

#: A function that returns the engine for the waveform of a mismatch, and the VCD file to write.
Waveform = tuple[Callable[[], Engine], Path]


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One simulation of a verification, in terms of numbers.

    The ``expected`` results are those of :func:`.comparison.expected_results`, ``clocks`` what the
    clocks must be, and ``options`` keyword arguments of :func:`explore.simulation.run.stimulus`.
    """

    params: CoreParameters
    vectors: Sequence[Vector]
    expected: Mapping[Vector, int]
    clocks: Formula | Rate | None
    options: Mapping[str, Any]

    @property
    def run(self) -> Run:
        """The simulation as data."""
        words = {vector: expected_words(self.params, *vector, result=self.expected[vector])
                 for vector in dict.fromkeys(self.vectors)}
        return Run(stimulus=stimulus(self.params, self.vectors, **self.options),
                   results=[words[vector] for vector in self.vectors], clocks=self.clocks)

    def simulate(self, engine: Engine, progress: Progress | None = None) -> tuple[Trace, Found]:
        """Simulate, and return what the simulation shows.

        :exc:`Mismatch` is raised for the first result that differs, and otherwise for clocks.
        """
        run = self.run
        trace = engine.run(run.stimulus, progress)
        try:
            return trace, judged(run, trace)
        except Clash as clash:
            check_products(self.params, self.vectors, trace, self.expected)
            if clash.found is None:
                raise Mismatch("The words of a result are not those of the model, although they "
                               "say the same", clash.index) from None
            raise wrong_clocks(self.clocks, clash) from None

    def failed(self, report: Report, engine: Engine, mismatch: Mismatch,
               waveform: Waveform | None) -> Report:
        """Return a report on a mismatch, and write its waveform."""
        report = failure(report, engine, mismatch, self.vectors[mismatch.index])
        if waveform is None:
            return report
        slower, path = waveform
        with contextlib.suppress(Mismatch):
            # The simulation ends with the operation that fails.
            simulate(self.params, self.vectors[:mismatch.index + 1], engine=slower(), waveform=path,
                     waveform_from=mismatch.clock or 0, **self.options)
        return dataclasses.replace(report, waveform=path)


def failure(report: Report, engine: Engine, mismatch: Mismatch, vector: Vector) -> Report:
    """Return a report with a mismatch, after the operation of ``vector`` ran once more alone."""
    return report.failed(mismatch, vector, alone=_fails_alone(report.params, engine, vector))


def _fails_alone(params: CoreParameters, engine: Engine, vector: Vector) -> bool:
    try:
        expected = expected_results(params, [vector])
        check_products(params, [vector], simulate(params, [vector], engine=engine), expected)
    except Mismatch:
        return True
    return False
