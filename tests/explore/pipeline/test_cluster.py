"""Sweeps on Dask workers: real processes on this machine, with stand-ins for the tools."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import dask
import pytest
from fake_tools import FakeTools
from watching import gone, soon

from explore.errors import ClusterLost
from explore.pipeline.cluster.address import check_address

CLI = (sys.executable, "-c", "from explore.cli import cli; cli()")
CORE = ("-a", "mmm_mx_1d", "-n", "4", "-t", "ice40-hx8k")


@pytest.fixture
def registry():
    """The real one: workers know no toys."""


class Cluster:
    """A scheduler, its workers, and the commands that use them, in processes of their own."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "tools").mkdir()
        self.fakes = FakeTools(folder / "tools")
        self.environment = {**os.environ, **self.fakes.variables, "CXX": "",
                            "MONTGOMERY_STORE": str(folder / "store"),
                            "MPLCONFIGDIR": str(folder / "matplotlib")}
        self.processes = []
        self.port = 0
        self.scheduler = self.start_scheduler()

    def start_scheduler(self):
        log = self.folder / f"scheduler-{len(self.processes)}.log"
        process = self._start("scheduler", "--host", "127.0.0.1", "--port", self.port,
                              "--no-dashboard", log=log)
        found = soon(lambda: re.search(r"Scheduler at: +(tcp://127.0.0.1:(\d+))", log.read_text()),
                     60)
        self.address, self.port = found[1], int(found[2])
        return process

    def _start(self, kind, *arguments, log, **environment):
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *map(str, arguments)], cwd=self.folder,
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
                env={**self.environment, **environment})
        self.processes.append(process)
        return process

    def worker(self, threads=1, *options, **environment):
        """Start a worker, and return its process when it is there."""
        log = self.folder / f"worker-{len(self.processes)}.log"
        process = self._start("worker", self.address, "--nthreads", threads, "--no-dashboard",
                              "--no-nanny", "--local-directory", self.folder, *options, log=log,
                              **environment)
        assert soon(lambda: "Registered to" in log.read_text(), 60)
        return process

    def command(self, *arguments, verb=("sweep", *CORE), scheduler=True):
        """Start a sweep, or another command, and return its process."""
        process = subprocess.Popen(
            [*CLI, *verb, *arguments, "--json",
             *(("--scheduler", self.address) if scheduler else ())],
            cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # A shell has what it starts in the background ignore Ctrl-C.
            text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.processes.append(process)
        return process

    def placing(self, count=1):
        """Wait until placements run, and return the ids of their processes."""
        found = soon(lambda: len(pids := [pid for name, _, pid, _ in self.fakes.calls
                                          if name.startswith("nextpnr")]) >= count and pids, 60)
        assert found
        return found

    def close(self):
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.close()


def rows_of(process):
    """Return the rows of a sweep that ends well, without what differs from run to run."""
    output, process.errors = process.communicate(timeout=120)
    assert process.returncode == 0, process.errors
    rows = json.loads(output)["rows"]
    for row in rows:
        for name in ("host", "date", "seconds_synth", "seconds_place", "seal"):
            row.pop(name)
    return rows


def test_rows_are_those_of_this_machine(cluster):
    # Memory for one placement, and slots for two.
    cluster.fakes.behave(nextpnr_ice40="sleep 1")
    cluster.worker(2, "--resources", "MEMORY=4e8")
    sweep = cluster.command("--seeds", "3")
    rows = rows_of(sweep)
    assert [row["status"] for row in rows] == ["ok"] * 3
    lines = [line.split()[1:3] for line in sweep.errors.splitlines() if " seed " in line]
    assert lines == [["start", "place"], ["finish", "place"]] * 3
    cluster.environment["MONTGOMERY_STORE"] += "-local"
    assert rows_of(cluster.command("--seeds", "3", scheduler=False)) == rows


def test_all_operands_are_verified_on_workers(cluster):
    cluster.worker(2)
    verb, reports = ("verify", "-a", "mmm_mx_1d", "-n", "4", "--exhaustive"), []
    for scheduler in (True, False):
        output, errors = cluster.command(verb=verb, scheduler=scheduler).communicate(timeout=60)
        reports.append(json.loads(output))
        assert reports[-1].pop("cycles_per_second") > 0, errors
    assert reports[0] == reports[1]
    assert reports[0]["ok"]


def test_a_killed_worker_costs_its_work(cluster):
    first = cluster.worker(2)
    cluster.fakes.behave(nextpnr_ice40="sleep 30")
    sweep = cluster.command("--seeds", "2")
    tools = cluster.placing(2)
    cluster.fakes.behave()
    cluster.worker(2)
    first.kill()
    assert [row["status"] for row in rows_of(sweep)] == ["ok", "ok"]
    assert soon(lambda: gone(tools), 60)
    assert cluster.fakes.jobs.count("yosys -") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_ends_leaves_no_tool(cluster, number):
    cluster.worker(2)
    cluster.fakes.behave(nextpnr_ice40="sleep 60")
    sweep = cluster.command("--seeds", "2")
    tools = cluster.placing(2)
    begin = time.monotonic()
    sweep.send_signal(number)
    sweep.communicate(timeout=20)
    assert soon(lambda: gone(tools), 10)
    assert time.monotonic() - begin < (5 if number == signal.SIGINT else 10)
    cluster.fakes.behave()
    cluster.fakes.forget()
    assert len(rows_of(cluster.command("--seeds", "2"))) == 2
    assert cluster.fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 2"]


def test_a_lost_scheduler_ends_a_sweep_that_goes_on(cluster):
    cluster.worker(1)
    cluster.fakes.behave(nextpnr_ice40_2="sleep 30")
    sweep = cluster.command("--seeds", "2")
    cluster.placing(2)
    cluster.scheduler.kill()
    cluster.fakes.behave()
    cluster.start_scheduler()
    cluster.worker(1)
    assert [row["status"] for row in rows_of(sweep)] == ["ok", "ok"]
    assert cluster.fakes.jobs.count("nextpnr-ice40 1") == 1


def test_workers_that_cannot_compute_are_left_out(cluster, tmp_path):
    (tmp_path / "others").mkdir()
    other = FakeTools(tmp_path / "others")
    cluster.worker(2)
    cluster.worker(1, **other.variables)
    sweep = cluster.command("--seeds", "6")
    assert len(rows_of(sweep)) == 6
    assert re.search(r"note .* is left out: its yosys differs", sweep.errors)
    assert not other.calls


def test_a_stage_that_kills_its_workers_is_given_up(cluster):
    cluster.fakes.behave(nextpnr_ice40_2="kill")
    workers = [cluster.worker(1) for _ in range(3)]
    sweep = cluster.command("--seeds", "3")
    assert soon(lambda: all(worker.poll() is not None for worker in workers), 60)
    cluster.worker(1)
    _output, errors = sweep.communicate(timeout=60)
    assert sweep.returncode == 2
    assert re.search(r"\nmontgomery: place .* seed 2: its worker was lost 3 times; all else is "
                     r"stored, and the same command tries again\n$", errors)
    cluster.fakes.behave()
    cluster.fakes.forget()
    assert len(rows_of(cluster.command("--seeds", "3"))) == 3
    assert cluster.fakes.jobs == ["nextpnr-ice40 2"]


@pytest.mark.parametrize(("address", "settings", "told"), [
    ("tls://127.0.0.1:8786", {}, "needs a certificate"),
    ("tcp://127.0.0.1:8786", {"distributed.comm.require-encryption": True}, "with tls://"),
    ("tcp://127.0.0.1", {}, "correct the address")])
def test_addresses_that_cannot_be_right(address, settings, told):
    with dask.config.set(settings), pytest.raises(ClusterLost, match=told):
        check_address(address)


def test_nobody_answers(cluster):
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    sweep = cluster.command()
    _output, errors = sweep.communicate(timeout=60)
    assert sweep.returncode == 2
    assert re.fullmatch(r"montgomery: No scheduler answers at tcp://\S+ .*; start one with 'dask "
                        r"scheduler', or correct the address\n", errors)
