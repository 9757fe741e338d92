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
    """A wrong result.

    Attributes
    ----------
    expected, found : int
    word : int or None
        Index of the first word that differs; None if it cannot be told.
    """

    expected: int
    found: int
    word: int | None


class Mismatch(Exception):
    """A core disagrees with its model, its cycle formula or the rules of its ports.

    Attributes
    ----------
    index : int or None
        Index of the operation in which the mismatch was seen.
    clock : int or None
        The clock of the simulation in which that operation began.
    difference : Difference or None
        The difference, if the result is wrong.
    cycles : dict from str to int
        The measured clock counts by name, if they are wrong; else empty.
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

    Attributes
    ----------
    words : sequence of sequences of int
        Words to send on port ``i``, for each operation.
    keys : sequence of sequences of int
        Words to send on port ``k`` before each operation: none where the key stays. The first word
        is offered when the first word of the operation before was accepted, and the operation after
        the last word of its key was. Empty for a core without port ``k``.
    results : sequence of int
        Number of words in the result of each operation.
    i_width, k_width : int
        Bits of a word of ports ``i`` and ``k``. While no word is offered, the payload is the
        complement of the next one.
    chain : Chain
        When an operation begins.
    i_gap, o_gap, k_gap : float
        Probability in each clock that the environment has no word to send on port ``i`` or ``k``,
        or does not take one.
    burst : int
        Clocks that such a pause lasts at most.
    eager : bool
        Whether the first word of an operation is offered beside the words of its key, before the
        key was accepted; that of the first operation from the first clock on.
    superseded : sequence of int
        Words in each of ``keys`` of a key that no operation uses. An operation is not offered
        beside these. Empty if there are none.
    calm : int
        Number of results after which the environment does not pause any more; 0 for never.
    seed : int
        Seed of the gaps; the same seed gives the same gaps in all simulators.
    patience : int
        Number of clocks without a transfer after which the core counts as hanging.
    prelude : int
        Number of clocks to run before the core is reset, usually during an operation. The
        operations then begin again, and clocks count from 0.
    blocked : bool
        Whether the environment takes no word of a result before that reset.
    hesitant : bool
        Whether the environment is ready to take a word of a result only after a clock in which it
        was offered: in no other clock is ``ready`` high.
    drain : int
        Number of clocks after the last result in which no word may come.
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
    """The output of a simulation.

    Attributes
    ----------
    words : list of list of int
        Words of each result.
    times : list of Times
        Times of the words of each operation.
    clocks : int
        Number of simulated clocks.
    seconds : float
        Time that the simulator took.
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

        Parameters
        ----------
        waveform : path or None
            VCD file to write, with all clocks from ``waveform_from`` on.

        Raises
        ------
        Mismatch
            If the core breaks the rules of its streams (withdraws a word, or changes it while it
            waits), does not answer, or returns too many words.
        """


def broken_rule(rule: str, clock: int, patience: int) -> str:
    """Return the message for a core that broke the rules of its streams."""
    return f"Clock {clock}: " + {
        "stalled": f"no word went in or out for {patience} clocks",
        "changed": "the core withdrew or changed an output word",
        "too many": "a word too many",
    }[rule]
