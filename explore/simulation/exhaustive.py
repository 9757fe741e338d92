"""Verification with all operands of all moduli of a small width."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

from montgomery import CoreParameters, Parameters

from .amaranth import AmaranthEngine
from .compiled import CompiledEngine
from .engine import Engine, Mismatch, Progress
from .run import simulate, stimulus
from .vectors import Vector, every_modulus
from .verify import Waveform, check_products, new_report, tell

__all__ = ["LARGEST_WIDTH", "check_width", "verify_exhaustive"]

#: The number of multiplications grows by eight with each bit.
LARGEST_WIDTH = 10
_BLOCK = 1 << 14

#: A modulus, and the range of the first operand.
_Block = tuple[int, int, int]


def check_width(params: CoreParameters) -> None:
    """Refuse a core of which all operands would take too long.

    Raises
    ------
    ValueError
        If the width is above :data:`LARGEST_WIDTH`, or it is an exponentiator, or operands may be
        twice the modulus or more.
    """
    if params.kind != "multiplier":
        raise ValueError(f"All operands are tried of multipliers, not of the {params.kind} "
                         f"{params.name()}; verify without --exhaustive")
    if params.bound(3) > 6:
        raise ValueError(f"All operands are tried where they are below twice the modulus, not of a "
                         f"scaled one as in {params!r}; verify without --exhaustive")
    if params.width > LARGEST_WIDTH:
        raise ValueError(f"Width must be {LARGEST_WIDTH} or less for all operands to be tried, not "
                         f"{params.width}; verify without --exhaustive")


def verify_exhaustive(params: Parameters, *, library: Path | None, jobs: int = 1,
                      progress: Progress | None = None,
                      waveform: Waveform | None = None) -> dict:
    """Multiply all operands of all moduli, back to back, and compare each product with the model.

    Parameters
    ----------
    library : path or None
        The compiled core; Amaranth's simulator is used without one, some hundred times slower.
    jobs : int
        Processes that share the work.
    waveform
        As in :func:`explore.simulation.verify`; it shows the product that failed by itself.

    Returns
    -------
    dict
        As :func:`explore.simulation.verify` does. Cycles are not measured: a multiplication that
        follows directly on another one waits for it.

    Raises
    ------
    ValueError
        As :func:`check_width` does.
    """
    check_width(params)
    blocks = list(_blocks(params))
    total = sum(_size(params, block) for block in blocks)
    report = new_report(params, "compiled" if library else "amaranth", vectors=total, seed=0)
    done = clocks = 0
    seconds = 0.0
    try:
        for size, ran, took in _results(params, library, blocks, jobs):
            done, clocks, seconds = done + size, clocks + ran, seconds + took
            if progress is not None:
                progress(done, total)
    except Mismatch as mismatch:
        vector = mismatch.facts.pop("vector")
        tell(report, params, _engine(params, library), mismatch, vector)
        if waveform is not None:
            engine, path = waveform
            with contextlib.suppress(Mismatch):
                simulate(params, [vector], engine=engine(), waveform=path)
            report["waveform"] = str(path)
        return report
    return report | {"ok": True, "cycles_per_second": clocks / seconds}


def _blocks(params: Parameters) -> Iterator[_Block]:
    # The large ones first, so that all processes come to their end together.
    for modulus in reversed(every_modulus(params)):
        bound = params.bound(modulus)
        step = max(_BLOCK // bound, 1)
        for first in range(0, bound, step):
            yield modulus, first, min(first + step, bound)


def _size(params: Parameters, block: _Block) -> int:
    modulus, first, end = block
    return (end - first) * params.bound(modulus)


@functools.cache
def _engine(params: Parameters, library: Path | None) -> Engine:
    return CompiledEngine(library) if library else AmaranthEngine(params)


def _multiply(params: Parameters, library: Path | None,
              block: _Block) -> tuple[int, int, float]:
    """Check one block; return its multiplications, clocks and seconds of simulation."""
    modulus, first, end = block
    vectors: list[Vector] = [(x, y, modulus) for x in range(first, end)
                             for y in range(params.bound(modulus))]
    try:
        trace = _engine(params, library).run(stimulus(params, vectors))
        check_products(params, vectors, trace)
    except Mismatch as mismatch:
        mismatch.facts["vector"] = vectors[mismatch.index]
        raise
    return len(vectors), trace.clocks, trace.seconds


def _results(params: Parameters, library: Path | None, blocks: list[_Block],
             jobs: int) -> Iterator[tuple[int, int, float]]:
    if jobs == 1:
        yield from (_multiply(params, library, block) for block in blocks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting, running = iter(blocks), set[Future]()
        try:
            while True:
                # A few ahead of the processes, so that a mismatch does not wait for the rest.
                while len(running) < 2 * jobs and (block := next(waiting, None)):
                    running.add(pool.submit(_multiply, params, library, block))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
