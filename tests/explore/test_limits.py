"""Limits of processor time and memory: of commands, of tables of very many rows, of sweeps.

Times are those of the processor, so that other work on the machine hardly counts.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explore.data.rows import read, save, sealed
from explore.pipeline.run import run
from explore.points.expand import expand
from explore.store import Store
from explore.tools.toolbox import Toolbox

pytestmark = [pytest.mark.thorough, pytest.mark.real_cores]

RESULTS = Path(__file__).parents[2] / "results"
#: Rows of the tables, each of which differs from all others in the width or in the seed.
COUNT = 20_000


def measured(folder, *arguments):
    """Return the seconds of a processor that a command takes, and its peak memory in MiB."""
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen([sys.executable, "-c", "from explore.cli import cli; cli()",
                                    *arguments], cwd=folder, stdout=stdout, stderr=stderr,
                                   env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (folder / "stderr").read_text()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


@pytest.mark.parametrize(("arguments", "most_s"), [
    (["--help"], 0.5), (["list"], 1), (["recommend", "--bits", "256"], 2),
    (["sweep", str(RESULTS), "--dry-run"], 40)],
    ids=lambda value: value[0] if isinstance(value, list) else "")
def test_commands_are_quick(tmp_path, arguments, most_s):
    # The first time it may write what is compiled.
    assert any(measured(tmp_path, *arguments)[0] <= most_s for _ in range(2))


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    """A file of rows made of measured ones."""
    known = [row for row in read(RESULTS / "rows.jsonl") if row["status"] == "ok"]
    path = tmp_path_factory.mktemp("many") / "rows.jsonl"
    save([sealed({**row, "width": row["width"] + 8 * (turn // 3), "key": f"{turn:020x}{at:020x}",
                  "seed": row["seed"] + 3 * (turn % 3)})
          for turn in range(COUNT // len(known) + 1) for at, row in enumerate(known)], path)
    return path


@pytest.mark.parametrize(("arguments", "most_s"), [
    (["table"], 8), (["recommend", "--bits", "256", "--limit", "lut=3000"], 8),
    (["plot", "--output", "figures"], 60),
    (["report", "-a", "mmm_mx_1d", "-t", "ecp5-85k", "--output", "report"], 40)],
    ids=lambda value: value[0] if isinstance(value, list) else "")
def test_many_rows_are_shown(tmp_path, many_rows, arguments, most_s):
    command, *more = arguments
    seconds, memory_mib = measured(tmp_path, command, "--from", str(many_rows), *more)
    assert seconds <= most_s
    assert memory_mib <= 1000


def test_a_sweep_leaves_the_processor_to_its_tools(tmp_path):
    Toolbox().ask("yosys")
    points = dict.fromkeys(expand(["mmm_mx_1d"], [32, 48, 64, 96], {}, ["ice40-hx8k"]), 1)
    with Store(tmp_path / "store") as store:
        before = time.process_time()
        rows = run(points, store=store, jobs=1)
        own_s = time.process_time() - before
    assert own_s <= 0.05 * sum(row["seconds_synth"] + row["seconds_place"] for row in rows)
