"""Verifies a core of a small width with all operands of all moduli."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Iterable
from pathlib import Path

from montgomery import CoreParameters

from ..errors import Refusal
from .amaranth import AmaranthEngine
from .attempt import Waveform, check_products, expected_results, failure
from .compiled import CompiledEngine
from .engine import Engine, Mismatch, Progress
from .kinds import Vector, adapter
from .report import Report
from .run import stimulus

__all__ = ["LARGEST_WIDTH", "Checked", "blocks_of", "check_block", "check_width",
           "verify_exhaustive"]

#: Largest width in bits. Each bit more makes eight times as many multiplications.
LARGEST_WIDTH = 10
#: Number of operations in a block.
_BLOCK = 1 << 14


@dataclasses.dataclass(frozen=True, kw_only=True)
class Checked:
    """The result of blocks: operations, clocks, seconds of simulation, and the first mismatch."""

    operations: int
    clocks: int = 0
    seconds: float = 0.0
    wrong: tuple[Mismatch, Vector] | None = None


def check_width(params: CoreParameters) -> None:
    """Refuse a core that has too many operands to try them all.

    Its width is above :data:`LARGEST_WIDTH`, it is no multiplier or inverter, or its operands may
    be twice the modulus or more.
    """
    try:
        adapter(params).check_enumerable()
    except ValueError as error:
        raise Refusal(f"{error}; take another --method") from None
    if params.width > LARGEST_WIDTH:
        raise Refusal(f"Width must be {LARGEST_WIDTH} or less for all operands to be tried, not "
                      f"{params.width}; take another --method")


def blocks_of(params: CoreParameters) -> list[Collection[Vector]]:
    """Return all operations of a core, in blocks that run at one time."""
    return list(adapter(params).every(_BLOCK))


def verify_exhaustive(params: CoreParameters, *, library: Path | None,
                      progress: Progress | None = None, waveform: Waveform | None = None,
                      results: Iterable[Checked] | None = None) -> Report:
    """Run all operations of a core, back to back, and compare each result with the model.

    Without the ``library`` of the compiled core, Amaranth's simulator runs, which is some hundred
    times slower. ``results`` are those of all blocks, if this process does not compute them. The
    waveform is that of :func:`explore.simulation.verify`, but shows only the operation that failed.

    The report has no ``cycles``: an operation that waits for the one before takes more clocks than
    the formula says. :exc:`Refusal` is raised as by :func:`check_width`.
    """
    check_width(params)
    blocks = blocks_of(params)
    total = sum(map(len, blocks))
    engine = _engine(params, library)
    report = Report(params=params, engine=engine.name, vectors=total, seed=0)
    done = clocks = 0
    seconds = 0.0
    for checked in results or (check_block(params, library, block) for block in blocks):
        if checked.wrong:
            mismatch, vector = checked.wrong
            return failure(report, engine, mismatch, [vector], waveform)
        done, clocks = done + checked.operations, clocks + checked.clocks
        seconds += checked.seconds
        if progress is not None:
            progress(done, total)
    return dataclasses.replace(report, ok=True, cycles_per_second=clocks / seconds)


@functools.cache
def _engine(params: CoreParameters, library: Path | None) -> Engine:
    return CompiledEngine(library) if library else AmaranthEngine(params)


def check_block(params: CoreParameters, library: Path | None, block: Iterable[Vector]) -> Checked:
    """Run a block of operations, and compare each result with the model."""
    vectors = list(block)
    try:
        expected = expected_results(params, vectors)
        trace = _engine(params, library).run(stimulus(params, vectors))
        check_products(params, vectors, trace, expected)
    except Mismatch as mismatch:
        return Checked(operations=0, wrong=(mismatch, vectors[mismatch.index]))
    return Checked(operations=len(vectors), clocks=trace.clocks, seconds=trace.seconds)
