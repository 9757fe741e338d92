"""The clocks that a core's formula says, as data for :mod:`explore.simulation.judge`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from montgomery import CoreParameters, Cycles
from montgomery.core import cycles_of, traits

from .engine import Mismatch
from .judge import COUNTS, Clash, Formula, Rate
from .kinds import adapter
from .vectors import Vector

__all__ = ["as_formula", "wrong_clocks"]


def as_formula(params: CoreParameters, vectors: Sequence[Vector], *, says: bool = False) -> Formula:
    """Return the clocks of operations that are sent as if each depended on the one before.

    With ``says``, the counts of the core are known if all operations match: those of the formula,
    of operands that take longest.
    """
    counts, kind = None, adapter(params)
    if says:
        counts = dataclasses.asdict(params.cycles)
        if not params.k_words:
            del counts["load_key"]
    # On a core that keeps results, the interval of operations that are sent is not the shortest.
    return Formula(counts=[dataclasses.astuple(cycles_of(params, *vector)) for vector in vectors],
                   intervals=not traits(params).keeps_results, says=counts,
                   lengths=[kind.lengths(*vector) for vector in vectors] if says else ())


def wrong_clocks(clocks: Formula | Rate, clash: Clash) -> Mismatch:
    """Return what is said of clocks that are not the expected ones."""
    if isinstance(clocks, Formula):
        found = Cycles(**dict(zip(COUNTS, clash.found, strict=True)))
        expected = Cycles(**dict(zip(COUNTS, clash.expected, strict=True)))
        return Mismatch(f"Measured {found}, but the formula says {expected}", clash.index,
                        cycles=dataclasses.asdict(found))
    kind = "independent" if clocks.says or not clocks.exact else "dependent"
    late = "" if clocks.exact else " after pauses"
    return Mismatch(f"Measured {clash.found} clocks between {kind} results{late}, but the formula "
                    f"says {clash.expected}", clash.index,
                    cycles={"interval" if kind == "dependent" else "initiation": clash.found})
