"""Placement and routing by nextpnr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...devices.sites import sites_for
from ...netlist.floorplan import specify
from ...netlist.timing import read_timing
from ..runner import ToolStage
from ..stage import Job, Spec, Tools

__all__ = ["STAGES"]

_ARGUMENTS = ("-q", "--log", "nextpnr.log", "--json", "netlist.json", "--report", "report.json")


class Place(ToolStage):
    """Placement and routing with one seed; the columns are the frequency and the critical path."""

    name = "place"
    needs = ("synth",)
    reads = "synth"
    columns = of_stage("place")
    reader = staticmethod(read_timing)

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.device.placer is not None

    def label(self, job: Job) -> str:
        return f"{job.point.label} seed {job.seed}"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        placer = job.device.placer
        return {"tool": placer, **self.here({"tool": placer}, tools),
                "arguments": [*_ARGUMENTS, *job.device.place_arguments(job.options, job.seed)],
                "files": dict(job.device.files),
                **specify(sites_for(job.device, job.options, job.params)),
                "inputs": {"netlist.json": given["synth"]["netlist"]},
                "keep": ["report.json", "nextpnr.log"], "facts": {}}

    def program(self, job: Job) -> str:
        return job.device.placer

    def arguments(self, spec: Spec) -> list[str]:
        return spec["arguments"][len(_ARGUMENTS):]

    def reads_by(self, job: Job) -> dict[str, Any]:
        family = job.device.family
        return {"placer": job.device.placer, "suffixes": list(family.suffixes),
                "carries": list(family.carries)}


STAGES = (Place(),)
