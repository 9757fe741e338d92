"""What became of an attempt to prove something."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["Counterexample", "Proof", "Verdict"]

#: Clocks of a counterexample that are shown, from its end.
_SHOWN = 6


class Verdict(enum.StrEnum):
    """How an attempt ended."""

    #: The claim holds in every clock of every run.
    PROVED = "proved"
    #: There is no counterexample of so many clocks; nothing is known of later ones.
    BOUNDED = "bounded"
    #: There is a counterexample.
    REFUTED = "refuted"
    #: Neither was found in time.
    UNDECIDED = "undecided"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Counterexample:
    """A run from the initial state: the values of all ports, by name, in each clock, and what does
    not hold in the last one.
    """

    violated: str
    clocks: tuple[Mapping[str, int], ...]

    def lines(self) -> list[str]:
        """Return a line for each of the last clocks, with the ports in hexadecimal."""
        first = max(0, len(self.clocks) - _SHOWN)
        return [f"clock {first + index}: " + " ".join(f"{name}={value:x}"
                                                      for name, value in ports.items())
                for index, ports in enumerate(self.clocks[first:])]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Proof:
    """The outcome of an attempt to prove a claim of what has a name and a size.

    ``registers`` and ``gates`` are bits of state, and AND gates, of the model after optimisation.
    The method is how it was decided, and the depth the frames of the proof, or clocks without a
    counterexample, or clocks of the counterexample. ``relies_on`` names blocks, with their sizes,
    whose claims are proved and were assumed.
    """

    name: str
    claim: str
    size: Mapping[str, Any]
    verdict: Verdict
    registers: int
    gates: int
    method: str
    depth: int
    seconds: float
    counterexample: Counterexample | None = None
    relies_on: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What was proved, in a few words."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.size.items())])

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Proof:
        """Return the proof that :meth:`to_json` made a document of."""
        return msgspec.convert(row, cls)

    def to_json(self) -> dict[str, Any]:
        """Return a document for ``--json``."""
        return msgspec.to_builtins(self) | {"seconds": round(self.seconds, 1)}
