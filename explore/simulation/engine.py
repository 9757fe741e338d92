"""The interface of all simulators: their input, their results, and their errors."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

__all__ = ["NEVER", "Chain", "Difference", "Engine", "Mismatch", "Progress", "Stimulus", "Times",
           "Trace", "broken_rule"]

#: The clock of an event that did not take place.
NEVER = (1 << 64) - 1

#: Function that is called with the number of finished operations, and the number of all operations.
Progress = Callable[[int, int], None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Difference:
    """A wrong result, with the index of its first wrong word; None if that cannot be told."""

    expected: int
    found: int
    word: int | None


class Mismatch(Exception):
    """A core disagrees with its model, its cycle formula or the rules of its ports.

    ``index`` is that of the operation in which it was seen, and ``clock`` that of the simulation in
    which the operation began, if they are known. There is a ``difference`` if the result is wrong,
    and there are ``cycles`` by name, as measured, if these are.
    """

    def __init__(self, message: str, index: int | None = None, clock: int | None = None,
                 difference: Difference | None = None,
                 cycles: Mapping[str, int] | None = None) -> None:
        # All are arguments of the exception, so that pickle restores them in another process.
        super().__init__(message, index, clock, difference, cycles)
        self.message, self.index, self.clock = message, index, clock
        self.difference, self.cycles = difference, cycles or {}

    def __str__(self) -> str:
        return self.message


class Chain(enum.IntEnum):
    """When an operation begins."""

    #: As early as the core accepts it.
    NONE = 0
    #: When the word of the result before it was received from which its first word may be made; a
    #: word of the operation follows the word of the result at the same place.
    WORDS = 1
    #: When the result before it was received.
    RESULTS = 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stimulus:
    """Operations, and the environment in which they run.

    ``words`` are sent on port ``i``, a sequence for each operation, and ``results`` are the numbers
    of words that come. Before each operation its ``keys`` are sent on port ``k``: no words where
    the key stays. The first word of a key is offered when the first word of the operation before
    was accepted, and the operation after the last word of its key was. There are no keys for a core
    without that port. ``superseded`` counts words in each of the keys of a key that no operation
    uses; an operation is not offered beside these. ``i_width`` and ``k_width`` are the bits of a
    word. While no word is offered, the payload is the complement of the next one.

    ``i_gap``, ``o_gap`` and ``k_gap`` are the probabilities in each clock that the environment has
    no word to send, or does not take one; such a pause lasts for ``burst`` clocks at most. The
    ``seed`` gives the same pauses in all simulators. After ``calm`` results the environment does
    not pause any more, unless that is 0. It may be ``eager``: the first word of an operation is
    offered beside the words of its key, before the key was accepted; that of the first operation
    from the first clock on. It may be ``hesitant``: ready to take a word of a result only after a
    clock in which the word was offered.

    After ``prelude`` clocks the core is reset, usually during an operation. The operations then
    begin again, and clocks count from 0. A ``blocked`` environment takes no word of a result before
    that. The core counts as hanging after ``patience`` clocks without a transfer, and for ``drain``
    clocks after the last result no word may come.
    """

    words: Sequence[Sequence[int]]
    results: Sequence[int]
    patience: int
    i_width: int
    k_width: int = 0
    keys: Sequence[Sequence[int]] = ()
    prelude: int = 0
    blocked: bool = False
    hesitant: bool = False
    chain: Chain = Chain.NONE
    i_gap: float = 0.0
    o_gap: float = 0.0
    k_gap: float = 0.0
    burst: int = 1
    eager: bool = False
    superseded: Sequence[int] = ()
    calm: int = 0
    seed: int = 0
    drain: int = 8


@dataclasses.dataclass(frozen=True)
class Times:
    """Clock numbers of the events of one operation.

    Those of its key are :data:`NEVER` if the operation before had the same key.
    """

    first_key: int
    last_key: int
    first_in: int
    last_in: int
    first_ready: int
    last_out: int


@dataclasses.dataclass(frozen=True)
class Trace:
    """The output of a simulation: the words of each result, the times of each operation, how many
    clocks were simulated, and the time in seconds that this took.
    """

    words: list[list[int]]
    times: list[Times]
    clocks: int
    seconds: float = dataclasses.field(compare=False)


class Engine(Protocol):
    """A simulator that holds one core."""

    #: Name of the simulator in reports.
    name: str

    def run(self, stimulus: Stimulus, progress: Progress | None = None,
            waveform: Path | None = None, waveform_from: int = 0) -> Trace:
        """Run a core from its initial state.

        The VCD file ``waveform`` gets all clocks from ``waveform_from`` on. :exc:`Mismatch` is
        raised if the core breaks the rules of its streams (withdraws a word, or changes it while it
        waits), does not answer, or returns too many words.
        """


def broken_rule(rule: str, clock: int, patience: int) -> str:
    """Return the message for a core that broke the rules of its streams."""
    return f"Clock {clock}: " + {
        "stalled": f"no word went in or out for {patience} clocks",
        "changed": "the core withdrew or changed an output word",
        "too many": "a word too many",
    }[rule]
