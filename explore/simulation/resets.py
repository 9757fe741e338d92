"""When a verification resets a core, and what runs then."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence

from montgomery import CoreParameters
from montgomery.core import ceil_div

from .vectors import Vector

__all__ = ["resets"]

#: Resets of a core that has as many operations under way as it can.
_FULL_RESETS = 4
#: Clocks, roughly, that may be spent on other resets beyond one of each kind, and most of these.
_RESET_CLOCKS, _MOST_RESETS = 250_000, 240
#: Clocks from the beginning of a phase of an operation, around which more resets are tried.
_AROUND = range(-2, 7)


def resets(params: CoreParameters, vectors: Sequence[Vector], many: Sequence[Vector],
           rng: random.Random) -> Iterator[tuple[Sequence[Vector], int]]:
    """Yield vectors, each with the clocks after which a reset interrupts them.

    Of the few, the first vector is interrupted: once in each phase; where that takes little time,
    also in each of the clocks around the beginning of a phase, and in others at equal distances. If
    the core overlaps operations, it has as many under way as it can at the other resets.
    """
    def few() -> list[Vector]:
        # The last ones have one key, so that their rate can be measured.
        first, second = rng.sample(vectors, 2)
        return [first, second] if params.initiation is None else [first, second, second, second]

    phases = ("load_key", "load", "compute", "compute", "unload")
    clocks = 0
    for phase in phases:
        pair = few()
        begin, length = _phase(params, pair[0], phase)
        clocks = max(clocks, begin + length)
        if length:
            yield pair, begin + rng.randrange(1, length + 1)
    count = min(_RESET_CLOCKS // (4 * clocks), _MOST_RESETS)
    around = [(phase, offset) for phase in (*dict.fromkeys(phases), "end") for offset in _AROUND]
    rng.shuffle(around)
    for phase, offset in around[:ceil_div(count, 2)]:
        pair = few()
        begin, _ = _phase(params, pair[0], phase)
        if begin + offset > 0:
            yield pair, begin + offset
    for index in range(count // 2):
        pair = few()
        end, _ = _phase(params, pair[0], "end")
        yield pair, 1 + (2 * index + 1) * end // count
    if params.initiation is not None:
        cycles = params.cycles_of(*many[0])
        if params.initiation < cycles.interval:
            begin, _ = _phase(params, many[0], "end")
            yield from ((many, begin + rng.randrange(cycles.interval)) for _ in range(_FULL_RESETS))


def _phase(params: CoreParameters, vector: Vector, phase: str) -> tuple[int, int]:
    """Return the clock in which a phase of an operation begins, and the clocks that it lasts.

    After the phases of :class:`montgomery.Cycles`, ``end`` lasts no clock.
    """
    cycles = dataclasses.asdict(params.cycles_of(*vector))
    begin = 0
    for name in ("load_key", "load", "compute", "unload"):
        if name == phase:
            return begin, cycles[name]
        begin += cycles[name]
    return begin, 0
