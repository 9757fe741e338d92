"""Placement and routing by nextpnr."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...netlist.critical_path import critical_path
from ...netlist.floorplan import locate, specify
from ...outcome import Failure, Outcome, Retry, StageFailed, Status
from ...store.artefacts import output
from ...tools.find import find
from ..stage import Job, Reader, Result, Spec, Stage, Tools, Workspace

__all__ = ["STAGES"]

_ARGUMENTS = ("-q", "--log", "nextpnr.log", "--json", "netlist.json", "--report", "report.json")
#: Above the frequency of any FPGA.
_MOST_MHZ = 1e6


class Place(Stage):
    """Placement and routing with one seed; the columns are the frequency and the critical path."""

    name = "place"
    needs = ("synth",)
    reads = "synth"
    columns = of_stage("place")
    parsers = ("explore.netlist.critical_path",)

    def applies(self, job: Job, tools: Tools) -> bool:
        return job.device.placer is not None

    def label(self, job: Job) -> str:
        return f"{job.point.label} seed {job.seed}"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        placer = job.device.placer
        return {**given["synth"], "tool": placer, "identity": tools.identity(placer),
                "arguments": [*_ARGUMENTS, *job.device.place_arguments(job.options, job.seed)],
                "files": dict(job.device.files), **specify(job.device.sites_for(job.options))}

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

    def read(self, job: Job, outcome: Outcome, file: Reader) -> dict[str, Any]:
        placer = job.device.placer
        try:
            report = json.loads(file("report.json"))
            clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
            odd = [clock for clock in clocks.values() if not 0 < clock <= _MOST_MHZ]
            slowest = min(clocks, key=clocks.__getitem__, default=None)
            path = None if slowest is None else critical_path(
                report["critical_paths"], slowest, **self.reads_by(job))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError,
                RecursionError) as error:
            raise StageFailed(f"{placer} wrote rubbish in place of a report ({error})") from None
        if slowest is None:
            message = f"{placer} reported no clock"
            raise StageFailed(Failure(status=Status.NO_FMAX, message=message, log=message,
                                      retry=Retry.NEVER))
        if odd:
            raise StageFailed(f"{placer} wrote rubbish in place of a report: a clock of {odd[0]} "
                              "MHz")
        return {"fmax_mhz": round(clocks[slowest], 3), "critical_path": path}

    def reads_by(self, job: Job) -> Any:
        family = job.device.family
        return {"suffixes": list(family.suffixes), "carries": list(family.carries)}


STAGES = (Place(),)
