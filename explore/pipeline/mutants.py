"""Faults of a core, and what verification finds of them."""

from __future__ import annotations

import dataclasses
from typing import Any

from montgomery import CoreParameters
from montgomery.core import name_of

__all__ = ["PATIENCE", "Mutant", "MutantReport"]

#: Verifications, with other operands and stalls, of a mutant that the first one did not find.
PATIENCE = 4


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault: the cell, the port and the bit that is wrong, and in which way it is wrong.

    The cell is called after the signal that it drives, if it drives one.
    """

    mode: str
    cell: str
    port: str
    bit: int
    command: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return f"{self.mode} at {self.port}[{self.bit}] of {self.cell}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class MutantReport:
    """How many mutants of a core verification finds.

    Attributes
    ----------
    params : CoreParameters
    seed : int
        Seed that chooses the mutants, and seed of the first verification of each.
    vectors : int
        Number of random operations per verification.
    fates : dict from str to list of Mutant
        ``killed`` (found), ``missed`` (found only by verifying :data:`PATIENCE` times, with other
        operands and stalls), ``equivalent`` (proved by yosys to be without effect) and
        ``undetected`` (neither).
    netlist : str
        A hash of the netlist and of the mutants in it.
    """

    params: CoreParameters
    seed: int
    vectors: int
    netlist: str
    fates: dict[str, list[Mutant]]

    @property
    def counts(self) -> dict[str, int]:
        """Number of mutants by their fate."""
        return {name: len(found) for name, found in self.fates.items()}

    @property
    def score(self) -> float:
        """Ratio of killed mutants to killed and missed ones."""
        counts = self.counts
        different = counts["killed"] + counts["missed"]
        return counts["killed"] / different if different else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the report fit for JSON, with texts of the mutants that are not found."""
        # The core itself is right.
        return {"ok": True, "arch": name_of(self.params), "width": self.params.width,
                "params": dataclasses.asdict(self.params), "seed": self.seed,
                "vectors": self.vectors, "netlist": self.netlist,
                "mutants": sum(self.counts.values()), **self.counts, "score": self.score,
                "survivors": {name: [str(mutant) for mutant in self.fates[name]]
                              for name in ("missed", "equivalent", "undetected")}}
