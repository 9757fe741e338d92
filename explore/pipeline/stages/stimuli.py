"""The runs of a verification, which the next stage makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...outcome import Failure, Outcome, Retry, StageFailed, Status
from ...store.artefacts import digest
from ..reads import are_unchanged, files_read
from ..stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace, hash_of
from .elaborate import core_spec, parameters

__all__ = ["PLAN", "RUNS", "SEED", "STAGES", "VECTORS", "Stimuli", "unverified"]

#: Version of the plan: higher whenever there are other runs, which those of some cores show.
PLAN = 5
#: Random operands of each verification, and their seed.
VECTORS, SEED = 24, 0
#: File of the runs.
RUNS = "runs.json"


class Stimuli(Stage):
    """The runs of a verification as data, with the words and clocks that the model expects."""

    name = "stimuli"
    lane = Lane.PYTHON
    scope = Scope.CORE
    facts = ("plan",)

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.has_model

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        # Amaranth's simulator would take too long for all runs.
        return {**core_spec(job.params), "plan": PLAN, "vectors": VECTORS, "seed": SEED,
                "thorough": tools.compiler is not None}

    @property
    def code(self) -> str:
        return ""

    def hashed(self, spec: Spec) -> str:
        # All runs do where fewer would, so that who has no compiler has what others verified.
        return hash_of({"stage": "stimuli", **spec, "thorough": True})

    def covers(self, spec: Spec, outcome: Outcome) -> bool:
        return are_unchanged(outcome.facts) and (
            outcome.facts.get("thorough", True) or not spec["thorough"])

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ...simulation import Mismatch
        from ...simulation.verify import plan_of

        try:
            data = plan_of(parameters(spec), vectors=spec["vectors"], seed=spec["seed"],
                           thorough=spec["thorough"])
        except Mismatch as mismatch:
            raise unverified(mismatch.message, **files_read(spec["modules"])) from mismatch
        (workspace.folder / RUNS).write_bytes(data)
        facts = {"plan": digest(data), **files_read(spec["modules"])}
        return Result(facts if spec["thorough"] else {**facts, "thorough": False}, (RUNS,))


def unverified(message: str, **facts: Any) -> StageFailed:
    """Return the verdict that a core is wrong, for good."""
    message = " ".join(message.split())
    return StageFailed(Failure(status=Status.UNVERIFIED, message=message[:300], log=message,
                               retry=Retry.NEVER), facts)


STAGES = (Stimuli(),)
