"""Verification: the core in simulation against its integer model and its cycle formula.

A verdict is final: its key holds the code that comes to it, which is this module and the judge. An
exception of another sort than the judge's is no verdict.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...data.columns import of_stage
from ...fingerprint import Source, fingerprint, own_fingerprint, own_sources, sources
from ...outcome import Outcome, StageFailed
from ...simulation.build import LIBRARY, driver_hashes
from ...simulation.counts import read_counts
from ...store.artefacts import digest
from ..stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace, hash_of
from .elaborate import core_spec, parameters
from .stimuli import RUNS, SEED, VECTORS, unverified

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ...simulation import Mismatch
    from ...simulation.judge import Clash

__all__ = ["STAGES", "Verify"]

#: What simulates and judges.
_JUDGE = ("explore.simulation.judge", "explore.simulation.compiled", "explore.simulation.amaranth")


class Verify(Stage):
    """Comparison of the core with its model.

    It runs in the compiled simulation where there is one, which is that of Verilator or CXXRTL, and
    otherwise in Amaranth's simulator. All of them find out the same. An outcome says which runs
    have passed; if the plan has other runs today, these run as well.
    """

    name = "verify"
    needs = ("elaborate", "stimuli")
    reads = "stimuli"
    fetches = "compile"
    lane = Lane.PYTHON
    scope = Scope.CORE
    columns = of_stage("verify")
    in_rows = False
    reader = staticmethod(read_counts)

    @property
    def code(self) -> str:
        return hash_of([_judge(), own_fingerprint(type(self).__module__)])

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.has_model

    def label(self, job: Job) -> str:
        return job.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return self.of_core(job.params, given["elaborate"]["rtlil"], given["stimuli"]["plan"])

    def of_core(self, params: CoreParameters, rtlil: str, plan: str) -> Spec:
        """Return the specification for a core, which has this hash, and its runs."""
        return {**core_spec(params), "rtlil": rtlil, "plan": plan}

    def hashed(self, spec: Spec) -> str:
        # Runs may be added to an outcome, and the sources only tell what is wrong with a core.
        return hash_of({"stage": "verify", "code": self.code,
                        **{name: spec[name] for name in ("params", "rtlil")}})

    def covers(self, spec: Spec, outcome: Outcome) -> bool:
        return outcome.facts.get("plan") == spec["plan"]

    def resumed(self, spec: Spec, outcome: Outcome) -> Spec:
        return spec if outcome.failure else {**spec, "known": dict(outcome.facts)}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"sources": fingerprint(*spec["modules"])}

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        return {**sources(*spec["modules"]), **own_sources(*_JUDGE)}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ...simulation import AmaranthEngine, CompiledEngine, Mismatch
        from ...simulation.judge import Clash, run_all

        library = workspace.folder / LIBRARY
        try:
            engine = (CompiledEngine(library) if library.exists()
                      else AmaranthEngine(parameters(spec)))
        except OSError as error:
            raise StageFailed(f"The compiled simulation cannot be loaded ({error})") from None
        data = (workspace.folder / RUNS).read_bytes()
        if digest(data) != spec["plan"]:
            raise StageFailed(f"{RUNS} is not the file that was to be read")
        try:
            found = run_all(data, engine, spec.get("known", {}))
        except (Clash, Mismatch) as error:
            raise unverified(_explained(spec, engine, error), plan=spec["plan"]) from error
        return Result({"plan": spec["plan"], **found})


def _explained(spec: Spec, engine: Any, error: Clash | Mismatch) -> str:
    """Return what is wrong with a core, in terms of its operands."""
    from ...simulation import verify

    report = verify(parameters(spec), vectors=VECTORS, seed=SEED, engine=engine)
    return report.message or f"Operation {error.index} of a run gave other words or clocks"


@functools.cache
def _judge() -> str:
    return hash_of([own_fingerprint(__name__, *_JUDGE), *driver_hashes()])


STAGES = (Verify(),)
