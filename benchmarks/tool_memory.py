"""The memory that yosys and nextpnr need, by the size of the netlist.

    python benchmarks/tool_memory.py [--output FILE] [ARCHITECTURE:WIDTH:TARGET…]

Measures each point once, one after the other, in a store of its own. Prints, and appends to FILE as
lines of JSON: the tool, the point, the size of the netlist that is placed (compressed, as the store
has it) and the peak of the resident memory of the tool's process. The executor for Dask workers
estimates from these figures how many placements fit into the memory of a worker.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interruptions import MARK, marked

_POINTS = ("mmm_mx_1d:64:ice40-hx8k", "mmm_mx_1d:64:ecp5-85k", "mmm_mx_1d:512:ice40-hx8k",
           "multi_step:256:ecp5-85k", "multi_step:1024:ecp5-85k")
#: A tool: a program, or a package that a Python runs.
_TOOLS = re.compile(r"[ /_-](yosys|nextpnr[-_]\w+?)(?=[: ])")
_POLL_S = 0.3


def _peaks(process: subprocess.Popen, mark: str) -> dict[str, float]:
    """Return the peak memory in MB of each kind of tool of a marked process, when it has ended."""
    peaks: dict[str, float] = {}
    while process.poll() is None:
        for folder, command in marked(mark):
            tool = _TOOLS.search(command)
            with contextlib.suppress(OSError):
                peak = re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())
                if tool and peak:
                    peaks[tool[1]] = max(peaks.get(tool[1], 0.0), int(peak[1]) / 1024)
        time.sleep(_POLL_S)
    return peaks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("points", nargs="*", default=_POINTS)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    for point in given.points:
        arch, width, target = point.split(":")
        with tempfile.TemporaryDirectory() as store:
            process = subprocess.Popen(
                [sys.executable, "-m", "explore.cli", "sweep", "-a", arch, "-n", width, "-t",
                 target, "--seeds", "1", "-j", "1", "--store", store],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env=os.environ | {MARK: store})
            peaks = _peaks(process, store)
            netlist = max((path.stat().st_size for path in Path(store).rglob("netlist.json.gz")),
                          default=None)
        if process.returncode != 0:
            print(f"{point}: {process.stderr.read().strip().splitlines()[-1]}", file=sys.stderr)
        for tool, peak_mb in sorted(peaks.items()):
            line = {"point": point, "tool": tool, "netlist_bytes": netlist, "peak_mb": int(peak_mb)}
            print(line, flush=True)
            if given.output:
                with given.output.open("a") as file:
                    print(json.dumps(line), file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
