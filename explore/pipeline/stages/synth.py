"""Synthesis by yosys: of the core, and of the core with the chain around it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...data.columns import of_stage
from ...netlist.harness import CORE, HARNESS, synthesis_script
from ...outcome import Outcome, StageFailed
from ...store.artefacts import digest, output
from ...tools.find import find
from ..stage import Job, Reader, Result, Spec, Stage, Tools, Workspace

__all__ = ["STAGES"]

_ARGUMENTS = ("-q", "-l", "yosys.log", "synth.ys")


class Synth(Stage):
    """Synthesis; the columns are the area of the core alone."""

    name = "synth"
    needs = ("design", "verify")
    facts = ("netlist",)
    reads = "design"
    columns = of_stage("synth")

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        script = synthesis_script(job.device.synth_commands(CORE, job.options),
                                  job.device.synth_commands(HARNESS, job.options, pins=True))
        return {**given["design"], "tool": "yosys", "identity": tools.identity("yosys"),
                "arguments": [*_ARGUMENTS], "script": script}

    def program(self, job: Job) -> str:
        return "yosys"

    def arguments(self, spec: Spec) -> list[str]:
        return spec["script"]

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        folder = workspace.folder
        (folder / "synth.ys").write_text("\n".join(spec["script"]) + "\n")
        workspace.run("yosys", [*find("yosys").command, *spec["arguments"]])
        core, harness, joined = (_cells(output(folder, f"{name}.json", "yosys"))
                                 for name in ("core", "harness", "netlist_stat"))
        netlist = output(folder, "netlist.json", "yosys")
        del harness[CORE]
        if core + harness != joined:
            raise StageFailed("yosys joined core and chain to other cells than they have: "
                              f"{dict(core)} and {dict(harness)}, but {dict(joined)}")
        return Result({"netlist": digest(netlist)}, ("netlist.json", "core.json", "yosys.log"))

    def read(self, job: Job, outcome: Outcome, file: Reader) -> dict[str, Any]:
        return job.device.family.count(_cells(file("core.json")))

    def reads_by(self, job: Job) -> Any:
        return {cell: dict(weights) for cell, weights in job.device.family.area.items()}


def _cells(report: bytes) -> Counter[str]:
    """Return the cells by type that a report of yosys lists."""
    try:
        cells = json.loads(report)["design"]["num_cells_by_type"]
        found = Counter({str(cell): number for cell, number in cells.items()})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StageFailed(f"yosys wrote rubbish in place of a report ({error})") from None
    for cell, number in found.items():
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 1 << 40:
            raise StageFailed(f"yosys wrote rubbish in place of a report: {str(number)[:40]} cells "
                              f"of type {cell}")
    return found


STAGES = (Synth(),)
