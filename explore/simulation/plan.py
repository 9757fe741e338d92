"""What a verification simulates: operands, and the runs that they go through."""

from __future__ import annotations

import itertools
import random
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from montgomery import CoreParameters
from montgomery.core import LEAST_WIDTH, ceil_div, cycles_of, key_of, results_of, traits

from .attempt import Attempt, as_formula, expected_results
from .conditions import LONGEST_BURST, STALLS, between_others, combined, quick
from .judge import Formula, Rate
from .kinds import Vector, adapter, edge_vectors, random_vectors
from .resets import resets, resets_near_words

__all__ = ["Trials", "planned"]

#: Most clocks of a pause in which an operation more is to end, of cores that do one at a time.
_LONGEST_WAIT = 50_000
#: Most clocks after the last result in which a word too many is waited for.
_LONGEST_DRAIN = 1000
#: Results that a queue may hold beyond as many as are under way: memories have round sizes.
_QUEUE_MARGIN = 32
#: Pauses of the receiver, roughly, after which a core must be as quick as before.
_STANDSTILLS = 16

#: Operations with pauses that are shorter than one of them, and most clocks, roughly, of these. A
#: result may leave in the very clock in which another operation begins, which takes luck.
_COINCIDENCES, _COINCIDENCE_CLOCKS = 1000, 100_000

#: Most clocks, roughly, of operations in turn whose receiver waits until a word is offered.
_HESITANT_CLOCKS = 100_000
#: One of so many rare operands is tried where an operation takes long.
_RARELY = 30
#: Probability in each clock that the sender of slow words has none; and operations.
_SLOW, _SLOWLY = 0.975, 6
#: What resets near words take of the clocks of all other runs, without keys and with keys.
_RESET_SHARES = 1 / 3, 1 / 20
#: Clocks of an operation from which on there are few runs, and operations of most of these runs.
_LONG_OPERATION, _FEW = 200_000, 4


class Trials:
    """Operands of a verification, which a seed determines, as it does resets and stalls.

    ``vectors`` are the random operations beside the edges. If it is ``thorough``, there is time for
    solved operands, and for an operation of full length; there is not if an operation takes
    ``long``, and then there are few runs.

    ``telling`` are some of the ``operands`` that reveal most after a reset, if there is a
    difference. ``shuffled`` ones are the same in random order, but those of one key together.
    ``rare`` are operands that random ones hardly ever are, and ``whole`` the operations of one of
    full length; both are empty if there is no time, or no such operation. The first operation is
    reset after the clocks of the ``prelude``; ``rng`` is for what is still to be chosen.
    """

    def __init__(self, params: CoreParameters, vectors: int, seed: int, thorough: bool) -> None:
        self.params, self.vectors, self.seed, self.thorough = params, vectors, seed, thorough
        kind = adapter(params)
        self.long = not kind.longest_exponent and params.cycles.compute >= _LONG_OPERATION
        self.long &= thorough
        self.thorough = thorough = thorough and not self.long
        self.telling = kind.telling() if thorough else []
        self.operands = [*edge_vectors(params), *(kind.solved() if thorough else ()),
                         *self.telling,
                         *random_vectors(params, vectors, seed)]
        self.rare = (list(kind.rare(_RARELY if self.long else 1)) if thorough or self.long
                     else [])
        self.rng = random.Random(seed)
        self.shuffled = _shuffled(params, self.operands, self.rng)
        self.cycles = cycles_of(params, *self.shuffled[0])
        self.prelude = self.rng.randrange(
            1, self.cycles.load + self.cycles.compute + self.cycles.unload)
        self.whole: Sequence[Vector] = (
            kind.whole(self.rng)[0]
            if thorough and kind.longest_exponent else [])

    @property
    def every(self) -> list[Vector]:
        """All operands whose results are known before."""
        return [*self.operands, *self.whole, *self.rare]

    def expect(self) -> None:
        """Have the model compute their results; :exc:`Mismatch` is raised if it is wrong."""
        self.expected = expected_results(self.params, self.every)

    def attempt(self, vectors: Sequence[Vector], clocks: Formula | Rate | None = None, *,
                results: Mapping[Vector, int] | None = None,
                forged: Mapping[int, Sequence[int]] = types.MappingProxyType({}),
                **options: Any) -> Attempt:
        """Return a run, of which what is ``forged`` is refused; the results may be others."""
        known = self.expected if results is None else results
        if forged:
            refusal = results_of(self.params).largest
            known = {**known, **{vectors[index]: refusal for index in forged}}
            options["forged"] = forged
        return Attempt(self.params, vectors, known, clocks, {"seed": self.seed, **options})


def planned(trials: Trials) -> list[Attempt]:
    """Return the runs of :func:`explore.simulation.verify` in order, once results are expected."""
    params, attempt = trials.params, trials.attempt
    stalled = trials.shuffled if trials.thorough else trials.shuffled[:4]
    initiation = traits(params).initiation
    runs = [attempt(trials.operands, as_formula(params, trials.operands, says=True), chained=True)]
    many = stalled[:4]
    if initiation is not None:
        many = _overlapping(params, trials.operands[:_FEW if trials.long else None])
        runs.append(attempt(many, Rate(clocks=initiation, exact=True, says="initiation")))
    stalls: dict[str, Any] = {"prelude": trials.prelude, **STALLS}
    if params.k_words:
        stalls |= {"superseded": True, "eager": True}
    if traits(params).keeps_results:
        runs += _kept(trials, stalls)
    runs.append(attempt(stalled, **stalls))
    hesitant = stalled[:_within(params, stalled, _HESITANT_CLOCKS)]
    runs.append(attempt(many if initiation is not None and trials.thorough else hesitant,
                        hesitant=True))
    if trials.thorough:
        runs += _pauses_and_resets(trials, many)
        runs += _refused(trials)
    elif trials.long:
        runs += itertools.islice(_refused(trials, _FEW), 1)
    if trials.thorough:
        runs += combined(trials)
    if trials.whole:
        runs.append(attempt(trials.whole, as_formula(params, trials.whole), chained=True))
    for shorter in _shorter_cores(params) if trials.thorough else ():
        runs += _shorter(shorter, trials.seed)
    runs += _beyond(trials)
    if trials.thorough or trials.long:
        runs += _rare(trials)
        interval = min(params.cycles.interval, initiation or params.cycles.interval)
        clocks = sum(len(run.vectors) for run in runs) * interval
        clocks = int(clocks * _RESET_SHARES[bool(params.k_words)])
        runs += [attempt(reset.vectors, prelude=reset.prelude) for reset in resets_near_words(
            params, trials.shuffled, trials.expected, clocks)]
    return runs


def _beyond(trials: Trials) -> Iterator[Attempt]:
    """Yield runs that end with a part of an operation: one operation before it, and as many as may
    be under way.
    """
    params = trials.params
    initiation = traits(params).initiation
    most = 1 if initiation is None else _under_way(params)
    for count, words in itertools.product(sorted({1, most}), sorted({1, params.i_words - 1})):
        if 0 < words < params.i_words:
            yield trials.attempt([*itertools.islice(itertools.cycle(trials.shuffled), count)],
                                 beyond=words)


def _rare(trials: Trials) -> Iterator[Attempt]:
    """Yield runs of operands that random ones hardly ever are, of operations that are only just
    refused, and of words that come slowly after these.
    """
    kind = adapter(trials.params)
    if trials.rare:
        yield trials.attempt(trials.rare)
    narrow = kind.narrowly_refused(_RARELY if trials.long else 1)
    wrong = [*narrow[:_SLOWLY // 2], *kind.refused(random.Random(trials.seed))[:_SLOWLY // 2]]
    slow = [(vector, words) for each, right in zip(wrong, itertools.cycle(trials.shuffled))
            for vector, words in (each, (right, None))][:_SLOWLY // (1 + trials.long)]
    for forgeries, gap in ((narrow, 0.0), (slow, _SLOW)):
        forged = {index: words for index, (_, words) in enumerate(forgeries) if words}
        if forged:
            yield trials.attempt([vector for vector, _ in forgeries], forged=forged, i_gap=gap)
    if not slow:
        yield trials.attempt(trials.shuffled[:_SLOWLY], i_gap=_SLOW)


def _refused(trials: Trials, most: int | None = None) -> Iterator[Attempt]:
    """Yield runs of operations whose results a core that checks must refuse, or of the first of
    them, with right ones among them: after a refusal there are results again.
    """
    params = trials.params
    vectors: list[Vector] = []
    forged: dict[int, Sequence[int]] = {}
    right = itertools.cycle(quick(params, trials.operands)[0])
    for vector, words in adapter(params).refused(random.Random(trials.seed))[:most]:
        forged[len(vectors)] = words
        vectors += [vector, next(right)] if len(vectors) % 3 else [vector]
    if forged:
        yield trials.attempt(vectors, as_formula(params, vectors), forged=forged, chained=True)
        yield trials.attempt(vectors, forged=forged, prelude=trials.prelude, superseded=True,
                             eager=True, **STALLS)


def _kept(trials: Trials, stalls: Mapping[str, object]) -> Iterator[Attempt]:
    """Yield runs of operations some of whose operands are not sent: results that the core keeps.

    In two runs each operation depends on the one before. In the others there are operations and
    keys between these. If there is time, there are many, with pauses that are shorter than an
    operation: the last word of an operand may come in the very clock in which the operation before
    ends.
    """
    # What only cores have that keep results.
    params: Any = trials.params
    rng = random.Random(trials.seed)
    interval = params.cycles.interval
    count = min(_COINCIDENCES, _COINCIDENCE_CLOCKS // interval)
    pauses = {"burst": interval // 2 + 1, **dict.fromkeys(STALLS, 0.5 / interval)}
    products = adapter(params).dependent(rng, 2 * trials.vectors)
    mixed = between_others(params, rng, 2 * trials.vectors)
    many = between_others(params, rng, count) if trials.thorough else mixed
    for (vectors, kept), options, clocks in (
            (products, {}, Rate(clocks=interval, exact=True)), (products, stalls, None),
            (mixed, stalls, None),
            *([(many, {}, None), (many, pauses, None)] if trials.thorough else ())):
        yield trials.attempt(vectors, clocks, results=expected_results(params, vectors), kept=kept,
                             **options)


def _pauses_and_resets(trials: Trials, many: Sequence[Vector]) -> Iterator[Attempt]:
    """Yield runs with long pauses, and runs with resets; ``many`` operations are under way."""
    params, cycles, keyed = trials.params, trials.cycles, bool(trials.params.k_words)
    clocks = cycles.load + cycles.compute + cycles.unload
    burst = min(4 * clocks, LONGEST_BURST)
    often = [*many] * 3
    if traits(params).initiation is None:
        # A result is not taken until another operation has ended, or would have.
        often, shortest = quick(params, trials.operands)
        burst = max(burst, min(2 * shortest, _LONGEST_WAIT))
    pauses: dict[str, Any] = {"burst": burst, **dict.fromkeys(STALLS, 4 / burst)}
    yield trials.attempt(often, drain=min(clocks, _LONGEST_DRAIN), eager=keyed, **pauses)
    if traits(params).initiation is not None:
        # The receiver pauses about as often as the core is full of operations again. So a place
        # that a queue loses at each standstill is missed in the end.
        rate = traits(params).initiation
        yield _recovery(trials, many, _STANDSTILLS * _under_way(params),
                        pauses | {"o_gap": 1 / (_under_way(params) * rate)})
        yield _recovery(trials, many, min(_COINCIDENCES, _COINCIDENCE_CLOCKS // rate),
                        {"burst": rate // 2 + 1, "i_gap": 0.5 / rate, "o_gap": 0.5 / rate})
    for index, reset in enumerate(resets(params, trials.operands, many, trials.rng,
                                         telling=trials.telling)):
        # In turns: that all clocks are right, that the rate is, and that pauses do no harm.
        turn = 1 + index % 2 if reset.vectors is many or reset.blocked else index % 3
        options = ({"chained": True}, {"eager": keyed}, {"eager": keyed, **STALLS})[turn]
        clocks_of = (as_formula, _last, lambda params, vectors: None)[turn]
        # The stalls of each are others: what comes first, a key or an operation, decides.
        yield trials.attempt(reset.vectors, clocks_of(params, reset.vectors),
                             prelude=reset.prelude, blocked=reset.blocked,
                             seed=trials.seed + index, **options)


def _within(params: CoreParameters, vectors: Sequence[Vector], clocks: int) -> int:
    """Return how many of the first vectors take as few clocks as that together, or 4."""
    ends = itertools.accumulate(cycles_of(params, *vector).interval for vector in vectors)
    return max(sum(end <= clocks for end in ends), 4)


def _overlapping(params: CoreParameters, operands: Sequence[Vector]) -> list[Vector]:
    """Return twice as many vectors as the core can overlap, so that a queue that is too short
    shows.
    """
    interval = params.cycles.interval
    enough = 2 * ceil_div(interval, traits(params).initiation) + 2
    return list(itertools.islice(itertools.cycle(operands), max(enough, len(operands))))


def _shorter_cores(params: Any) -> list[CoreParameters]:
    """Return cores whose words the core takes too: of one digit, and of half as many."""
    widths = (LEAST_WIDTH, params.width // 2) if traits(params).takes_shorter else ()
    return [params.shorter(width) for width in widths if LEAST_WIDTH <= width < params.width]


def _shorter(params: CoreParameters, seed: int) -> list[Attempt]:
    """Return runs of operations of a shorter core on a longer one."""
    vectors = [*edge_vectors(params), *random_vectors(params, 4, seed)]
    expected = {vector: params.compute(*vector) for vector in vectors}
    return [Attempt(params, vectors, expected, as_formula(params, vectors),
                    {"chained": True, "seed": seed}),
            Attempt(params, vectors, expected, None, {"seed": seed, **STALLS})]


def _under_way(params: CoreParameters) -> int:
    """Return how many operations are under way at most, or more."""
    return ceil_div(params.cycles.interval, traits(params).initiation) + 2


def _recovery(trials: Trials, many: Sequence[Vector], least: int, pauses: Mapping[str, Any]
              ) -> Attempt:
    """Return a run whose pauses end, and the rate that the core must have again then.

    There are pauses during ``least`` operations or more. Results count that come after all that was
    sent while there were pauses: the operations that are under way then, and as many whose results
    wait in a queue, with its memory full.
    """
    under_way = _under_way(trials.params)
    calm = max(least, len(many))
    late = calm + 2 * under_way + _QUEUE_MARGIN
    vectors = list(itertools.islice(itertools.cycle(many), max(late + under_way, 2 * calm)))
    rate = Rate(clocks=traits(trials.params).initiation, exact=False, first=late)
    return trials.attempt(vectors, rate, calm=calm, **pauses)


def _last(params: CoreParameters, vectors: Sequence[Vector]) -> Rate | None:
    """Return the rate of the last operation, if it is measured."""
    initiation = traits(params).initiation
    return None if initiation is None else Rate(clocks=initiation, exact=False,
                                                first=len(vectors) - 1)


def _shuffled(params: CoreParameters, vectors: Iterable[Vector],
              rng: random.Random) -> list[Vector]:
    """Return vectors in random order, but those of one key together."""
    groups: dict[tuple[int, ...], list[Vector]] = {}
    for vector in vectors:
        groups.setdefault(key_of(params, *vector), []).append(vector)
    shuffled = list(groups.values())
    rng.shuffle(shuffled)
    for group in shuffled:
        rng.shuffle(group)
    return [vector for group in shuffled for vector in group]
