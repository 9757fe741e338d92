"""Placement and routing by nextpnr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...netlist.floorplan import locate, specify
from ...netlist.timing import read_timing
from ...store.artefacts import output
from ...tools.find import find
from ..stage import Job, Result, Spec, Stage, Tools, Workspace

__all__ = ["STAGES"]

_ARGUMENTS = ("-q", "--log", "nextpnr.log", "--json", "netlist.json", "--report", "report.json")


class Place(Stage):
    """Placement and routing with one seed; the columns are the frequency and the critical path."""

    name = "place"
    needs = ("synth",)
    reads = "synth"
    columns = of_stage("place")
    reader = staticmethod(read_timing)
    parsers = ("explore.netlist.critical_path",)

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.device.placer is not None

    def label(self, job: Job) -> str:
        return f"{job.point.label} seed {job.seed}"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        placer = job.device.placer
        return {**given["synth"], "tool": placer, **self.here({"tool": placer}, tools),
                "arguments": [*_ARGUMENTS, *job.device.place_arguments(job.options, job.seed)],
                "files": dict(job.device.files), **specify(job.device.sites_for(job.options))}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"identity": tools.identity(spec["tool"])}

    def program(self, job: Job) -> str:
        return job.device.placer

    def arguments(self, spec: Spec) -> list[str]:
        return spec["arguments"][len(_ARGUMENTS):]

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        folder = workspace.folder
        for name, text in spec["files"].items():
            (folder / name).write_text(text)
        if "sites" in spec:
            locate(folder / "netlist.json", spec["sites"])
        workspace.run(spec["tool"], [*find(spec["tool"]).command, *spec["arguments"]])
        output(folder, "report.json", spec["tool"])
        return Result(keep=("report.json", "nextpnr.log"))

    def reads_by(self, job: Job) -> dict[str, Any]:
        return {"placer": job.device.placer}


STAGES = (Place(),)
