"""Measures what the explorer adds to the run time of the tools.

    python benchmarks/driver_overhead.py [-a ARCHITECTURE] [-n WIDTHS] [--repeat N]

Sweeps 12 points (6 widths, 2 families, 1 seed) with one job and with two, each into an empty store,
and runs the same yosys and nextpnr commands one after the other without the explorer. One job may
take 5 % longer than that, verification apart, which may take 10 % of all; two jobs may take 60 % of
one. The exit status is 1 if one of them is missed. Nothing else should run on the machine
meanwhile, and it needs two processors.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from explore.devices import placers, target
from explore.netlist.harness import core_rtlil, harness_rtlil
from explore.pipeline.events import Event
from explore.pipeline.run import run
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store
from explore.tools.find import find, variable

_TARGETS = ("ice40-hx8k", "ecp5-25k")


def _program(name: str) -> str:
    """Return what a user would type: the program a variable names, or YoWASP's script."""
    return os.environ.get(variable(name)) or str(Path(sys.executable).parent / f"yowasp-{name}")


def _by_hand(rows: list[dict], points: list[Point]) -> float:
    """Return the time that the commands of ``rows`` take."""
    total = 0.0
    for row, point in zip(rows, points, strict=True):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            component = point.parameters().create()
            (folder / "core.il").write_text(core_rtlil(component))
            (folder / "harness.il").write_text(harness_rtlil(component.signature))
            (folder / "synth.ys").write_text("\n".join(row["arguments"]["yosys"]) + "\n")
            placer = target(point.target).family.placer
            begin = time.perf_counter()
            subprocess.run([_program("yosys"), "-q", "-l", "yosys.log", "synth.ys"], cwd=folder,
                           check=True, stdout=subprocess.DEVNULL)
            subprocess.run([_program(placer), "-q", "--log", "nextpnr.log", "--json",
                            "netlist.json", "--report", "report.json", *row["arguments"][placer]],
                           cwd=folder, check=True, capture_output=True)
            total += time.perf_counter() - begin
    return total


def _sweep(points: list[Point], jobs: int) -> tuple[float, float, list[dict]]:
    """Return the time of a sweep, that of verification in it, and its rows."""
    verification = 0.0

    def listen(event: Event) -> None:
        nonlocal verification
        if event.kind == "finish" and event.stage in ("compile", "verify"):
            verification += event.seconds

    folder = tempfile.mkdtemp()
    try:
        begin = time.perf_counter()
        with Store(Path(folder, "store")) as store:
            rows = run(dict.fromkeys(points, 1), store=store, jobs=jobs, on_event=listen)
        return time.perf_counter() - begin, verification, rows
    finally:
        shutil.rmtree(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", default="mmm_mx_1d", help="architecture")
    parser.add_argument("-n", default="32,48,64,96,128,160", help="six widths")
    parser.add_argument("--repeat", type=int, default=1, help="times to measure, the best counts")
    options = parser.parse_args()
    points = expand([options.a], options.n.split(","), {}, _TARGETS)
    for name in ("yosys", *placers()):
        # YoWASP compiles itself when it first runs.
        subprocess.run([*find(name).command, "--version"], check=True, capture_output=True)

    one, two, hand = [], [], []
    for _ in range(options.repeat):
        seconds, verification, rows = _sweep(points, 1)
        one.append((seconds - verification, verification))
        if failed := [row for row in rows if row["status"] != "ok"]:
            print(f"{len(failed)} points failed, the first with: {failed[0]['log']}")
            return 1
        hand.append(_by_hand(rows, points))
        two.append(_sweep(points, 2)[0])
    alone, verification = min(one)
    overhead = alone / min(hand) - 1
    share = verification / (alone + verification)
    speedup = min(two) / (alone + verification)
    print(f"{len(points)} points: commands by hand {min(hand):.1f} s, "
          f"1 job {alone:.1f} s ({overhead:+.1%}, at most +5%) "
          f"and {verification:.1f} s of verification ({share:.1%} of all, at most 10%), "
          f"2 jobs {min(two):.1f} s ({speedup:.0%} of 1 job, at most 60%)")
    return 0 if overhead <= 0.05 and share <= 0.1 and speedup <= 0.6 else 1


if __name__ == "__main__":
    sys.exit(main())
