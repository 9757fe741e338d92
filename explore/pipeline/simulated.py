"""Verifications at length: stages that run in a simulator which the caller chooses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..fingerprint import Source, fingerprint, sources
from ..outcome import Failure, Retry, StageFailed, Status
from ..simulation.build import LIBRARY, driver_hashes
from .stage import Lane, Result, Scope, Spec, Stage, Tools, Workspace
from .stages.elaborate import core_spec, parameters

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..simulation import Report
    from .stage import Job

__all__ = ["STAGES", "Full", "Simulated", "full_report", "library_of", "unverified"]

#: In place of the key of a library: Amaranth's simulator, and whatever the place has.
_AMARANTH, ANY = "amaranth", "any"


class Simulated(Stage):
    """A verification of a core in simulation.

    Parameters
    ----------
    library : Path or None
        The compiled core, in a folder that is called like the key of the stage that compiled it, as
        :meth:`.on_demand.SingleStages.library` leaves it. If None, Amaranth's simulator runs.
    asked : dict
        Further entries of the specification.
    """

    needs = ("elaborate",)
    lane = Lane.PYTHON
    scope = Scope.CORE
    #: The module that verifies, and what it imports.
    judge = ""

    def __init__(self, library: Path | None = None, **asked: Any) -> None:
        self._library, self._asked = library, asked

    def label(self, job: Job) -> str:
        return job.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        library = self._library
        return {**core_spec(job.params, self.judge), "rtlil": given["elaborate"]["rtlil"],
                "drivers": driver_hashes(), "library": library and str(library),
                "simulator": library.parent.name if library else _AMARANTH, **self._asked}

    def hashed(self, spec: Spec) -> str:
        # The library is what the key says, wherever it lies.
        return super().hashed({name: value for name, value in spec.items() if name != "library"})

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"sources": fingerprint(*spec["modules"]), "drivers": driver_hashes()}

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        return sources(*spec["modules"])


def library_of(spec: Spec, workspace: Workspace) -> Path | None:
    """Return the library in which a stage runs; None for Amaranth's simulator."""
    library = Path(spec["library"] or workspace.folder / LIBRARY)
    return library if library.exists() else None


def unverified(message: str) -> StageFailed:
    """Return the failure of a core that differs from its model."""
    return StageFailed(Failure(status=Status.UNVERIFIED, message=message[:300], log=message,
                               retry=Retry.NEVER))


class Full(Simulated):
    """An operation of full length; ``seed`` is asked for."""

    name = "full"
    judge = "explore.simulation.verify"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ..simulation import AmaranthEngine, CompiledEngine, verify_exponentiation

        params, library = parameters(spec), library_of(spec, workspace)
        report = verify_exponentiation(
            params, seed=spec["seed"],
            engine=CompiledEngine(library) if library else AmaranthEngine(params))
        if not report.ok:
            raise unverified(report.message)
        facts = {name: getattr(report, name) for name in (
            "vectors", "engine", "cycles", "constant_time", "cycles_per_second")}
        return Result({**facts, "whole": dataclasses.asdict(report.whole)})


def full_report(params: CoreParameters, seed: int, facts: Mapping[str, Any]) -> Report:
    """Return the report of which :class:`Full` found the facts."""
    from ..simulation.report import Report, Whole

    return Report(params=params, seed=seed, ok=True,
                  **{**facts, "whole": Whole(**facts["whole"])})


STAGES = (Full(),)
