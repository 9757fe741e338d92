"""Verification: the core in simulation against its integer model and its cycle formula."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...data.columns import of_stage
from ...fingerprint import Source, fingerprint, own_fingerprint, own_sources, sources
from ...outcome import Failure, Outcome, Retry, StageFailed, Status
from ...simulation.build import LIBRARY, driver_hashes
from ...simulation.counts import read_counts
from ...store.artefacts import digest
from ..stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace, hash_of
from .elaborate import core_spec, parameters

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ...simulation import Mismatch
    from ...simulation.judge import Clash

__all__ = ["STAGES", "Stimuli", "Verify"]

#: Version of the plan: higher whenever there are other runs, which those of some cores show.
PLAN = 1
#: Random operands of each verification, and their seed.
_VECTORS, _SEED = 24, 0
_RUNS = "runs.json"
#: What simulates and judges.
_JUDGE = ("explore.simulation.judge", "explore.simulation.compiled", "explore.simulation.amaranth")


class Stimuli(Stage):
    """The runs of a verification as data, with the words and clocks that the model expects."""

    name = "stimuli"
    lane = Lane.PYTHON
    scope = Scope.CORE
    facts = ("plan",)

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.has_model

    def label(self, job: Job) -> str:
        return job.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        # Amaranth's simulator would take too long for all runs.
        return {**core_spec(job.params), "plan": PLAN, "vectors": _VECTORS, "seed": _SEED,
                "thorough": tools.compiler is not None}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"sources": fingerprint(*spec["modules"])}

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        return sources(*spec["modules"])

    @property
    def code(self) -> str:
        return ""

    def hashed(self, spec: Spec) -> str:
        # All runs do where fewer would, so that who has no compiler has what others verified.
        return hash_of({"stage": "stimuli", **spec, "thorough": True})

    def covers(self, spec: Spec, outcome: Outcome) -> bool:
        return outcome.facts.get("thorough", True) or not spec["thorough"]

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ...simulation import Mismatch
        from ...simulation.verify import plan_of

        try:
            data = plan_of(parameters(spec), vectors=spec["vectors"], seed=spec["seed"],
                           thorough=spec["thorough"])
        except (MemoryError, OSError):
            raise
        except Mismatch as mismatch:
            raise _unverified(mismatch.message) from mismatch
        except Exception as error:
            raise _unverified(f"{type(error).__name__}: {error}") from error
        (workspace.folder / _RUNS).write_bytes(data)
        facts = {"plan": digest(data)}
        return Result(facts if spec["thorough"] else {**facts, "thorough": False}, (_RUNS,))


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
        return _judge()

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
        data = (workspace.folder / _RUNS).read_bytes()
        if digest(data) != spec["plan"]:
            raise StageFailed(f"{_RUNS} is not the file that was to be read")
        try:
            found = run_all(data, engine, spec.get("known", {}))
        except (MemoryError, OSError):
            raise
        except (Clash, Mismatch) as error:
            raise _unverified(_explained(spec, engine, error), spec) from error
        except Exception as error:
            raise _unverified(f"{type(error).__name__}: {error}", spec) from error
        return Result({"plan": spec["plan"], **found})


def _explained(spec: Spec, engine: Any, error: Clash | Mismatch) -> str:
    """Return what is wrong with a core, in terms of its operands."""
    from ...simulation import verify

    report = verify(parameters(spec), vectors=_VECTORS, seed=_SEED, engine=engine)
    return report.message or f"Operation {error.index} of a run gave other words or clocks"


@functools.cache
def _judge() -> str:
    return hash_of([own_fingerprint(*_JUDGE), *driver_hashes()])


def _unverified(message: str, spec: Spec | None = None) -> StageFailed:
    message = " ".join(message.split())
    failure = Failure(status=Status.UNVERIFIED, message=message[:300], log=message,
                      retry=Retry.NEVER)
    return StageFailed(failure, {"plan": spec["plan"]} if spec else {})


STAGES = (Stimuli(), Verify())
