"""Verifications at length: stages that run in a simulator which the caller chooses.

One of all operands is made of parts, which other machines can compute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..outcome import StageFailed
from ..simulation.build import LIBRARY, driver_hashes
from ..simulation.exhaustive import Checked, blocks_of, check_block
from .stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace
from .stages.elaborate import core_spec, parameters
from .stages.stimuli import unverified

if TYPE_CHECKING:
    from .on_demand import SingleStages

__all__ = ["STAGES", "ExhaustivePart", "Full", "Simulated", "checked_in_parts"]

#: Blocks of operations in a part of all operands, which take some seconds.
_BLOCKS = 8
#: Parts that are asked for at one time, as a multiple of the slots.
_AHEAD = 4
#: In place of the key of a library: Amaranth's simulator, and whatever the place has.
_AMARANTH, _ANY = "amaranth", "any"


class Simulated(Stage):
    """A verification of a core in simulation, with what is ``asked`` of it.

    The library is the compiled core, in a folder that is called like the key of the stage that
    compiled it, as :meth:`.on_demand.SingleStages.library` leaves it. If None, Amaranth's simulator
    runs.
    """

    needs = ("elaborate",)
    lane = Lane.PYTHON
    scope = Scope.CORE
    #: The module that verifies, and what it imports.
    judge = ""

    def __init__(self, library: Path | None = None, **asked: Any) -> None:
        self._library, self._asked = library, asked

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        library = self._library
        return {**core_spec(job.params, self.judge), "rtlil": given["elaborate"]["rtlil"],
                "drivers": driver_hashes(), "library": library and str(library),
                "simulator": library.parent.name if library else _AMARANTH, **self._asked}

    def hashed(self, spec: Spec) -> str:
        # The library is what the key says, wherever it lies.
        return super().hashed({name: value for name, value in spec.items() if name != "library"})

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {**super().here(spec, tools), "drivers": driver_hashes()}


def _library_of(spec: Spec, workspace: Workspace) -> Path | None:
    """Return the library in which a stage runs; None for Amaranth's simulator."""
    library = Path(spec["library"] or workspace.folder / LIBRARY)
    return library if library.exists() else None


class Full(Simulated):
    """An operation of full length; ``seed`` is asked for."""

    name = "full"
    judge = "explore.simulation.verify"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ..simulation import AmaranthEngine, CompiledEngine, verify_exponentiation

        params, library = parameters(spec), _library_of(spec, workspace)
        report = verify_exponentiation(
            params, seed=spec["seed"],
            engine=CompiledEngine(library) if library else AmaranthEngine(params))
        if not report.ok:
            raise unverified(report.message)
        return Result({name: getattr(report, name) for name in (
            "vectors", "engine", "cycles", "constant_time", "cycles_per_second", "exponent_bits",
            "clocks")})


class ExhaustivePart(Simulated):
    """Some of the blocks of :func:`explore.simulation.exhaustive.blocks_of`, in simulation.

    If it may be ``anywhere``, the place that computes the part compiles the core itself.
    """

    name = "exhaustive"
    fetches = "compile"
    judge = "explore.simulation.exhaustive"

    def __init__(self, first: int = 0, library: Path | None = None, *,
                 anywhere: bool = False) -> None:
        super().__init__(None if anywhere else library, blocks=[first, first + _BLOCKS],
                         **({"simulator": _ANY} if anywhere else {}))

    def uses_fetched(self, spec: Spec) -> bool:
        return spec["simulator"] == _ANY

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        params, library = parameters(spec), _library_of(spec, workspace)
        facts = {"operations": 0, "clocks": 0, "seconds": 0.0}
        for block in blocks_of(params)[slice(*spec["blocks"])]:
            checked = check_block(params, library, block)
            if checked.wrong:
                raise unverified(str(checked.wrong[0]))
            facts = {name: value + getattr(checked, name) for name, value in facts.items()}
        return Result(facts)


def checked_in_parts(computed: SingleStages, job: Job, library: Path | None, *,
                     anywhere: bool = False) -> Iterator[Checked]:
    """Yield the results of all blocks of a core, computed as single stages.

    Blocks of a part that fails are checked once more in this process, so that the wrong operation
    is known.
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


STAGES = (Full(), ExhaustivePart())
