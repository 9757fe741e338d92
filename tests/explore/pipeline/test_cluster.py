"""Sweeps on Dask workers: real processes on this machine, with stand-ins for the tools."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from dask_cluster import DaskCluster
from watching import gone, soon

from explore.pipeline import scheduler
from explore.pipeline.cluster import group
from explore.pipeline.run import Sweep, run
from explore.points.expand import expand
from explore.store import Store

pytestmark = [pytest.mark.thorough, pytest.mark.real_cores]

CLI = (sys.executable, "-c", "from explore.cli import cli; cli()")
CORE = ("-a", "mmm_mx_1d", "-n", "4", "-t", "ice40-hx8k")


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory):
    with contextlib.closing(DaskCluster(tmp_path_factory.mktemp("cluster"))) as made:
        yield made


@pytest.fixture
def cluster(shared_cluster, monkeypatch):
    shared_cluster.renew()
    for name, value in {**shared_cluster.fakes.variables, "CXX": ""}.items():
        monkeypatch.setenv(name, value)
    # Sweeps soon see workers that come and go.
    monkeypatch.setattr(group, "_LOOK_S", 0.1)
    monkeypatch.setattr(scheduler, "_LOOK_S", 0.1)
    return shared_cluster


class Sweeping:
    """A sweep of one core in another thread."""

    def __init__(self, threads, path, seeds, scheduler):
        self.events = []
        self._rows = threads.submit(self._run, path, seeds, scheduler)

    def _run(self, path, seeds, scheduler):
        points = dict.fromkeys(expand(["mmm_mx_1d"], [4], {}, ["ice40-hx8k"]), seeds)
        with Store(path) as store:
            return run(Sweep(points=points), store=store, jobs=3, scheduler=scheduler,
                             on_event=self.events.append)

    def told(self, kind, label=""):
        """Return the events of a kind with a text in their label."""
        return [event for event in self.events if event.kind == kind and label in event.label]

    def rows(self):
        """Return the rows, without what differs from run to run."""
        rows = self._rows.result(900)
        for row in rows:
            for name in ("host", "date", "seconds_synth", "seconds_place", "seal"):
                row.pop(name)
        return rows


@pytest.fixture
def sweep(cluster, tmp_path):
    """Return a function that sweeps on the cluster."""
    with ThreadPoolExecutor() as threads:
        yield lambda seeds, *, store="store", scheduler=cluster.address: Sweeping(
            threads, tmp_path / store, seeds, scheduler)


def test_rows_are_those_of_this_machine(cluster, sweep):
    # The worker has memory for two placements, and slots for three.
    cluster.fakes.behave(nextpnr_ice40="sleep 3")
    remote = sweep(3)
    rows = remote.rows()
    assert [row["status"] for row in rows] == ["ok"] * 3
    # By the tools themselves: a start may be told before the finish that made room for it.
    assert cluster.fakes.most_asleep == 2
    told = [event.kind for event in remote.events if event.stage == "place"]
    assert (told.count("start"), told.count("finish")) == (3, 3)
    assert sweep(3, store="local", scheduler=None).rows() == rows


def test_all_operands_are_verified_on_workers(cluster, run):
    reports = []
    for where in (["--scheduler", cluster.address], ["-j", "1"]):
        ended = run("verify", "-a", "mmm_op_2d", "-n", "4", "--method", "exhaustive",
                    "--json", *where)
        reports.append(json.loads(ended.stdout))
        assert reports[-1].pop("cycles_per_second") > 0, ended.stderr
    assert reports[0] == reports[1]
    assert reports[0]["ok"]


def test_a_killed_worker_costs_its_work(cluster, sweep):
    cluster.fakes.behave(nextpnr_ice40="sleep 30")
    first, sweeping = cluster.worker, sweep(2)
    tools = cluster.placing(2)
    cluster.fakes.behave()
    first.kill()
    cluster.start_workers()
    assert [row["status"] for row in sweeping.rows()] == ["ok", "ok"]
    assert soon(lambda: gone(tools), 60)
    assert cluster.fakes.jobs.count("yosys -") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_ends_leaves_no_tool(cluster, sweep, tmp_path, number):
    cluster.fakes.behave(nextpnr_ice40="sleep 60")
    process = subprocess.Popen(
        [*CLI, "sweep", *CORE, "--seeds", "2", "--store", tmp_path / "store", "--scheduler",
         cluster.address], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ)
    tools = cluster.placing(2)
    begin = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=20)
    assert soon(lambda: gone(tools), 10)
    assert time.monotonic() - begin < (5 if number == signal.SIGINT else 10)
    cluster.fakes.behave()
    cluster.fakes.forget()
    assert len(sweep(2).rows()) == 2
    assert cluster.fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 2"]


def test_a_lost_scheduler_ends_a_sweep_that_goes_on(cluster, sweep):
    cluster.fakes.behave(nextpnr_ice40_2="sleep 30")
    sweeping = sweep(2)
    cluster.placing(2)
    assert soon(lambda: sweeping.told("finish", "seed 1"), 60)
    cluster.kill_scheduler()
    cluster.fakes.behave()
    cluster.start_scheduler()
    cluster.start_workers()
    assert [row["status"] for row in sweeping.rows()] == ["ok", "ok"]
    assert cluster.fakes.jobs.count("nextpnr-ice40 1") == 1


def test_a_worker_whose_tools_change_leaves(cluster, sweep, tmp_path):
    copies = {name: shutil.copy(path, tmp_path) for name, path in cluster.fakes.variables.items()}
    # One placement after the other ends, so that many wait on the worker when it leaves.
    cluster.fakes.behave(**{f"nextpnr_ice40_{seed}": f"sleep {1 + seed / 4}"
                            for seed in range(1, 5)})
    cluster.start_workers(threads=5, **copies)
    sweeping = sweep(12)
    cluster.placing(4)
    for path in copies.values():
        with open(path, "a") as file:
            file.write("\n# another\n")
    assert [row["status"] for row in sweeping.rows()] == ["ok"] * 12
    assert sweeping.told("note", "is left out: Stage place must run with the tools")


def test_nobody_answers(run, fakes):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = run("sweep", *CORE, "--scheduler", f"tcp://127.0.0.1:{port}")
    assert ended.exit_code == 2
    assert re.fullmatch(r"montgomery: No scheduler lets this process in at tcp://\S+ .*; start one "
                        r"with 'dask scheduler' .*\n", ended.stderr)
