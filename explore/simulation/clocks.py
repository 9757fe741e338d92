"""Comparison of measured clock counts with a core's formula."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from montgomery import CoreParameters, Cycles

from .engine import Mismatch
from .report import Report
from .vectors import Vector

__all__ = ["check_cycles", "check_initiation", "check_kept", "check_recovery", "check_whole"]

_NAMES = tuple(field.name for field in dataclasses.fields(Cycles))


def check_cycles(report: Report, vectors: Sequence[Vector],
                 measured: Sequence[Cycles]) -> Report:
    """Compare the clock counts of dependent operations with the formula.

    Returns
    -------
    Report
        A report with ``cycles`` and ``constant_time``; see :func:`explore.simulation.verify`.

    Raises
    ------
    Mismatch
        If the slowest of the operations that should take the same time does not match the formula.
    """
    params = report.params
    formula = [params.cycles_of(*vector) for vector in vectors]
    # An interval counts if both operations are equal; the first operation has none before it. On a
    # core that keeps results, that of operations that are sent is not the shortest.
    found = [cycles if index and formula[index - 1] == formula[index] and not params.chains
             else dataclasses.replace(cycles, interval=0) for index, cycles in enumerate(measured)]
    slowest: dict[Cycles, Cycles] = {}
    for expected, cycles in zip(formula, found, strict=True):
        slowest[expected] = _slower(slowest.get(expected, cycles), cycles)
    for expected, cycles in slowest.items():
        cycles = _whole(cycles, expected)
        if cycles != expected:
            # Report the first operation whose clock count is wrong.
            index = next(index for index, each in enumerate(formula)
                         if each == expected and _whole(found[index], expected) != expected)
            raise Mismatch(f"Measured {cycles}, but the formula says {expected}", index,
                           cycles=dataclasses.asdict(cycles))
    counts = dataclasses.asdict(params.cycles_of(*params.longest))
    if not params.key_inputs:
        del counts["load_key"]
    return dataclasses.replace(
        report, cycles=counts,
        constant_time=_constant_time(params, vectors, formula, found))


def check_initiation(report: Report, vectors: Sequence[Vector],
                     measured: Sequence[Cycles]) -> Report:
    """Compare the rate of operations sent back to back with the formula.

    Returns
    -------
    Report
        A report with ``initiation`` among its ``cycles``.

    Raises
    ------
    Mismatch
        If the largest number of clocks between two results differs from the formula.
    """
    # The first operation has none before it.
    intervals = [cycles.interval for cycles in measured]
    worst = max(intervals)
    if worst != report.params.initiation:
        raise Mismatch(f"Measured {worst} clocks between independent results, but the formula says "
                       f"{report.params.initiation}", intervals.index(worst),
                       cycles={"initiation": worst})
    return dataclasses.replace(report, cycles={**report.cycles, "initiation": worst})


def check_recovery(report: Report, vectors: Sequence[Vector],
                   measured: Sequence[Cycles]) -> Report:
    """Check the rate of operations sent back to back some time after pauses.

    The report stays as it is.

    Raises
    ------
    Mismatch
        If a number of clocks between two results is above the formula.
    """
    initiation = report.params.initiation
    intervals = [cycles.interval for cycles in measured]
    worst = max(intervals)
    if worst > initiation:
        raise Mismatch(f"Measured {worst} clocks between independent results after pauses, but the "
                       f"formula says {initiation}", intervals.index(worst),
                       cycles={"initiation": worst})
    return report


def check_kept(report: Report, vectors: Sequence[Vector], measured: Sequence[Cycles]) -> Report:
    """Compare clocks between results, each of which is an operand of the next, with the formula.

    Raises
    ------
    Mismatch
        If the largest number differs from the formula.
    """
    intervals = [cycles.interval for cycles in measured]
    worst, formula = max(intervals), report.params.cycles.interval
    if worst != formula:
        raise Mismatch(f"Measured {worst} clocks between dependent results, but the formula says "
                       f"{formula}", intervals.index(worst), cycles={"interval": worst})
    return report


def check_whole(report: Report, vectors: Sequence[Vector], measured: Sequence[Cycles]) -> Report:
    """Compare the clock counts of operations of full length with the formula.

    The report stays as it is.
    """
    check_cycles(report, vectors, measured)
    return report


def _whole(cycles: Cycles, expected: Cycles) -> Cycles:
    """Return ``cycles`` with the expected counts in place of those that were not measured."""
    return dataclasses.replace(cycles, interval=cycles.interval or expected.interval,
                               load_key=cycles.load_key or expected.load_key)


def _slower(one: Cycles, other: Cycles) -> Cycles:
    return Cycles(**{name: max(getattr(one, name), getattr(other, name)) for name in _NAMES})


def _constant_time(params: CoreParameters, vectors: Sequence[Vector], formula: Sequence[Cycles],
                   measured: Sequence[Cycles]) -> bool | None:
    """Return whether operations of the same public lengths take the same clocks.

    The answer is None if no two operations have the same lengths.
    """
    if any(_whole(cycles, expected) != expected
           for expected, cycles in zip(formula, measured, strict=True)):
        return False
    known: dict[tuple[int, ...], Cycles] = {}
    for vector, expected in zip(vectors, formula, strict=True):
        if known.setdefault(params.lengths(*vector), expected) != expected:
            return False
    return True if len(known) < len(vectors) else None
