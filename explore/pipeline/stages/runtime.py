"""Compilation of the part of Verilator that all simulations share, once per store."""

from __future__ import annotations

from collections.abc import Mapping

from ...fingerprint import own_fingerprint
from ...simulation.build import RUNTIME, build_runtime, built_here, runtime_spec
from ..stage import Job, Result, Scope, Spec, Stage, Tools, Workspace
from .compile import BUILDERS

__all__ = ["STAGES"]


class Runtime(Stage):
    """The runtime of Verilator as an object file; skipped if there is no Verilator."""

    name = "runtime"
    scope = Scope.CORE

    @property
    def code(self) -> str:
        return own_fingerprint(__name__, *BUILDERS)

    def applies(self, job: Job, tools: Tools) -> bool:
        return tools.verilator is not None

    def label(self, job: Job) -> str:
        return "Verilator, for all cores"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return {**runtime_spec(), **self.here({}, tools)}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return built_here(tools, verilator=True)

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        build_runtime(spec, workspace)
        return Result(keep=(RUNTIME,))


STAGES = (Runtime(),)
