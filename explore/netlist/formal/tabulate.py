"""The table of proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .proof import Proof, Verdict

if TYPE_CHECKING:
    from ...table import Table

__all__ = ["tabulate"]

_CAPTION = ("What is proved holds in every clock from the initial state on. What is bounded has no "
            "counterexample of so many clocks, which is no proof")


def tabulate(proofs: Sequence[Proof]) -> Table:
    """Return a table with a row for each proof."""
    from ...table import Head, Table

    columns = [Head(name=name, title=title, numeric=False)
               for name, title in (("name", "Core or block"), ("size", "Size"), ("claim", "Claim"),
                                   ("verdict", "Verdict"))]
    columns.append(Head(name="seconds", title="Time", unit="s"))
    return Table(caption=_CAPTION, columns=columns, rows=[
        [proof.name, " ".join(f"{name}={value}" for name, value in proof.size.items()),
         proof.claim, _verdict(proof), f"{proof.seconds:.1f}"] for proof in proofs])


def _verdict(proof: Proof) -> str:
    blocks = dict.fromkeys(label.partition(" ")[0] for label in proof.relies_on)
    given = f", given {' and '.join(blocks)}" if blocks else ""
    if proof.verdict == Verdict.PROVED:
        return f"proved by {proof.method}{given}"
    return f"{proof.verdict}: {proof.depth} clocks"
