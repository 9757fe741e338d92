"""Measures what the explorer adds to the run time of the tools, and how quickly commands answer.

    python benchmarks/driver_overhead.py [-a ARCHITECTURE] [-n WIDTHS] [--repeat N] [--quick STORE]

Sweeps 12 points (6 widths, 2 families, 1 seed) with one job and with two, each into an empty store,
and runs the same yosys and nextpnr commands one after the other without the explorer. Of these
there are limits:

* one job, verification apart: 5 % more than the commands;
* two jobs: 50 % of one;
* ``montgomery --help`` 0.3 s, ``montgomery list`` 0.6 s, each the median of five;
* with ``--quick``: verification, 10 % of all stages of the quick sweep, which runs by default; and
  that sweep repeated on a store that has all of it, 2 s, the median of three. What STORE lacks is
  measured before, which takes ten minutes where it is empty.

The exit status is 1 if a limit is exceeded. Nothing else should run on the machine meanwhile, and
it needs two processors.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from explore.devices import target
from explore.netlist.harness import core_rtlil, harness_rtlil
from explore.pipeline.events import Event
from explore.pipeline.run import run
from explore.pipeline.stages import stages
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store
from explore.tools.find import variable
from explore.tools.toolbox import Toolbox, announcing

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


def _verification(path: Path) -> tuple[float, float]:
    """Return the time that verification took, and that of all stages, in a store's last sweep."""
    with Store(path).open(create=False, writable=False) as store:
        seconds = {name: sum(store.recent_seconds(name)) for name in stages()}
    return seconds["compile"] + seconds["verify"], sum(seconds.values())


def _answer(*arguments: str, runs: int = 5) -> float:
    """Return the median of the times that a command takes, in seconds."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run([*_PROGRAM, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def _tell(what: str, measured: str, share: float, limit: float, *, unit: str) -> bool:
    """Print a figure beside its limit; return whether it is within."""
    scale = {"%": 100}.get(unit, 1)
    met = share <= limit
    print(f"{what:36}{measured:>9}{scale * share:9.2f} {unit:2} at most {scale * limit:g} {unit:2}"
          f"  {'met' if met else 'EXCEEDED'}", flush=True)
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", default="mmm_mx_1d", help="architecture")
    parser.add_argument("-n", default="32,48,64,96,128,160", help="six widths")
    parser.add_argument("--repeat", type=int, default=1, help="times to measure, the best counts")
    parser.add_argument("--quick", type=Path, metavar="STORE",
                        help="a store for the quick sweep, which it keeps")
    options = parser.parse_args()
    points = expand([options.a], options.n.split(","), {}, _TARGETS)
    toolbox = Toolbox(emit=announcing(print))
    for name in ("yosys", *(target(name).family.placer for name in _TARGETS)):
        toolbox.ask(name)

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
    whole = alone + verification
    print(f"{len(points)} points: commands by hand {min(hand):.1f} s, one job {whole:.1f} s of "
          f"which verification {verification:.1f} s, two jobs {min(two):.1f} s")
    met = [_tell("one job beyond the commands", f"{alone:.1f} s", alone / min(hand) - 1,
                 0.05, unit="%"),
           _tell("two jobs, of one job", f"{min(two):.1f} s", min(two) / whole, 0.5, unit="%"),
           _tell("montgomery --help", "", _answer("--help"), 0.3, unit="s"),
           _tell("montgomery list", "", _answer("list"), 0.6, unit="s")]
    if options.quick:
        sweep = ("sweep", "--store", str(options.quick))
        subprocess.run([*_PROGRAM, *sweep], check=True, stdout=subprocess.DEVNULL)
        verification, total = _verification(options.quick)
        met.append(_tell("verification, of the quick sweep", f"{verification:.1f} s",
                         verification / total, 0.1, unit="%"))
        met.append(_tell("quick sweep, repeated", "", _answer(*sweep, runs=3), 2, unit="s"))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
