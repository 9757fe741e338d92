"""One simulation of a verification, and what is said where it fails."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from montgomery import CoreParameters

from .comparison import check_products, expected_results
from .engine import Engine, Mismatch, Progress
from .report import Report
from .run import Result, simulate
from .vectors import Vector

__all__ = ["Attempt", "Waveform", "failure"]

#: A function that returns the engine for the waveform of a mismatch, and the VCD file to write.
Waveform = tuple[Callable[[], Engine], Path]


@dataclasses.dataclass
class Attempt:
    """One simulation of a verification, which can be repeated for its waveform."""

    params: CoreParameters
    engine: Engine
    vectors: Sequence[Vector]
    expected: Mapping[Vector, int]
    options: dict

    def run(self, progress: Progress | None) -> Result:
        """Simulate, and compare the results.

        Raises
        ------
        Mismatch
            For the first result that differs.
        """
        result = simulate(self.params, self.vectors, engine=self.engine, progress=progress,
                          **self.options)
        check_products(self.params, self.vectors, result, self.expected)
        return result

    def failed(self, report: Report, mismatch: Mismatch, waveform: Waveform | None) -> Report:
        """Return a report on a mismatch, and write its waveform."""
        report = failure(report, self.engine, mismatch, self.vectors[mismatch.index])
        if waveform is None:
            return report
        engine, path = waveform
        with contextlib.suppress(Mismatch):
            # The simulation ends with the operation that fails.
            simulate(self.params, self.vectors[:mismatch.index + 1], engine=engine(), waveform=path,
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
