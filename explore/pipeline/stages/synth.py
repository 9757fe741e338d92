"""Synthesis by yosys: of the core, and of the core with the chain around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...netlist.area import read_area
from ...netlist.harness import CORE, HARNESS, synthesis_script
from ..runner import ToolStage
from ..stage import Job, Scope, Spec, Tools

__all__ = ["STAGES"]


class Synth(ToolStage):
    """Synthesis; the columns are the area of the core alone."""

    name = "synth"
    needs = ("design", "verify")
    facts = ("netlist",)
    reads = "design"
    scope = Scope.POINT
    columns = of_stage("synth")
    reader = staticmethod(read_area)

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        script = synthesis_script(job.device.synth_commands(CORE, job.options),
                                  job.device.synth_commands(HARNESS, job.options, pins=True))
        return {"tool": "yosys", **self.here({"tool": "yosys"}, tools),
                "arguments": ["-q", "-l", "yosys.log", "synth.ys"],
                "files": {"synth.ys": script},
                "inputs": {"core.il": given["design"]["rtlil"],
                           "harness.il": given["design"]["harness"]},
                "keep": ["netlist.json", "core.json", "harness.json", "netlist_stat.json",
                         "yosys.log"],
                "facts": {"netlist": "netlist.json"}}

    def program(self, job: Job) -> str:
        return "yosys"

    def arguments(self, spec: Spec) -> list[str]:
        return spec["files"]["synth.ys"]

    def reads_by(self, job: Job) -> dict[str, Any]:
        return {"weights": {cell: dict(weights)
                            for cell, weights in job.device.family.area.items()}}


STAGES = (Synth(),)
