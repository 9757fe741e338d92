"""The cost of distribution: thousands of stages that only sleep, on many worker threads.

    python benchmarks/cluster.py [--points 5600] [--seeds 3] [--workers 4] [--threads 8]
                                 [--sleep 0.5] [--output FILE]

Starts a Dask scheduler and workers in processes of their own. Sends the stages of a sweep through a
session to them. Each stage sleeps for a time and returns an invented outcome, with files as large
as those of a small core. Afterwards stores invented outcomes as fast as a store takes them. Prints,
and appends to FILE as a line of JSON: the stages, the time, the time that the sleep alone would
take on as many threads, outcomes per second in the sweep and of the store alone, the peak memory
of this process and of the scheduler, and the processor time of both.

Exit status 1 if this process needs more than 500 MB, or if the store takes fewer than 200 outcomes
per second.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

from distributed.deploy.subprocess import SubprocessCluster
from planning import Sleeper, points

from explore.pipeline.cluster import ClusterExecutor
from explore.pipeline.graph import jobs_of
from explore.pipeline.session import Session
from explore.store import Store

_LIMIT_MB, _LIMIT_PER_S, _STORED = 500.0, 200.0, 2000


def _usage(pid: int) -> tuple[float, float]:
    """Return the peak memory of a process in MB, and its processor time in seconds."""
    status = Path(f"/proc/{pid}/status").read_text()
    peak_mb = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return peak_mb, sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _stored_per_s(folder: Path) -> float:
    """Return how many outcomes a second a store takes, with their files."""
    sleeper, stage = Sleeper(0), "place"
    with Store(folder) as store:
        begin = time.monotonic()
        for number in range(_STORED):
            key, spec = f"{number:040x}", {"stage": stage, "number": number}
            workspace = store.workspace(key)
            outcome, files = sleeper.invented(stage, spec)
            for name, contents in files.items():
                (workspace / name).write_bytes(contents)
            store.commit(key, spec, outcome, workspace)
            store.remember_rows({key: {"key": key, **outcome.facts}})
    return _STORED / (time.monotonic() - begin)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=5600)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--sleep", type=float, default=0.5)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()

    class Sleeping(ClusterExecutor):
        function = staticmethod(Sleeper(given.sleep))

    # Workers find the benchmarks.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(SubprocessCluster(
                host="127.0.0.1", n_workers=given.workers, threads_per_worker=given.threads,
                worker_class="distributed.Worker", dashboard_address="127.0.0.1:0",
                worker_kwargs={"memory_limit": 0, "local_directory": path}))
            cluster.wait_for_workers(given.workers)
            store = stack.enter_context(Store(folder / "store"))
            ran_here: list[str] = []
            session = stack.enter_context(Session(
                store, lambda emit: Sleeping(cluster.scheduler_address, emit),
                lambda event: ran_here.append(event.stage) if event.kind == "finish"
                and not event.cached else None))
            begin = time.monotonic()
            cells = session.add(jobs_of(points(given.points, given.seeds), 3600))
            planned = time.monotonic()
            session.run()
            ran = time.monotonic()
            session.rows(cells)
            stages = len(ran_here)
            scheduler_mb, scheduler_s = _usage(cluster.scheduler.process.pid)
        stored_per_s = _stored_per_s(folder / "alone")
    own = resource.getrusage(resource.RUSAGE_SELF)
    threads = given.workers * given.threads
    figures = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "stages": stages, "rows": len(cells), "threads": threads, "sleep_s": given.sleep,
        "planning_s": round(planned - begin, 1), "running_s": round(ran - planned, 1),
        "ideal_s": round(stages * given.sleep / threads, 1),
        "outcomes_per_s": round(stages / (ran - planned), 1),
        "client_mb": round(own.ru_maxrss / 1024), "client_cpu_s": round(
            own.ru_utime + own.ru_stime, 1),
        "stored_per_s": round(stored_per_s, 1),
        "scheduler_mb": round(scheduler_mb), "scheduler_cpu_s": round(scheduler_s, 1)}
    for name, value in figures.items():
        print(f"{name:16} {value}")
    if given.output:
        with given.output.open("a") as file:
            print(json.dumps(figures), file=file)
    return int(stored_per_s < _LIMIT_PER_S or figures["client_mb"] > _LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
