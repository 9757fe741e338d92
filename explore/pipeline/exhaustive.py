"""Verification with all operands, in parts that are stages: other machines can compute them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..fingerprint import Source, fingerprint, sources
from ..outcome import Failure, Retry, StageFailed, Status
from ..simulation.build import LIBRARY, driver_hashes
from ..simulation.exhaustive import Checked, blocks_of, check_block
from .on_demand import SingleStages
from .stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace
from .stages.elaborate import core_spec, parameters

if TYPE_CHECKING:
    from ..simulation.engine import Progress

__all__ = ["STAGES", "ExhaustivePart", "checked_in_parts"]

#: Blocks of operations in a part, which take some ten seconds.
_BLOCKS = 32
#: Parts that are asked for at one time, as a multiple of the slots.
_ROUNDS = 4


class ExhaustivePart(Stage):
    """Some of the blocks of :func:`explore.simulation.exhaustive.blocks_of`, in simulation.

    Parameters
    ----------
    first : int
        Index of the first block.
    """

    name = "exhaustive"
    needs = ("elaborate",)
    fetches = "compile"
    lane = Lane.PYTHON
    scope = Scope.CORE

    def __init__(self, first: int = 0) -> None:
        self._first = first

    def label(self, job: Job) -> str:
        return f"{job.core_label} from block {self._first}"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return {**core_spec(job.params, "explore.simulation.exhaustive"),
                "rtlil": given["elaborate"]["rtlil"], "drivers": driver_hashes(),
                "blocks": [self._first, self._first + _BLOCKS]}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"sources": fingerprint(*spec["modules"]), "drivers": driver_hashes()}

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        return sources(*spec["modules"])

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        params, library = parameters(spec), workspace.folder / LIBRARY
        operations, clocks, seconds = 0, 0, 0.0
        for block in blocks_of(params)[slice(*spec["blocks"])]:
            checked = check_block(params, library if library.exists() else None, block)
            if checked.wrong:
                message = str(checked.wrong[0])
                raise StageFailed(Failure(status=Status.UNVERIFIED, message=message[:300],
                                          log=message, retry=Retry.NEVER))
            operations, clocks = operations + checked.operations, clocks + checked.clocks
            seconds += checked.seconds
        return Result({"operations": operations, "clocks": clocks, "seconds": seconds})


STAGES = (ExhaustivePart(),)


def checked_in_parts(computed: SingleStages, job: Job, progress: Progress,
                     library: Path | None) -> Iterator[Checked]:
    """Yield the results of all blocks of a core, computed as single stages.

    Blocks of a part that fails are checked once more in this process, so that the wrong operation
    is known.

    Parameters
    ----------
    progress : callable
        Called with the number of blocks that are done, and of all blocks.
    library : path or None
        The compiled core.
    """
    blocks = blocks_of(job.params)
    parts, size = range(0, len(blocks), _BLOCKS), _ROUNDS * computed.slots
    # No more than a few rounds run after a part that failed.
    for these in (parts[at:at + size] for at in range(0, len(parts), size)):
        for first, outcome in zip(these, computed.several(map(ExhaustivePart, these), job),
                                  strict=True):
            if outcome.failure is not None:
                yield from (check_block(job.params, library, block)
                            for block in blocks[first:first + _BLOCKS])
                raise StageFailed(outcome.failure)
            yield Checked(**outcome.facts)
        progress(min(these[-1] + _BLOCKS, len(blocks)), len(blocks))
