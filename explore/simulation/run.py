"""Simulates operations and counts their clocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from montgomery import CoreParameters, Cycles

from .amaranth import AmaranthEngine
from .engine import Engine, Progress, Stimulus, Times
from .vectors import Vector

__all__ = ["Result", "simulate", "stimulus"]


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of :func:`simulate`.

    Attributes
    ----------
    products : list of int
        The decoded results, in order.
    cycles : list of :class:`montgomery.Cycles`
        Measured counts of each operation; the ``interval`` of the first operation is 0.
    clocks : int
        Length of the simulation.
    seconds : float
        Time that the simulator took.
    words : list of list of int
        The received words of each result.
    times : list of Times
        Times of the words of each operation.
    """

    products: list[int]
    cycles: list[Cycles]
    clocks: int
    seconds: float = dataclasses.field(compare=False)
    words: list[list[int]] = dataclasses.field(repr=False)
    times: list[Times] = dataclasses.field(repr=False)


def stimulus(params: CoreParameters, vectors: Sequence[Vector], *, chained: bool = False,
             seed: int = 0, i_gap: float = 0.0, o_gap: float = 0.0,
             prelude: int = 0) -> Stimulus:
    """Return the stimulus with which an engine runs ``vectors``.

    The parameters are those of :class:`explore.simulation.engine.Stimulus`.
    """
    words = [params.encode(*vector) for vector in vectors]
    known = params.common_cycles
    patience = max(10 * (cycles.load + cycles.compute + cycles.unload)
                   + len(words[0]) * cycles.load
                   for cycles in ([known] if known else (params.cycles_of(*vector)
                                                         for vector in vectors)))
    patience = int(patience / (1 - max(i_gap, o_gap))) + 100
    return Stimulus(words=words, results=[params.result_words] * len(words), patience=patience,
                    prelude=prelude, chained=chained, seed=seed, i_gap=i_gap, o_gap=o_gap)


def simulate(params: CoreParameters, vectors: Sequence[Vector], *, chained: bool = False,
             seed: int = 0, i_gap: float = 0.0, o_gap: float = 0.0, prelude: int = 0,
             progress: Progress | None = None, engine: Engine | None = None,
             waveform: Path | None = None, waveform_from: int = 0) -> Result:
    """Send ``vectors`` through one core and collect the results.

    Parameters
    ----------
    chained, seed, i_gap, o_gap, prelude
        See :class:`explore.simulation.engine.Stimulus`.
    progress : callable or None
        Called with the number of received results and the number of vectors.
    engine : Engine or None
        A simulator of this core; Amaranth's simulator if None.
    waveform, waveform_from
        See :meth:`explore.simulation.engine.Engine.run`.

    Raises
    ------
    Mismatch
        If the core breaks the rules of its streams (withdraws a word, or changes it while it
        waits), or does not answer within ten times the clocks of its formula.
    """
    engine = engine or AmaranthEngine(params)
    trace = engine.run(stimulus(params, vectors, chained=chained, seed=seed, i_gap=i_gap,
                                o_gap=o_gap, prelude=prelude), progress, waveform, waveform_from)
    return Result([params.decode(words) for words in trace.words], _measured(trace.times),
                  trace.clocks, trace.seconds, trace.words, trace.times)


def _measured(times: Sequence[Times]) -> list[Cycles]:
    measured, before = [], None
    for time in times:
        interval = time.first_ready - before.first_ready if before else 0
        measured.append(Cycles(load=time.last_in - time.first_in + 1,
                               compute=time.first_ready - time.last_in,
                               unload=time.last_out - time.first_ready + 1,
                               interval=interval))
        before = time
    return measured
