"""Simulates operations and counts their clocks."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from montgomery import CoreParameters, Cycles
from montgomery.core import cycles_of, from_words, key_of, results_of, traits

from .amaranth import AmaranthEngine
from .engine import Chain, Engine, Mismatch, Progress, Stimulus, Trace
from .judge import COUNTS, measured
from .kinds import Vector

__all__ = ["Result", "decoded", "simulate", "stimulus"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result(Trace):
    """The outcome of :func:`simulate`.

    ``products`` are the decoded results, in order, and where a core refused to give one, its
    refusal. ``cycles`` are measured counts of each operation. The ``interval`` is 0 for the first
    operation and those that a key was sent for; ``load_key`` is 0 for the others.
    """

    products: list[int]
    cycles: list[Cycles]


def stimulus(params: CoreParameters, vectors: Sequence[Vector], *, chained: bool = False,
             kept: Sequence[int | None] = (), superseded: bool = False, beyond: int = 0,
             forged: Mapping[int, Sequence[int]] = types.MappingProxyType({}),
             **environment: Any) -> Stimulus:
    """Return the stimulus with which an engine runs ``vectors``.

    A key is sent where it differs from the key of the vector before, and another one for no
    operation before every other one if some are to be ``superseded``. With ``chained`` operations,
    each begins as if it depended on the result of the one before: each of its words follows the
    word of the result at the same place; on a core without port ``k`` it follows the whole result.

    ``kept`` are results of the vectors, or empty: an operand that is the result of the operation
    before is not sent; after None, all are sent. After the last operation come ``beyond`` words of
    another one. There are no others, so that results must come without them. ``forged`` leads from
    indices of vectors to the words that are sent in place of those of their keys, or of their own
    on a core without port ``k``. The ``environment`` are attributes of :class:`Stimulus`.
    """
    words = [params.encode(*vector) for vector in vectors]
    for index, result in enumerate(kept[:len(words) - 1], 1):
        if result is None:
            continue
        x, y, modulus = vectors[index]
        words[index] = params.encode(None if x == result else x, None if y == result else y,
                                     modulus)
    keys, unused = [], []
    if params.k_words:
        before: Sequence[int] = []
        numbers = None
        for index, vector in enumerate(vectors):
            if key_of(params, *vector) != numbers:
                numbers = key_of(params, *vector)
                encoded = params.encode_key(*numbers)
            key = list(forged.get(index) or encoded)
            first = before if superseded and key != before and index % 2 else []
            keys.append([] if key == before else [*first, *key])
            unused.append(len(first))
            before = key
    else:
        words = [list(forged.get(index, own)) for index, own in enumerate(words)]
    patience = max(10 * (cycles.load + cycles.compute + cycles.unload)
                   + len(words[0]) * cycles.load + (2 + 2 * superseded) * cycles.load_key
                   for cycles in {cycles_of(params, *vector) for vector in vectors})
    gap = max(environment.get(name, 0.0) for name in ("i_gap", "o_gap", "k_gap"))
    patience = int(patience / (1 - gap)) + 3 * environment.get("burst", 1) + 100
    words[-1] = [*words[-1], *words[-1][:beyond]]
    chain = Chain.NONE if not chained else Chain.WORDS if keys else Chain.RESULTS
    return Stimulus(words=words, keys=keys, results=[params.result_words] * len(words),
                    patience=patience, i_width=params.operands.width,
                    k_width=params.key_operands.width, chain=chain, superseded=unused,
                    **environment)


def simulate(params: CoreParameters, vectors: Sequence[Vector], *,
             progress: Progress | None = None, engine: Engine | None = None,
             waveform: Path | None = None, waveform_from: int = 0, **environment: Any) -> Result:
    """Send ``vectors`` through one core and collect the results.

    ``progress`` is called with the number of received results and the number of vectors. The engine
    is a simulator of this core, which is Amaranth's if it is None; see
    :meth:`explore.simulation.engine.Engine.run` for the waveform, and :func:`stimulus` for the
    ``environment``.

    :exc:`Mismatch` is raised if the core breaks the rules of its streams (withdraws a word, or
    changes it while it waits), or does not answer within ten times the clocks of its formula.
    """
    engine = engine or AmaranthEngine(params)
    trace = engine.run(stimulus(params, vectors, **environment), progress, waveform, waveform_from)
    cycles = [Cycles(**dict(zip(COUNTS, counts, strict=True))) for counts in measured(trace.times)]
    return Result(**vars(trace), products=list(_results(params, trace)), cycles=cycles)


def _results(params: CoreParameters, trace: Trace) -> Iterator[int]:
    for index, (words, times) in enumerate(zip(trace.words, trace.times, strict=True)):
        try:
            yield decoded(params, words)
        except ValueError as error:
            raise Mismatch(str(error), index, times.first_in) from None


def decoded(params: CoreParameters, words: Sequence[int]) -> int:
    """Return the result that words hold, also where it is the refusal of a core that checks."""
    message = results_of(params)
    if traits(params).checks and from_words(words, message.width) == message.largest:
        return message.largest
    return params.decode(words)
