"""Simulates what a description says, and judges what came out.

A verification is data: operations as words, the behaviour of the environment, expected words and
expected clocks. :mod:`explore.simulation.plan` makes it, and this module runs it. So a hash of this
module, of the simulators and of the data is a hash of all that a verification does.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .engine import NEVER, Engine, Progress, Stimulus, Times, Trace

__all__ = [
    "COUNTS",
    "DIGEST",
    "Clash",
    "Formula",
    "Found",
    "Rate",
    "Run",
    "judged",
    "measured",
    "packed",
    "run_all",
    "unpacked",
]

#: Characters of the digest of a run.
DIGEST = 8
#: Names of the counts of an operation, in order.
COUNTS = ("load_key", "load", "compute", "unload", "interval")
_LOAD_KEY, _INTERVAL = COUNTS.index("load_key"), COUNTS.index("interval")

#: Clocks of an operation, in the order of :data:`COUNTS`.
Counts = tuple[int, ...]


class Clash(Exception):
    """A run whose results or clocks are not the expected ones, from the operation with an index on.

    What was expected and found are clocks; both are None if words differ.
    """

    def __init__(self, index: int, expected: Any = None, found: Any = None) -> None:
        super().__init__(index, expected, found)
        self.index, self.expected, self.found = index, expected, found


@dataclasses.dataclass(frozen=True, kw_only=True)
class Formula:
    """The clocks of each operation are those of a formula: its ``counts``.

    The interval of an operation only counts with ``intervals``, and if the operation is equal to
    the one before. Operations of equal public ``lengths`` take equal clocks if the core takes
    constant time. If all operations match, the counts of the core are known, which are what the
    formula ``says``.
    """

    counts: Sequence[Counts]
    intervals: bool
    lengths: Sequence[Sequence[int]] = ()
    says: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        # JSON has no tuples.
        object.__setattr__(self, "counts", [tuple(each) for each in self.counts])

    def judge(self, cycles: Sequence[Counts]) -> Found:
        """Return what the clocks of all operations show.

        :exc:`Clash` is raised if the slowest of the operations that should take the same time does
        not match.
        """
        # The first operation has none before it.
        found = [each if index and self.counts[index - 1] == self.counts[index] and self.intervals
                 else (*each[:_INTERVAL], 0) for index, each in enumerate(cycles)]
        slowest: dict[Counts, Counts] = {}
        for expected, each in zip(self.counts, found, strict=True):
            slowest[expected] = tuple(map(max, slowest.get(expected, each), each))
        for expected, each in slowest.items():
            whole = _whole(each, expected)
            if whole != expected:
                index = next(index for index, formula in enumerate(self.counts)
                             if formula == expected
                             and _whole(found[index], expected) != expected)
                raise Clash(index, expected, whole)
        if self.says is None:
            return Found()
        return Found(cycles=self.says, constant_time=self._constant_time(found))

    def _constant_time(self, found: Sequence[Counts]) -> bool | None:
        """Return whether operations of the same public lengths take the same clocks.

        The answer is None if no two operations have the same lengths.
        """
        if any(_whole(each, expected) != expected
               for expected, each in zip(self.counts, found, strict=True)):
            return False
        known: dict[tuple[int, ...], Counts] = {}
        for lengths, expected in zip(self.lengths, self.counts, strict=True):
            if known.setdefault(tuple(lengths), expected) != expected:
                return False
        return True if len(known) < len(self.lengths) else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rate:
    """The largest number of clocks between two results is known, from operation ``first`` on.

    Fewer clocks are wrong as well if it is ``exact``. A count of the core is known then, of which
    ``says`` is the name; it is empty for none.
    """

    clocks: int
    exact: bool
    first: int = 0
    says: str = ""

    def judge(self, cycles: Sequence[Counts]) -> Found:
        """Return what the clocks of all operations show; :exc:`Clash` is raised for another number.
        """
        intervals = [each[_INTERVAL] for each in cycles[self.first:]]
        worst = max(intervals)
        if worst > self.clocks or (self.exact and worst < self.clocks):
            raise Clash(self.first + intervals.index(worst), self.clocks, worst)
        return Found(cycles={self.says: worst} if self.says else {})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Found:
    """What a run showed of a core: counts by name, and whether it takes constant time."""

    cycles: Mapping[str, int] = dataclasses.field(default_factory=dict)
    constant_time: bool | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """One simulation of a verification: with the words of each result, and what the clocks must be.
    """

    stimulus: Stimulus
    results: Sequence[Sequence[int]]
    clocks: Formula | Rate | None = None


def judged(run: Run, trace: Trace) -> Found:
    """Return what a simulation shows.

    :exc:`Clash` is raised for the first result that differs, and otherwise for clocks.
    """
    for index, (right, words) in enumerate(zip(run.results, trace.words, strict=True)):
        if list(right) != list(words):
            raise Clash(index)
    return run.clocks.judge(measured(trace.times)) if run.clocks else Found()


def measured(times: Sequence[Times]) -> list[Counts]:
    """Return the counts of each operation from the times of its words.

    The interval is 0 for the first operation and those that a key was sent for; the clocks to load
    a key are 0 for the others.
    """
    counts, before = [], None
    for time in times:
        keyed = time.first_key != NEVER
        counts.append((time.first_in - time.first_key if keyed else 0,
                       time.last_in - time.first_in + 1, time.first_ready - time.last_in,
                       time.last_out - time.first_ready + 1,
                       time.first_ready - before.first_ready if before and not keyed else 0))
        before = time
    return counts


def run_all(data: bytes, engine: Engine, known: Mapping[str, Any],
            progress: Progress = lambda done, total: None) -> dict[str, Any]:
    """Run a verification, but for what is known, and return what it shows.

    The data are the runs, from :func:`packed`, and ``known`` is what this function returned for the
    same core before, if it did. It returns ``runs``, the digests of all runs, one after the other;
    ``cycles``, the counts of the core by name; ``constant_time``; and ``engine``, the name of the
    simulator.

    :exc:`Mismatch` is raised if the core breaks the rules of its streams, and :exc:`Clash` if its
    results or clocks are wrong.
    """
    before = set(_digests(known.get("runs", "")))
    runs = dict(unpacked(data))
    due = [digest for digest in runs if digest not in before]
    facts = {"cycles": dict(known.get("cycles", {})),
             "constant_time": known.get("constant_time"),
             "engine": engine.name if due else known["engine"]}
    for done, digest in enumerate(due):
        found = judged(runs[digest], engine.run(runs[digest].stimulus))
        facts["cycles"] |= found.cycles
        if found.constant_time is not None:
            facts["constant_time"] = found.constant_time
        progress(done + 1, len(due))
    return {"runs": "".join(runs), **facts}


def _whole(cycles: Counts, expected: Counts) -> Counts:
    """Return ``cycles`` with the expected counts in place of those that were not measured."""
    return tuple(right if index in (_LOAD_KEY, _INTERVAL) and not each else each
                 for index, (each, right) in enumerate(zip(cycles, expected, strict=True)))


def _digests(runs: str) -> Iterator[str]:
    return (runs[at:at + DIGEST] for at in range(0, len(runs), DIGEST))


# Runs as bytes: many operations are the same in several runs, and stand there once.

_WORDS = ("words", "keys")
_CLOCKS = {"formula": Formula, "rate": Rate}


def packed(runs: Iterable[Run]) -> bytes:
    """Return runs as JSON."""
    texts: dict[str, int] = {}

    def number(words: Sequence[int]) -> int:
        return texts.setdefault(" ".join(f"{word:x}" for word in words), len(texts))

    entries = []
    for run in runs:
        stimulus = {field.name: getattr(run.stimulus, field.name)
                    for field in dataclasses.fields(run.stimulus)}
        stimulus |= {name: [number(words) for words in stimulus[name]] for name in _WORDS}
        clocks = None
        if run.clocks:
            name = next(name for name, kind in _CLOCKS.items() if isinstance(run.clocks, kind))
            clocks = {"rule": name, **dataclasses.asdict(run.clocks)}
        entries.append({"stimulus": stimulus, "results": [number(each) for each in run.results],
                        "clocks": clocks})
    return json.dumps({"texts": list(texts), "runs": entries}, sort_keys=True).encode()


def unpacked(data: bytes) -> Iterator[tuple[str, Run]]:
    """Yield each run that :func:`packed` wrote, after its digest."""
    document = json.loads(data)
    texts: list[str] = document["texts"]
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    words = [[int(word, 16) for word in text.split()] for text in texts]

    def replaced(entry: Mapping[str, Any], values: Sequence[Any]) -> dict[str, Any]:
        def all_of(numbers: Sequence[int]) -> list[Any]:
            return [values[number] for number in numbers]

        stimulus = entry["stimulus"]
        return {**entry, "results": all_of(entry["results"]),
                "stimulus": {**stimulus, **{name: all_of(stimulus[name]) for name in _WORDS}}}

    for entry in document["runs"]:
        text = json.dumps(replaced(entry, hashes), sort_keys=True)
        run, clocks = replaced(entry, words), entry["clocks"]
        yield _digest(text), Run(
            stimulus=Stimulus(**run["stimulus"]), results=run["results"],
            clocks=clocks and _CLOCKS[clocks["rule"]](
                **{name: value for name, value in clocks.items() if name != "rule"}))


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())[:DIGEST].decode()
