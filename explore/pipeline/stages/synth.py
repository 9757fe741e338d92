"""Synthesis by yosys: of the core, and of the core with the chain around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...netlist.area import cells_by_type, read_area
from ...netlist.harness import CORE, HARNESS, synthesis_script
from ...outcome import StageFailed
from ...store.artefacts import digest, output
from ...tools.find import find
from ..stage import Job, Result, Scope, Spec, Stage, Tools, Workspace

__all__ = ["STAGES"]

_ARGUMENTS = ("-q", "-l", "yosys.log", "synth.ys")


class Synth(Stage):
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
        return {**given["design"], "tool": "yosys", **self.here({}, tools),
                "arguments": [*_ARGUMENTS], "script": script}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"identity": tools.identity("yosys")}

    def program(self, job: Job) -> str:
        return "yosys"

    def arguments(self, spec: Spec) -> list[str]:
        return spec["script"]

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        folder = workspace.folder
        (folder / "synth.ys").write_text("\n".join(spec["script"]) + "\n")
        workspace.run("yosys", [*find("yosys").command, *spec["arguments"]])
        core, harness, joined = (cells_by_type(output(folder, f"{name}.json", "yosys"))
                                 for name in ("core", "harness", "netlist_stat"))
        netlist = output(folder, "netlist.json", "yosys")
        del harness[CORE]
        if core + harness != joined:
            raise StageFailed("yosys joined core and chain to other cells than they have: "
                              f"{dict(core)} and {dict(harness)}, but {dict(joined)}")
        return Result({"netlist": digest(netlist)}, ("netlist.json", "core.json", "yosys.log"))

    def reads_by(self, job: Job) -> dict[str, Any]:
        return {"weights": {cell: dict(weights)
                            for cell, weights in job.device.family.area.items()}}


STAGES = (Synth(),)
