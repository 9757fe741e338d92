"""Compilation of the simulation of a core: see :mod:`explore.simulation.build`."""

from __future__ import annotations

from collections.abc import Mapping

from ...simulation.build import LIBRARY, build, compile_spec, rtlil_script
from ..stage import Job, Result, Spec, Stage, Tools, Workspace

__all__ = ["STAGES"]


class Compile(Stage):
    """A library that simulates the core; left out where there is no C++ compiler."""

    name = "compile"
    needs = ("elaborate",)
    reads = "elaborate"

    def applies(self, job: Job, tools: Tools) -> bool:
        return tools.compiler is not None

    def label(self, job: Job) -> str:
        return job.point.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        cycles = job.params.common_cycles
        return compile_spec(given["elaborate"]["rtlil"], rtlil_script(), tools,
                            clocks=cycles and cycles.interval)

    def program(self, job: Job) -> str:
        return "yosys"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        return Result({"source_bytes": build(spec, workspace)}, (LIBRARY,))


STAGES = (Compile(),)
