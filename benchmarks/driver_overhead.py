"""Measures what the explorer adds to the run time of the tools, and how quickly commands answer.

    python benchmarks/driver_overhead.py [--quick STORE]

Sweeps 12 points (6 widths, 2 families, 1 seed) with one job and with two, each into an empty store,
and runs the same yosys and nextpnr commands one after the other without the explorer. Of these
there are limits:

* one job, verification apart: 5 % more than the commands;
* two jobs: 50 % of one;
* ``montgomery --help`` 0.3 s, ``montgomery list`` 0.6 s, each the median of five;
* with ``--quick``: the sweep that runs by default, repeated on a store that has all of it, 1.2 s.
  What STORE lacks is measured before, which takes ten minutes where it is empty.

The exit status is 1 if a limit is exceeded. Nothing else should run on the machine meanwhile, and
it needs two processors.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from explore.devices import target
from explore.netlist.harness import core_rtlil, harness_rtlil
from explore.pipeline.run import run
from explore.pipeline.session import Event
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store
from explore.tools.find import variable
from explore.tools.toolbox import Toolbox, announcing

_WIDTHS = ("32", "48", "64", "96", "128", "160")
_TARGETS = ("ice40-hx8k", "ecp5-25k")
_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")


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
            (folder / "core.il").write_text(core_rtlil(component).text)
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

    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        with Store(Path(folder, "store")) as store:
            rows = run(dict.fromkeys(points, 1), store=store, jobs=jobs, on_event=listen)
        return time.perf_counter() - begin, verification, rows


def _answer(*arguments: str) -> float:
    """Return the median of the times that a command takes, in seconds."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([*_PROGRAM, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", metavar="STORE", help="a store for the quick sweep")
    options = parser.parse_args()
    points = expand(["mmm_mx_1d"], _WIDTHS, {}, _TARGETS)
    toolbox = Toolbox(emit=announcing(print))
    for name in ("yosys", *(target(name).family.placer for name in _TARGETS)):
        toolbox.ask(name)
    one, verification, rows = _sweep(points, 1)
    hand, (two, *_) = _by_hand(rows, points), _sweep(points, 2)
    print(f"{len(points)} points: commands by hand {hand:.1f} s, one job {one:.1f} s of which "
          f"verification {verification:.1f} s, two jobs {two:.1f} s")
    figures = [("one job beyond the commands", (one - verification) / hand - 1, 0.05),
               ("two jobs, of one job", two / one, 0.5),
               ("montgomery --help, s", _answer("--help"), 0.3),
               ("montgomery list, s", _answer("list"), 0.6)]
    if options.quick:
        sweep = ("sweep", "--store", options.quick)
        subprocess.run([*_PROGRAM, *sweep], check=True, stdout=subprocess.DEVNULL)
        figures.append(("quick sweep, repeated, s", _answer(*sweep), 1.2))
    for what, figure, limit in figures:
        print(f"{what:32}{figure:8.2f}, at most {limit}{'' if figure <= limit else ': EXCEEDED'}")
    return int(any(figure > limit for _, figure, limit in figures))


if __name__ == "__main__":
    sys.exit(main())
