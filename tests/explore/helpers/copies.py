"""Copies of the program that are edited, and sweep with fake tools."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from fake_tools import FakeTools

__all__ = ["ALL", "PLACED", "ROOT", "Copies"]

ROOT = Path(__file__).parents[3]
#: Sweeps with fake tools, with the rows of before, once for each store; a worker is started once.
#: The file of calls of the tools is kept for each sweep.
DRIVER = """
import json, sys
import montgomery, toy
from explore.pipeline import site
from explore.pipeline.knowledge import CoreFile
from explore.pipeline.run import Sweep, run
from explore.points.expand import expand
from explore.data.frame import earlier
from explore.store import Store
from lent_workers import LentWorkers, end_all
from pathlib import Path

site.Workers = LentWorkers
toys = {"multiplier": {"toy": toy.Toy, "particular": toy.Particular}}
montgomery.registry.cores = lambda kind: toys.get(kind, {})
points = [*expand(["toy"], [8], {}, ["ice40-hx8k", "gowin-gw1nr-9c", "xc7"]),
          *expand(["particular"], [8], {}, ["ecp5-25k"], {"dsp_placement": ["rows"]})]
calls, before, *stores = map(Path, sys.argv[1:])
rows, ran = [], []
for index, path in enumerate(stores):
    calls.write_text("")
    events = []
    with Store(path) as store:
        sweep = Sweep(points=dict.fromkeys(points, 1), before=earlier(before),
                      cores=CoreFile(before.parent))
        rows.append(run(sweep, store=store, jobs=1, on_event=events.append))
    ran.append([event.stage for event in events if event.kind == "finish" and not event.cached])
    calls.rename(f"{calls}-{index}")
end_all()
print(json.dumps([{"rows": each, "ran": stages} for each, stages in zip(rows, ran)]))
"""
#: All that the tools do for these points.
ALL = ["nextpnr-ecp5 1", "nextpnr-himbaechel-gowin 1", "nextpnr-ice40 1", *["yosys -"] * 4]
#: To place again, where only rows are there, takes a netlist.
PLACED = ALL[:6]


class Copies:
    """Copies of the program, swept with one set of fake tools."""

    def __init__(self, folder):
        self._folder = folder
        self._home = folder / "tools"
        self._home.mkdir()
        self._fakes = FakeTools(self._home)
        self._number = 0
        for name in ("montgomery", "boards", "explore"):
            shutil.copytree(ROOT / name, folder / "original" / name,
                            ignore=shutil.ignore_patterns("__pycache__"))
        self.rows = folder / "rows.jsonl"
        (self.before, jobs), = self.sweep("store")
        assert jobs == ALL
        assert {row["status"] for row in self.before["rows"]} == {"ok", "area_only"}

    def sweep(self, *stores, edits=(), earlier=()):
        """Return for each store what a sweep with the edited program finds out, and the tools that
        it runs.

        Parameters
        ----------
        stores : str
            ``store`` for one that holds what was measured before, in a copy; else a new one.
        """
        work = self._copy(edits)
        filled = self._folder / "store"
        paths = [filled if store == "store" and not filled.exists() else work / store
                 for store in stores]
        if filled.exists() and "store" in stores:
            shutil.copytree(filled, work / "store")
        rows = work / "rows.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in earlier))
        if earlier:
            shutil.copy(self._folder / CORES, work)
        found = json.loads(self._run(work, DRIVER, self._home / "calls", rows, *paths))
        if not earlier and not (self._folder / CORES).exists():
            shutil.copy(work / CORES, self._folder)
        return [(each, self._jobs(index)) for index, each in enumerate(found)]

    def _jobs(self, index):
        (self._home / f"calls-{index}").rename(self._home / "calls")
        return self._fakes.jobs

    def run(self, script, *arguments, edits=()):
        """Return what a script prints that runs with a copy of its own."""
        return self._run(self._copy(edits), script, *arguments)

    def _copy(self, edits=()):
        self._number += 1
        work = self._folder / str(self._number)
        work.mkdir()
        for name in ("montgomery", "boards", "explore"):
            shutil.copytree(self._folder / "original" / name, work / name)
        for file, old, new in edits:
            text = (work / file).read_text() if old else ""
            assert old in text, f"{old} is not in {file}"
            (work / file).write_text(text.replace(old, new, 1) if old else new)
        return work

    def _run(self, work, script, *arguments):
        environment = {**os.environ, **self._fakes.variables, "CXX": "",
                       "PYTHONPATH": os.pathsep.join(map(str, (
                           work, ROOT / "tests", ROOT / "tests/explore/helpers")))}
        result = subprocess.run([sys.executable, "-c", script, *arguments], cwd=work,
                                env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout


CORES = "cores.jsonl"
