"""How long it takes to plan thousands of points whose measurements are stored, and in what memory.

    python benchmarks/planning.py [--points 10000] [--seeds 1] [--store PATH]

Makes a store with invented outcomes, which an executor gives that runs nothing; a store that is
there already is used again. Then plans the same points in a process of its own, three times, and
prints time and peak memory of each. Exit status 1 if the limits are exceeded: 20 s and 500 MB for
10,000 points with one seed.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explore.outcome import Outcome
from explore.pipeline.executor import Task
from explore.pipeline.graph import jobs_of
from explore.pipeline.places import LocalExecutor
from explore.pipeline.run import Sweep, plan
from explore.pipeline.session import Session
from explore.pipeline.site import Site
from explore.pipeline.stage import Spec
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store
from explore.tools.compiler import find_compiler

if TYPE_CHECKING:
    from explore.pipeline.cluster.worker import Files

_LIMIT_S, _LIMIT_MB = 20.0, 500.0
_ARCHS = ("mmm_cs_1d", "mmm_mx_1d", "mmm_op_1d", "multi_step", "single_dsp", "dsp_systolic")
_TARGETS = ("ice40-hx8k", "ecp5-25k", "ecp5-85k", "gowin-gw2a-18", "xc7")
#: About as long as the reports of a small core.
_REPORT_STEPS = 200


class _Inventing(LocalExecutor):
    """An executor that invents outcomes in place of computing them."""

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        started("")
        outcome, files = Sleeper(0).invented(task.stage.name, task.spec)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        future: Future[Outcome] = Future()
        future.set_result(outcome)
        return future


#: Hash of the runs of all verifications.
_PLAN = "0" * 64


def invented(stage: str, key: str) -> tuple[dict, dict[str, str]]:
    """Return the facts and the files of an outcome that nothing computed."""
    digest = hashlib.sha256(key.encode()).hexdigest()
    end = {"cell": "core.a", "port": "Q"}
    step = {"type": "routing", "delay": 0.5, "from": end, "to": end}
    stages = {
        "elaborate": ({"rtlil": digest, "harness": digest, "rtlil_bytes": "9"}, {}),
        "stimuli": ({"plan": _PLAN}, {}),
        "verify": ({"cycles": {"load": 3, "compute": 9, "unload": 2, "interval": 12},
                    "constant_time": True, "engine": "none", "plan": _PLAN, "runs": ""}, {}),
        "synth": ({"netlist": digest}, {
            f"{name}.json": json.dumps({"design": {"num_cells_by_type": {"LUT4": 100, **chain}}})
            for name, chain in (("core", {}), ("netlist_stat", {"FF": 9}))} | {
                "harness.json": json.dumps({"design": {"num_cells_by_type": {"FF": 9}}})}),
        "place": ({}, {"report.json": json.dumps({
            "fmax": {"clk": {"achieved": 100.0}}, "critical_paths": [
                {"from": "posedge clk", "to": "posedge clk", "path": [step] * _REPORT_STEPS}]})}),
        "compile": ({"source_bytes": 1}, {})}
    like = {"design": "elaborate", "small": "elaborate"}
    return stages[like.get(stage, stage.removesuffix("_cells"))]


@dataclasses.dataclass(frozen=True)
class Sleeper:
    """A function of Dask workers that sleeps and invents an outcome in place of computing one."""

    seconds: float

    def __call__(self, task: Task, *inputs: Any) -> dict[str, Any]:
        time.sleep(self.seconds)
        outcome, files = self.invented(task.stage.name, task.spec)
        return {"outcome": outcome.to_json(), "files": files}

    def invented(self, stage: str, spec: Spec) -> tuple[Outcome, Files]:
        """Return an outcome of a stage, and its files as a store keeps them."""
        facts, texts = invented(stage, json.dumps(spec, sort_keys=True))
        files = {f"{name}.gz": gzip.compress(text.encode(), 1, mtime=0)
                 for name, text in texts.items()}
        return Outcome(facts=facts, seconds=self.seconds, host="nowhere",
                       date="2000-01-01T00:00:00+00:00",
                       files={name: hashlib.sha256(data).hexdigest()
                              for name, data in files.items()}), files


def points(count: int, seeds: int) -> dict[Point, int]:
    """Return so many points of several cores and targets, with a number of seeds."""
    found: dict[Point, None] = {}
    for width in range(16, 1 << 14, 16):
        found |= dict.fromkeys(expand(_ARCHS, [width], {}, _TARGETS,
                                      {"abc": ["flow", "flow3"]}))
        if len(found) >= count:
            break
    return dict.fromkeys(list(found)[:count], seeds)


def _warm(path: Path, count: int, seeds: int) -> None:
    with Store(path) as store, \
            Session(store, lambda emit: _Inventing(
                Site(store, find_compiler(), emit), 8)) as session:
        cells = session.add(jobs_of(points(count, seeds), 3600))
        session.run()
        session.rows(cells)


def _plan(path: Path, count: int, seeds: int) -> None:
    begin = time.monotonic()
    with Store(path).open(create=False) as store:
        planned = plan(Sweep(points=points(count, seeds), timeout_minutes=60), store=store)
    seconds = time.monotonic() - begin
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb, "rows": planned.rows,
                      "cpu_s": time.process_time(), "to_run": sum(planned.to_run.values())}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--plan", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.plan:
        _plan(given.store, given.points, given.seeds)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = given.store or Path(folder, "store")
        if not Store(path).exists:
            begin = time.monotonic()
            _warm(path, given.points, given.seeds)
            print(f"a store for {given.points} points made in {time.monotonic() - begin:.0f} s")
        runs = []
        for _ in range(3):
            ended = subprocess.run([sys.executable, __file__, "--plan", "--store", str(path),
                                    "--points", str(given.points), "--seeds", str(given.seeds)],
                                   stdout=subprocess.PIPE, text=True, check=True)
            runs.append(json.loads(ended.stdout))
            print("{rows} rows planned in {seconds:.1f} s ({cpu_s:.1f} s of a processor), at most "
                  "{peak_mb:.0f} MB; {to_run} stages to run".format(**runs[-1]))
    return int(min(run["seconds"] for run in runs) > _LIMIT_S or any(
        run["to_run"] or run["peak_mb"] > _LIMIT_MB for run in runs))


if __name__ == "__main__":
    sys.exit(main())
