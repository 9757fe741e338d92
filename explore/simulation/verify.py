"""Verifies a core: compares it with its integer model and its cycle formula."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable

from montgomery import CoreParameters

from .amaranth import AmaranthEngine
from .attempt import Attempt, Waveform, as_formula, expected_results, failure
from .engine import Engine, Mismatch, Progress
from .judge import packed
from .kinds import adapter, edge_vectors
from .plan import Trials, planned
from .report import Report

__all__ = ["plan_of", "verify", "verify_exponentiation"]


def verify(params: CoreParameters, *, vectors: int = 8, seed: int = 0,
           progress: Progress | None = None, engine: Engine | None = None,
           waveform: Waveform | None = None) -> Report:
    """Compare a core with its integer model and its cycle formula.

    First, the model is compared with Python's own integers. Then edge operands and random operands
    run several times, as :mod:`explore.simulation.plan` says in detail: each after the one before,
    which measures the cycles of each operation; back to back; with results that the core keeps as
    operands; with stalls, resets and other keys; and with a part of another operation at the end.
    If the core is compiled, there are also solved and rare operands, long pauses, resets in all
    phases, what a core that checks must refuse, and one operation of full length; and any two
    conditions meet in some run. Exponents are short.

    ``vectors`` is the number of random operations, and the same ``seed`` repeats a run exactly. The
    engine is a simulator of this core, which is Amaranth's if it is None. ``waveform`` is a
    function that returns an engine for the waveform of a mismatch, and the VCD file to write.

    In the report of a multiplier, ``cycles`` are the measured counts, ``initiation`` included,
    which must equal the formula. For exponentiators and cores for RSA with CRT, they are the counts
    of the formula for a full-length exponent of ones, after the formula has matched every simulated
    operation. ``constant_time`` is false if cycles depend on more than the public lengths, which
    are the lengths of the modulus or its factors, and of the exponent; the largest count must equal
    the formula then.
    """
    engine = engine or AmaranthEngine(params)
    # Amaranth's simulator would take too long for the rest.
    thorough = engine.name != AmaranthEngine.name
    trials = Trials(params, vectors, seed, thorough)
    report = Report(params=params, engine=engine.name, vectors=len(trials.operands), seed=seed)
    try:
        trials.expect()
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, [trials.every[mismatch.index]])
    runs = planned(trials)
    report = dataclasses.replace(report, vectors=sum(len(run.vectors) for run in runs))
    return _simulated(report, runs, engine, progress, waveform)[0]


def _simulated(report: Report, runs: Iterable[Attempt], engine: Engine, progress: Progress | None,
               waveform: Waveform | None) -> tuple[Report, int]:
    """Return a report on runs up to the first that does not match, and the clocks of them."""
    done = clocks = 0
    seconds = 0.0
    for run in runs:
        try:
            trace, found = run.simulate(engine, _shifted(progress, done, report.vectors))
        except Mismatch as mismatch:
            return run.failed(report, engine, mismatch, waveform), clocks
        report = report.with_found(found)
        done += len(run.vectors)
        clocks, seconds = clocks + trace.clocks, seconds + trace.seconds
    return dataclasses.replace(report, ok=True, cycles_per_second=clocks / seconds), clocks


def plan_of(params: CoreParameters, *, vectors: int, seed: int, thorough: bool) -> bytes:
    """Return the runs of :func:`verify` as data for :func:`explore.simulation.judge.run_all`.

    They are ``thorough`` if the core will be compiled. :exc:`Mismatch` is raised if the model
    contradicts the definition of the operation.
    """
    trials = Trials(params, vectors, seed, thorough)
    trials.expect()
    return packed(attempt.run for attempt in planned(trials))


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return a function that reports the progress of one run as progress of all runs."""
    return progress and (lambda done, _: progress(before + done, total))


def verify_exponentiation(params: CoreParameters, *, seed: int = 0,
                          progress: Progress | None = None, engine: Engine | None = None,
                          waveform: Waveform | None = None) -> Report:
    """Run an exponentiation, with or without CRT, with random numbers, all of full length.

    A multiplier computes it product by product; every product is compared with the model, and that
    with Python's own integers. See :func:`verify`; the report also has ``clocks``.
    """
    engine = engine or AmaranthEngine(params)
    tried = edge_vectors(params)
    report = Report(params=params, engine=engine.name, vectors=len(tried), seed=seed)
    try:
        # A wrong model may stop long before it has a result.
        expected_results(params, tried)
        tried, bits = adapter(params).whole(random.Random(f"{params!r} {seed} exponentiation"))
        report = dataclasses.replace(report, vectors=len(tried))
        expected = expected_results(params, tried)
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, [tried[mismatch.index]])
    run = Attempt(params, tried, expected, as_formula(params, tried, says=True),
                  {"chained": True, "seed": seed})
    report, clocks = _simulated(report, [run], engine, progress, waveform)
    return dataclasses.replace(report, exponent_bits=bits, clocks=clocks) if report.ok else report
