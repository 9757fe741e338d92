"""The table of proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .proof import Proof, Verdict

if TYPE_CHECKING:
    from ..table import Table

__all__ = ["tabulate"]

_CAPTION = ("Proofs: 'proved' holds in every clock of every run, from the initial state and with a "
            "reset at any time; 'bounded' only says that no run of so many clocks is a "
            "counterexample")


def tabulate(proofs: Sequence[Proof]) -> Table:
    """Return a table with a row for each proof."""
    from ..table import Column, Table

    columns = [Column(name="name", title="Core or block", numeric=False, key=True),
               Column(name="claim", title="Claim", numeric=False, rank=1),
               Column(name="size", title="Size", numeric=False),
               Column(name="registers", title="State", unit="bits", rank=2),
               Column(name="verdict", title="Verdict", numeric=False),
               Column(name="method", title="Method", numeric=False, rank=3),
               Column(name="depth", title="Depth", unit="clocks"),
               Column(name="seconds", title="Time", unit="s")]
    rows = [[proof.name, proof.claim,
             " ".join(f"{name}={value}" for name, value in proof.size.items()),
             proof.registers, str(proof.verdict), proof.method,
             None if proof.verdict == Verdict.PROVED else proof.depth, round(proof.seconds, 1)]
            for proof in proofs]
    return Table(caption=_CAPTION, columns=columns, rows=rows)
