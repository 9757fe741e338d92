"""Verifies a core: compares it with its integer model and its cycle formula."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable

from montgomery import CoreParameters

from .amaranth import AmaranthEngine
from .attempt import Attempt, Waveform, as_formula, expected_results, failure, named
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

    First, the model is compared with Python's own integers. Then edge operands and random operands,
    and solved operands if the core is compiled, run several times:

    1. chained, without stalls, which measures the cycles of each operation;
    2. back to back, without stalls, if the core has a formula for the rate of independent
       operations, as multipliers have;
    3. if the core keeps results as operands, back to back, with each operation on the result of
       the one before, and with others and other keys between these;
    4. back to back, after a reset during an operation, with random stalls of all streams, and with
       results that are kept; every other key follows a key that no operation uses, and
       operands are offered beside their key;
    5. with a receiver that is ready only after a clock in which a word was offered;
    6. if the core is compiled, back to back with pauses so long that the core comes to a
       standstill, or, if it has no formula for the rate, so long that another operation ends before
       a result is taken; with such a formula, twice more with pauses that end, long ones and short
       ones, after which the rate must be that of the formula again;
    7. if the core is compiled, operations that are reset while the first one is sent its key or its
       operands, computed or received, while as many are under way as the core overlaps, while the
       receiver waits until the core is at a standstill, and between the words of a key; small
       cores are reset in many clocks.
       Afterwards operands are offered before there is a key, which must not be taken. In turns,
       all clocks must be right afterwards, or the rate, or there are stalls;
    8. if the core is compiled, operations of shorter cores whose words it takes;
    9. with a part of another operation at the end, so that results must come without the rest;
    10. if the core is compiled, with operands that random ones hardly ever are, with operations
       that are only just refused, and with slow words after these; and with resets at distances
       from the first and last words of an operation that grow with the distance.

    While no word is offered, the payload of its port is the complement of the next one.

    A key is sent as soon as the operation before has begun. Exponents are short. A compiled core
    that takes an exponent also does one operation of full length.

    Parameters
    ----------
    vectors : int
        Number of random operations, in addition to :func:`edge_vectors`.
    seed : int
        Seed of operands and stalls. The same seed repeats a run exactly.
    engine : Engine or None
        A simulator of this core; Amaranth's simulator if None.
    waveform : (callable, path) or None
        A function that returns an engine for the waveform of a mismatch, and the VCD file to write.

    Returns
    -------
    Report
        For a multiplier, ``cycles`` are the measured counts, ``initiation`` included, which must
        equal the formula. For exponentiators and cores for RSA with CRT, they are the counts of the
        formula for a full-length exponent of ones, after the formula has matched every simulated
        operation.
        ``constant_time`` is false if cycles depend on more than the public lengths, which are the
        lengths of the modulus or its factors, and of the exponent; the largest count must equal the
        formula then.
    """
    engine = engine or AmaranthEngine(params)
    # Amaranth's simulator would take too long for the rest.
    thorough = engine.name != AmaranthEngine.name
    trials = Trials(params, vectors, seed, thorough)
    report = Report(params=params, engine=engine.name, vectors=len(trials.operands), seed=seed)
    try:
        trials.expect()
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, trials.every[mismatch.index])
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

    A multiplier computes it product by product; every product is compared with the model, and the
    result with that of Python's own integers. See :func:`verify`; the report also has ``clocks``.
    """
    engine = engine or AmaranthEngine(params)
    tried = edge_vectors(params)
    report = Report(params=params, engine=engine.name, vectors=len(tried), seed=seed)
    try:
        # A wrong model may stop long before it has a result.
        expected_results(params, tried)
        whole = adapter(params).whole(random.Random(f"{params!r} {seed} exponentiation"))
        tried = whole.operations
        report = dataclasses.replace(report, vectors=len(tried))
        expected = expected_results(params, tried)
        if whole.result != whole.golden:
            raise Mismatch(f"The model is wrong: {named(whole.inputs.items())} gives "
                           f"{whole.result:#x}, and by Python's own integers {whole.golden:#x}", 0)
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, tried[mismatch.index])
    run = Attempt(params, tried, expected, as_formula(params, tried, says=True),
                  {"chained": True, "seed": seed})
    report, clocks = _simulated(report, [run], engine, progress, waveform)
    return dataclasses.replace(report, exponent_bits=whole.exponent_bits,
                               clocks=clocks) if report.ok else report
