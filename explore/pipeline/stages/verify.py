"""Verification: the core in simulation against its integer model and its cycle formula."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...data.columns import of_stage
from ...outcome import Failure, Retry, StageFailed, Status
from ...simulation.build import LIBRARY, driver_hash
from ...simulation.counts import read_counts
from ..stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace
from .elaborate import core_spec, parameters, sources_here

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["STAGES", "Verify"]

#: Random operands of each verification, and their seed.
_VECTORS, _SEED = 24, 0


class Verify(Stage):
    """Comparison of the core with its model.

    It runs in the compiled simulation where there is one, which is that of Verilator or CXXRTL, and
    otherwise in Amaranth's simulator. All of them find out the same.
    """

    name = "verify"
    needs = ("elaborate",)
    fetches = "compile"
    lane = Lane.PYTHON
    scope = Scope.CORE
    columns = of_stage("verify")
    reader = staticmethod(read_counts)

    def label(self, job: Job) -> str:
        return job.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return self.of_core(job.params, given["elaborate"]["rtlil"])

    def of_core(self, params: CoreParameters, rtlil: str) -> Spec:
        """Return the specification for a core, which has this hash."""
        return {**core_spec(params, "explore.simulation"), "rtlil": rtlil,
                "driver": _drivers(), "vectors": _VECTORS, "seed": _SEED}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {**sources_here(spec), "driver": _drivers()}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ...simulation import CompiledEngine, verify

        library = workspace.folder / LIBRARY
        try:
            engine = CompiledEngine(library) if library.exists() else None
        except OSError as error:
            raise StageFailed(f"The compiled simulation cannot be loaded ({error})") from None
        try:
            report = verify(parameters(spec), vectors=spec["vectors"], seed=spec["seed"],
                            engine=engine)
        except (MemoryError, OSError):
            raise
        except Exception as error:
            raise _unverified(f"{type(error).__name__}: {error}") from error
        if not report.ok:
            raise _unverified(report.message)
        return Result({"cycles": dict(report.cycles), "constant_time": report.constant_time,
                       "engine": report.engine})


def _drivers() -> list[str]:
    return [driver_hash(), driver_hash("verilator.cc")]


def _unverified(message: str) -> StageFailed:
    message = " ".join(message.split())
    return StageFailed(Failure(status=Status.UNVERIFIED, message=message[:300], log=message,
                               retry=Retry.NEVER))


STAGES = (Verify(),)
