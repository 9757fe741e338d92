"""Runs in which conditions meet: pauses, resets, other keys, and how the environment behaves."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery import CoreParameters
from montgomery.core import cycles_of, traits

from .attempt import Attempt, expected_results
from .kinds import Vector, adapter, random_vectors

if TYPE_CHECKING:
    from .plan import Trials

__all__ = ["LONGEST_BURST", "STALLS", "between_others", "combined", "quick"]

#: Probabilities in each clock that the environment of the last run sends or takes no word.
STALLS: dict[str, Any] = {"i_gap": 0.2, "o_gap": 0.4, "k_gap": 0.3}
#: Most clocks of a pause in which a core is to come to a standstill.
LONGEST_BURST = 4096
#: Operations of one at a time that take few clocks: the fewest, the most, and roughly most clocks.
_FEWEST_WAITED, _MOST_WAITED, _WAITED_CLOCKS = 4, 12, 100_000
#: Probability of another key where operations that depend on the one before are among others.
_OTHER_KEYS = 0.15

#: Conditions any two of whose choices meet in a run; see :func:`combined`. Streams that pause,
#: all or one alone, and how long; when a reset comes; and how the environment behaves.
_CONDITIONS = {
    "pauses": (None, *((streams, length) for length in ("short", "long")
                       for streams in (tuple(STALLS), *((each,) for each in STALLS)))),
    "reset": (None, "running", "blocked"), "sent": ("freely", "chained", "kept"),
    "superseded": (False, True), "eager": (False, True), "hesitant": (False, True)}
#: Random operations of each of these runs, and about how many clocks they may take.
_COMBINED, _COMBINED_CLOCKS = 24, 20_000


def combined(trials: Trials) -> Iterator[Attempt]:
    """Yield runs in which conditions meet: each choice of one with each choice of any other one.

    Keys follow each other quickly: most of them are those of one operation or two.
    """
    params, cycles = trials.params, trials.cycles
    conditions: dict[str, Sequence[Any]] = dict(_CONDITIONS)
    if not traits(params).keeps_results:
        conditions["sent"] = conditions["sent"][:2]
    if not params.k_words:
        conditions |= {"superseded": (False,), "eager": (False,), "pauses": [
            each for each in conditions["pauses"] if not each or each[0] != ("k_gap",)]}
    rng = random.Random(f"{params!r} {trials.seed} combined")
    _, clocks = quick(params, trials.operands)
    count = min(max(_COMBINED_CLOCKS // clocks, 3), _COMBINED)
    long = min(2 * (cycles.load + cycles.compute + cycles.unload), LONGEST_BURST)
    for number, chosen in enumerate(_covering(conditions)):
        options: dict[str, Any] = {
            name: chosen[name] for name in ("superseded", "eager", "hesitant")}
        if chosen["pauses"]:
            streams, length = chosen["pauses"]
            short = length == "short"
            options |= {name: STALLS[name] if short else 4 / long for name in streams}
            options["burst"] = 1 if short else long
        if chosen["reset"]:
            options |= {"prelude": rng.randrange(1, 3 * (long if chosen["pauses"] else clocks)),
                        "blocked": chosen["reset"] == "blocked"}
        if chosen["sent"] == "kept":
            vectors, options["kept"] = between_others(params, rng, count)
        else:
            options["chained"] = chosen["sent"] == "chained"
            vectors = _in_pairs(
                quick(params, trials.operands)[0] if traits(params).initiation is None
                else random_vectors(params, count, trials.seed + number), count)
        yield trials.attempt(vectors, results=expected_results(params, vectors),
                             seed=trials.seed + number, **options)


def _covering(conditions: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield few choices, in which each choice of one condition meets each one of any other."""

    def pairs(row: tuple[object, ...]) -> set[tuple[object, ...]]:
        return set(itertools.combinations(enumerate(row), 2))

    rows = list(itertools.product(*conditions.values()))
    # Of those that are as good, any one is taken, so that more than two meet by chance.
    random.Random(0).shuffle(rows)
    left = set().union(*map(pairs, rows))
    while left:
        best = max(rows, key=lambda row: len(left & pairs(row)))
        left -= pairs(best)
        yield dict(zip(conditions, best, strict=True))


def _in_pairs(vectors: Sequence[Vector], count: int) -> list[Vector]:
    """Return vectors in turn, every third of them twice."""
    once = itertools.cycle(vectors)
    return list(itertools.islice((each for index, vector in enumerate(once)
                                  for each in [vector] * (1 + (index % 3 == 2))), count))


def between_others(params: Any, rng: random.Random, count: int
                    ) -> tuple[list[Vector], list[int | None]]:
    """Return operations that depend on the one before, among others and other keys.

    Their results come with them, for ``kept``: None before another key, with which the core has no
    result that might be an operand.
    """
    vectors: list[Vector] = []
    kept: list[int | None] = []
    while len(vectors) < count:
        if not vectors or rng.random() < _OTHER_KEYS:
            vector = adapter(params).sample(rng)
            if kept:
                kept[-1] = None
        else:
            modulus, last = vectors[-1][-1], kept[-1]
            one, other = (rng.randrange(params.bound(modulus)) for _ in range(2))
            vector = (*rng.choice(((last, last), (last, one), (one, last), (one, other))), modulus)
        vectors.append(vector)
        kept.append(params.compute(*vector))
    return vectors, kept


def quick(params: CoreParameters, operands: Sequence[Vector]) -> tuple[list[Vector], int]:
    """Return vectors of one operation at a time that take the fewest clocks, and these clocks."""
    by_clocks = sorted((cycles_of(params, *vector).interval, index)
                       for index, vector in enumerate(operands))
    clocks, _ = by_clocks[0]
    count = min(_MOST_WAITED, max(_FEWEST_WAITED, _WAITED_CLOCKS // clocks))
    return [operands[index] for _, index in by_clocks[:count]], clocks
