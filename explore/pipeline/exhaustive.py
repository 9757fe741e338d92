"""Verification with all operands, in parts that are stages: other machines can compute them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..outcome import StageFailed
from ..simulation.exhaustive import Checked, blocks_of, check_block
from .simulated import ANY, Simulated, library_of, unverified
from .stage import Job, Result, Spec, Workspace
from .stages.elaborate import parameters

if TYPE_CHECKING:
    from .on_demand import SingleStages

__all__ = ["STAGES", "ExhaustivePart", "checked_in_parts"]

#: Blocks of operations in a part, which take some seconds.
_BLOCKS = 8
#: Parts that are asked for at one time, as a multiple of the slots.
_AHEAD = 4


class ExhaustivePart(Simulated):
    """Some of the blocks of :func:`explore.simulation.exhaustive.blocks_of`, in simulation.

    Parameters
    ----------
    first : int
        Index of the first block.
    anywhere : bool
        Whether the place that computes the part compiles the core itself.
    """

    name = "exhaustive"
    fetches = "compile"
    judge = "explore.simulation.exhaustive"

    def __init__(self, first: int = 0, library: Path | None = None, *,
                 anywhere: bool = False) -> None:
        super().__init__(None if anywhere else library, blocks=[first, first + _BLOCKS],
                         **({"simulator": ANY} if anywhere else {}))

    def uses_fetched(self, spec: Spec) -> bool:
        return spec["simulator"] == ANY

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        params, library = parameters(spec), library_of(spec, workspace)
        facts = {"operations": 0, "clocks": 0, "seconds": 0.0}
        for block in blocks_of(params)[slice(*spec["blocks"])]:
            checked = check_block(params, library, block)
            if checked.wrong:
                raise unverified(str(checked.wrong[0]))
            facts = {name: value + getattr(checked, name) for name, value in facts.items()}
        return Result(facts)


STAGES = (ExhaustivePart(),)


def checked_in_parts(computed: SingleStages, job: Job, library: Path | None, *,
                     anywhere: bool = False) -> Iterator[Checked]:
    """Yield the results of all blocks of a core, computed as single stages.

    Blocks of a part that fails are checked once more in this process, so that the wrong operation
    is known.

    Parameters
    ----------
    library : path or None
        The compiled core.
    anywhere : bool
        See :class:`ExhaustivePart`.
    """
    blocks = blocks_of(job.params)
    parts = range(0, len(blocks), _BLOCKS)
    outcomes = computed.each((ExhaustivePart(first, library, anywhere=anywhere)
                              for first in parts), job, ahead=_AHEAD)
    for first, outcome in zip(parts, outcomes, strict=True):
        if outcome.failure is not None:
            yield from (check_block(job.params, library, block)
                        for block in blocks[first:first + _BLOCKS])
            raise StageFailed(outcome.failure)
        yield Checked(**outcome.facts)
