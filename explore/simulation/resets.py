"""When a verification resets a core, and what runs then."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from montgomery import CoreParameters
from montgomery.core import ceil_div, cycles_of, key_of, traits

from .kinds import Vector, edge_vectors

__all__ = ["Reset", "resets", "resets_near_words"]

#: Resets of a core that has as many operations under way as it can.
_FULL_RESETS = 4
#: Resets of a core whose receiver waits, and those of a core that takes long.
_BLOCKED_RESETS, _FEWEST_BLOCKED = 6, 2
#: Clocks, roughly, that may be spent on other resets beyond one of each kind, and most of these.
_RESET_CLOCKS, _MOST_RESETS = 250_000, 240
#: Most resets between the words of a key, operations after each of them, and clocks, roughly, that
#: may be spent on all of them.
_MOST_IN_KEY, _AFTER_KEY, _IN_KEY_CLOCKS = 40, 4, 100_000
#: Clocks from the beginning of a phase of an operation, around which more resets are tried.
_AROUND = range(-2, 7)
#: What the distance of a reset from words grows by, of the distance.
_GROWTHS = 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1
_PHASES = ("load_key", "load", "compute", "compute", "unload")


@dataclasses.dataclass(frozen=True)
class Reset:
    """Operations of which a reset interrupts the first, or those that are under way.

    It comes after the clocks of the ``prelude``; if it is ``blocked``, no result is taken before.
    """

    vectors: Sequence[Vector]
    prelude: int
    blocked: bool = False


def resets(params: CoreParameters, vectors: Sequence[Vector], many: Sequence[Vector],
           rng: random.Random, *, telling: Sequence[Vector] = ()) -> Iterator[Reset]:
    """Yield resets of a core.

    Of a few vectors, the first is interrupted: once in each phase; where that takes little time,
    also in each of the clocks around the beginning of a phase, and in others at equal distances.
    Quick vectors serve for these, so that there are many resets: what survives may do so in a few
    clocks of each product alone. They are the ``telling`` ones, or the quicker half of all. If the
    core overlaps operations, it has as many under way as it can at some more resets. At others the
    receiver waits, so that the core comes to a standstill with all that it has room for. The last
    ones come between the words of a key.
    """
    quick = sorted(telling or vectors, key=lambda vector: _phase(params, vector, "end")[0])
    quick = quick if telling else quick[:max(ceil_div(len(quick), 2), 2)]

    def few(vectors: Sequence[Vector]) -> list[Vector]:
        # The last ones have one key, so that their rate can be measured.
        first, second = rng.sample(vectors, 2)
        return [first, *[second] * (1 if traits(params).initiation is None else 3)]

    for phase in _PHASES:
        pair = few(vectors)
        begin, length = _phase(params, pair[0], phase)
        if length:
            yield Reset(pair, begin + rng.randrange(1, length + 1))
    clocks, _ = _phase(params, quick[-1], "end")
    around = [(phase, offset) for phase in (*dict.fromkeys(_PHASES), "end") for offset in _AROUND]
    rng.shuffle(around)
    # Two operations and half of one, in a third of the clocks; elsewhere one and half of one.
    for phase, offset in around[:min(_RESET_CLOCKS // 3 * 2 // (5 * clocks), _MOST_RESETS // 2)]:
        pair = few(quick)
        begin, _ = _phase(params, pair[0], phase)
        if begin + offset > 0:
            yield Reset(pair, begin + offset)
    count = min(_RESET_CLOCKS * 2 // 3 * 2 // (3 * clocks), _MOST_RESETS // 2)
    for index in range(count):
        those = few(quick)
        end, _ = _phase(params, those[0], "end")
        yield Reset(those[:1] if traits(params).initiation is None else those,
                    1 + (2 * index + 1) * end // (2 * count))
    if traits(params).initiation is not None:
        cycles = cycles_of(params, *many[0])
        if traits(params).initiation < cycles.interval:
            begin, _ = _phase(params, many[0], "end")
            yield from (Reset(many, begin + rng.randrange(cycles.interval))
                        for _ in range(_FULL_RESETS))
    yield from _blocked(params, few, quick, many, rng)
    if params.k_words:
        yield from _in_keys(params, few, rng)


def resets_near_words(params: CoreParameters, vectors: Sequence[Vector],
                      expected: Mapping[Vector, int], clocks: int) -> Iterator[Reset]:
    """Yield resets of one operation, as many as may take some clocks with what follows each.

    They are near the first and the last words of the operation and of its result, near those of
    operations that would be under way at the same time, and near those that move inside of the
    core, as its :class:`montgomery.core.Traits` say: then much of what controls a core changes. The
    nearest clocks are all among them, others at distances that grow.

    What survives of an operation shows if the next one has another result. So the second one of two
    is interrupted, and the first one is what follows. An operation with a key follows itself.
    """
    rng = random.Random(f"{params!r} near words")
    cycles = cycles_of(params, *vectors[0])
    begin = cycles.load_key if params.k_words else 0
    ready = begin + cycles.load + cycles.compute
    initiation = traits(params).initiation or ready
    before = 0 if params.k_words else traits(params).initiation or cycles.interval
    places = {0, begin, begin + cycles.load, *range(ready, 0, -initiation), ready + cycles.unload,
              *traits(params).moves}
    taken = before + ready * (2 if before else 1)
    for growth in _GROWTHS:
        found = {place + sign * distance for place in places for sign in (1, -1)
                 for distance in _distances(growth, ready)}
        chosen = [clock for clock in sorted(found) if 0 < clock < ready + cycles.unload]
        if sum(chosen) + taken * len(chosen) <= clocks:
            break
    rng.shuffle(chosen)
    following = itertools.cycle(vectors)
    for clock, vector in zip(chosen, itertools.cycle(vectors), strict=False):
        if (clocks := clocks - clock - taken) < 0:
            return
        others = itertools.islice(following, len(vectors))
        other = next((each for each in others if expected[each] != expected[vector]), vector)
        yield Reset([other, vector] if before else [vector], before + clock)


def _distances(growth: float, most: int) -> Iterator[int]:
    distance = 0
    while distance < most:
        yield distance
        distance += max(int(growth * distance), 1)


def _blocked(params: CoreParameters, few: Callable[[Sequence[Vector]], list[Vector]],
             quick: Sequence[Vector], many: Sequence[Vector], rng: random.Random
             ) -> Iterator[Reset]:
    """Yield resets while the receiver waits, of a core that comes to a standstill or is there."""
    clocks, _ = _phase(params, quick[-1], "end")
    # Two operations before, and two after.
    count = _BLOCKED_RESETS if 4 * clocks * _BLOCKED_RESETS <= _RESET_CLOCKS else _FEWEST_BLOCKED
    for index in range(count):
        # Those of one key, of which each takes a place, and those of two, of which one waits.
        those = many if traits(params).initiation and index % 2 else few(quick)
        cycles = cycles_of(params, *those[0])
        begin, _ = _phase(params, those[0], "unload")
        # There may be as many operations in a queue as are under way.
        fills = 2 * cycles.interval + cycles.load_key + cycles.load
        yield Reset(those, begin + 1 + (index * fills + rng.randrange(fills)) // count,
                    blocked=True)


def _in_keys(params: CoreParameters, few: Callable[[Sequence[Vector]], list[Vector]],
             rng: random.Random) -> Iterator[Reset]:
    """Yield resets between the words of a key, as many as there is time for.

    A place that survives puts the words of later keys elsewhere. A wrong key need not show in each
    result: several operations follow, and edge cases, whose results are corrected more often.
    """
    edges = edge_vectors(params)
    words = len(params.encode_key(*key_of(params, *edges[0])))
    clocks = sum(_phase(params, vector, "end")[0] for vector in edges) // len(edges)
    count = min(_IN_KEY_CLOCKS // (_AFTER_KEY * clocks), _MOST_IN_KEY, words - 1)
    for clock in sorted(rng.sample(range(1, words), count)):
        yield Reset(few(edges) if traits(params).initiation is not None
                    else rng.sample(edges, min(_AFTER_KEY, len(edges))), clock)


def _phase(params: CoreParameters, vector: Vector, phase: str) -> tuple[int, int]:
    """Return the clock in which a phase of an operation begins, and the clocks that it lasts.

    After the phases of :class:`montgomery.Cycles`, ``end`` lasts no clock.
    """
    cycles = dataclasses.asdict(cycles_of(params, *vector))
    begin = 0
    for name in ("load_key", "load", "compute", "unload"):
        if name == phase:
            return begin, cycles[name]
        begin += cycles[name]
    return begin, 0
