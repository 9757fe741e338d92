"""One simulation of a verification: what it must give, and what is said where it does not."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from montgomery import CoreParameters, Cycles
from montgomery.core import cycles_of, expected_words, input_names, results_of, traits

from .engine import Difference, Engine, Mismatch, Progress, Trace
from .judge import COUNTS, Clash, Formula, Found, Rate, Run, judged
from .kinds import Vector, adapter
from .report import Report
from .run import decoded, simulate, stimulus

__all__ = ["Attempt", "Waveform", "as_formula", "check_products", "expected_results", "failure",
           "named"]


def expected_results(params: CoreParameters, vectors: Iterable[Vector]) -> dict[Vector, int]:
    """Return the results of the integer model, after a comparison with Python's own integers.

    :exc:`Mismatch` is raised for the first result that contradicts the definition of the operation.
    """
    results: dict[Vector, int] = {}
    for index, vector in enumerate(vectors):
        if vector in results:
            continue
        result = results[vector] = params.compute(*vector)
        wrong = (adapter(params).contradiction(result, *vector) if isinstance(result, int) else
                 "results must be integers")
        if wrong:
            inputs = named(zip(input_names(params), vector, strict=True), ", ")
            text = hex(result) if isinstance(result, int) else repr(result)
            raise Mismatch(f"The model is wrong: compute({inputs}) = {text}, but {wrong}", index)
    return results


def check_products(params: CoreParameters, vectors: Iterable[Vector], result: Trace,
                   expected: Mapping[Vector, int]) -> None:
    """Raise :exc:`Mismatch` for the first result that differs from the expected one."""
    for index, (vector, words) in enumerate(zip(vectors, result.words, strict=True)):
        found = decoded(params, words)
        right = expected[vector]
        if found == right:
            continue
        given = named(zip(input_names(params), vector, strict=True))
        word = _first_difference(params, right, words)
        where = "" if word is None else f"; the first word that differs is {word}"
        raise Mismatch(
            f"{given}: expected {_said(params, right)}, found {_said(params, found)}{where}", index,
            result.times[index].first_in, Difference(expected=right, found=found, word=word))


def _said(params: CoreParameters, result: int) -> str:
    refused = traits(params).checks and result == results_of(params).largest
    return "a refusal" if refused else f"{result:#x}"


def named(operands: Iterable[tuple[str, int]], between: str = " ") -> str:
    """Return numbers with their names, as text."""
    return between.join(f"{name}={value:#x}" for name, value in operands)


def _first_difference(params: CoreParameters, expected: int, words: Sequence[int]) -> int | None:
    # Words are usually the digits of the result, but only decode() knows their meaning.
    digits = results_of(params).encode({"result": expected})
    if decoded(params, digits) != expected:
        return None
    return next((index for index, (digit, word) in enumerate(zip(digits, words, strict=True))
                 if digit != word), None)


def as_formula(params: CoreParameters, vectors: Sequence[Vector], *, says: bool = False) -> Formula:
    """Return the clocks of operations that are sent as if each depended on the one before.

    With ``says``, the counts of the core are known if all operations match: those of the formula,
    of operands that take longest.
    """
    counts, kind = None, adapter(params)
    if says:
        counts = dataclasses.asdict(params.cycles)
        if not params.k_words:
            del counts["load_key"]
    # On a core that keeps results, the interval of operations that are sent is not the shortest.
    return Formula(counts=[dataclasses.astuple(cycles_of(params, *vector)) for vector in vectors],
                   intervals=not traits(params).keeps_results, says=counts,
                   lengths=[kind.lengths(*vector) for vector in vectors] if says else ())


def _wrong_clocks(clocks: Formula | Rate, clash: Clash) -> Mismatch:
    """Return what is said of clocks that are not the expected ones."""
    if isinstance(clocks, Formula):
        found = Cycles(**dict(zip(COUNTS, clash.found, strict=True)))
        expected = Cycles(**dict(zip(COUNTS, clash.expected, strict=True)))
        return Mismatch(f"Measured {found}, but the formula says {expected}", clash.index,
                        cycles=dataclasses.asdict(found))
    kind = "independent" if clocks.says or not clocks.exact else "dependent"
    late = "" if clocks.exact else " after pauses"
    return Mismatch(f"Measured {clash.found} clocks between {kind} results{late}, but the formula "
                    f"says {clash.expected}", clash.index,
                    cycles={"interval" if kind == "dependent" else "initiation": clash.found})


#: A function that returns the engine for the waveform of a mismatch, and the VCD file to write.
Waveform = tuple[Callable[[], Engine], Path]


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One simulation of a verification, in terms of numbers.

    The ``expected`` results are those of :func:`expected_results`, ``clocks`` what the clocks must
    be, and ``options`` keyword arguments of :func:`explore.simulation.run.stimulus`.
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
            raise _wrong_clocks(self.clocks, clash) from None

    def failed(self, report: Report, engine: Engine, mismatch: Mismatch,
               waveform: Waveform | None) -> Report:
        """Return a report on a mismatch, and write its waveform."""
        # The simulation ends with the operation that fails.
        return failure(report, engine, mismatch, self.vectors[:mismatch.index + 1], waveform,
                       **self.options)


def failure(report: Report, engine: Engine, mismatch: Mismatch, vectors: Sequence[Vector],
            waveform: Waveform | None = None, **options: Any) -> Report:
    """Return a report on a mismatch at the last of some vectors, after that ran once more alone.

    The waveform is that of all of them, with the options of :func:`.run.stimulus`, from where the
    last one begins.
    """
    vector = vectors[-1]
    report = dataclasses.replace(
        report, ok=False, operation=vector, message=mismatch.message, clock=mismatch.clock,
        alone=_fails_alone(report.params, engine, vector), difference=mismatch.difference,
        cycles={**(report.cycles or {}), **mismatch.cycles} or None)
    if waveform is None:
        return report
    slower, path = waveform
    with contextlib.suppress(Mismatch):
        simulate(report.params, vectors, engine=slower(), waveform=path,
                 waveform_from=(len(vectors) > 1 and mismatch.clock) or 0, **options)
    return dataclasses.replace(report, waveform=path)


def _fails_alone(params: CoreParameters, engine: Engine, vector: Vector) -> bool:
    try:
        expected = expected_results(params, [vector])
        check_products(params, [vector], simulate(params, [vector], engine=engine), expected)
    except Mismatch:
        return True
    return False
