"""What Dask adds to a sweep: the preset quick on this machine, and on a worker with as many slots.

    python benchmarks/cluster_overhead.py [--repeat 3] [-j 2] [--output FILE]

Both sweeps begin with an empty store, and run in turn. Prints, and appends to FILE as JSON,
the seconds of both and their ratio. The scheduler and the worker run before the sweep begins, as on
a cluster. Exit status 1 if the best sweep on the worker takes more than 5 % longer than the best
one on this machine. It takes about six minutes per repetition.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dask_processes import Cluster

_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")
_LIMIT = 1.05


def _sweep(folder: Path, *options: str) -> float:
    begin = time.monotonic()
    subprocess.run([*_PROGRAM, "sweep", "--store", str(folder), "--json", *options], check=True,
                   capture_output=True)
    return time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    here, there = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Tools that come from packages compile themselves before anything is measured.
        _sweep(folder / "warm", "-a", "mmm_mx_1d", "-n", "8")
        for number in range(given.repeat):
            here.append(_sweep(folder / f"here{number}", "-j", str(given.j)))
            with Cluster(folder) as cluster:
                cluster.worker(given.j)
                there.append(_sweep(folder / f"there{number}", "--scheduler", cluster.address))
            ratio = there[-1] / here[-1]
            print(f"here {here[-1]:.1f} s, on a worker {there[-1]:.1f} s: {ratio:.3f}", flush=True)
            if given.output:
                with given.output.open("a") as file:
                    print(json.dumps({
                        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                        "slots": given.j, "here_s": round(here[-1], 1),
                        "worker_s": round(there[-1], 1), "ratio": round(ratio, 3)}), file=file)
    ratio = min(there) / min(here)
    print(f"best {min(here):.1f} s and {min(there):.1f} s: {ratio:.3f}")
    return int(ratio > _LIMIT)


if __name__ == "__main__":
    sys.exit(main())
