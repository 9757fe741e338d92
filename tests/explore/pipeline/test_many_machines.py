"""The commands of docs/many_machines.md run, with stand-ins for tools and other machines."""

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time

import pytest
import yaml
from distributed.cli.dask_scheduler import main as scheduler_options
from distributed.cli.dask_worker import main as worker_options
from fake_tools import FakeTools
from pages import ROOT, sections

pytestmark = pytest.mark.real_cores

LINES = (ROOT / "docs" / "many_machines.md").read_text().splitlines()
#: From each heading to the commands below it. A command may go on in the lines below.
RECIPES = {heading: [f"{each.text}\n{each.expected}".strip()
                     for each in commands] for heading, commands in sections(LINES).items()}
#: What a command that goes on prints when others can use it.
READY = {"dask scheduler": "Scheduler at:", "dask worker": "Registered to", "ssh": "listening",
         "python docs/clusters/jobqueue.py": "\ntls://"}

#: The program, but for its plots, which take as long as all else.
MONTGOMERY = """
import sys
from types import SimpleNamespace

sys.modules["explore.plots._drawing"] = SimpleNamespace(
    of_one_kind=lambda rows, names: (rows, []), plots_of=lambda rows: [],
    files_of=lambda names, folder: [], save=None,
    write=lambda plots, rows, folder: [])
from explore.cli import cli

# Workers of a LocalCluster import it as well.
if __name__ == "__main__":
    cli()
"""
#: A tunnel between one machine and itself.
SSH = """#!/bin/sh
echo listening
exec sleep 600
"""
#: Starts a job at once. The script that is submitted does not last.
SBATCH = """#!/bin/bash
cp "$1" job.$$
setsid bash job.$$ > job.$$.log 2>&1 < /dev/null &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/bash
echo "$1" >> cancelled
kill -TERM -- "-$1"
"""


class Reader:
    """Someone who does what the document says, on addresses of this machine."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("tools", "bin"):
            (folder / name).mkdir()
        (folder / "docs").symlink_to(ROOT / "docs")
        fakes = FakeTools(folder / "tools")
        self.program("montgomery", f"#!{sys.executable}\n{MONTGOMERY}")
        self.program("ssh", SSH)
        self.program("sbatch", SBATCH)
        self.program("scancel", SCANCEL)
        path = [str(folder / "bin"), os.path.dirname(sys.executable), os.environ["PATH"]]
        self.environment = {
            **os.environ, **fakes.variables, "CXX": "", "HOME": str(folder),
            "PATH": os.pathsep.join(path), "MONTGOMERY_STORE": str(folder / "store"),
            "PYTHONPATH": str(ROOT)}
        self.environment.pop("DASK_CONFIG", None)
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.places = {"10.0.0.1": "127.0.0.1", "10.0.0.2": "127.0.0.1", "8786": str(port),
                       "8787": "0", "-n 16": "-n 4 -t ice40-hx8k --seeds 1",
                       "--jobs 10": "--jobs 1", "--nthreads 16": "--nthreads 2",
                       "local:2": "local:1"}
        #: The address that a command prints, by the one in its place in the document.
        self.told = {}
        self.processes = []

    def program(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def follow(self, heading):
        """Run the commands below a heading; return what the last one printed."""
        printed = [self(command) for command in RECIPES[heading]]
        return printed[-1]

    def __call__(self, text):
        ready = next((sign for start, sign in READY.items()
                      if text.startswith(start) and "--show" not in text), None)
        for place, here in {**self.told, **self.places}.items():
            text = text.replace(place, here)
        if ready is not None:
            return self.leave_running(text.rstrip("& "), ready)
        done = self.start(text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = done.communicate(timeout=120)
        assert done.returncode == 0, f"{text}\n{errors}"
        return output + errors

    def start(self, text, **streams):
        return subprocess.Popen(["bash", "-c", text], cwd=self.folder, env=self.environment,
                                text=True, **streams)

    def leave_running(self, text, ready):
        log = self.folder / f"{len(self.processes)}.log"
        with log.open("w") as file:
            self.processes.append(self.start(f"exec {text}", stdout=file, stderr=file))
        deadline = time.monotonic() + 30
        while ready not in log.read_text():
            assert time.monotonic() < deadline, f"{text}\n{log.read_text()}"
            time.sleep(0.05)
        if address := re.search(r"^tls://\S+$", log.read_text(), re.MULTILINE):
            self.told["tls://10.0.0.1:8786"] = address[0]
        return log.read_text()

    def set_up_tls(self):
        for command in RECIPES["With TLS"]:
            if command.startswith(("mkdir", "openssl", "sed")):
                self(command)

    def close(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def reader(tmp_path):
    made = Reader(tmp_path)
    with contextlib.closing(made):
        yield made


@pytest.mark.thorough
def test_one_machine_and_a_private_network(reader):
    assert re.search(r"note +workers: 1 on", reader.follow("On one machine, to try it out"))
    (reader.folder / "store" / "reports" / "rows.jsonl").unlink()
    reader.follow("On machines of a private network")
    assert "ok" in (reader.folder / "store" / "reports" / "rows.jsonl").read_text()


@pytest.mark.thorough
def test_tls_lets_in_whom_it_should(reader):
    printed = reader.follow("With TLS")
    assert re.search(r"note +workers: 1 on", printed)
    key = reader.folder / ".config" / "dask" / "tls" / "key.pem"
    assert key.stat().st_mode & 0o077 == 0
    address = f"127.0.0.1:{reader.places['8786']}"
    stranger = reader.folder / "stranger"
    stranger.mkdir()
    reader.environment["HOME"] = str(stranger)
    reader.set_up_tls()
    refused = {}
    for scheme, home in (("tls", stranger), ("tcp", reader.folder / "nobody")):
        reader.environment["HOME"] = str(home)
        refused[scheme] = reader.start(
            f"montgomery sweep -a mmm_mx_1d -n 4 --scheduler {scheme}://{address}",
            stderr=subprocess.PIPE)
    for scheme, process in refused.items():
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 2
        assert re.fullmatch(rf"montgomery: .*{scheme}://{address}.*\n", errors)


@pytest.mark.thorough
def test_jobs_of_slurm(reader):
    reader.set_up_tls()
    printed = reader.follow("In the jobs of SLURM or LSF")
    assert re.search(r"note +workers: 1 on", printed)
    queue = reader.processes.pop()
    queue.send_signal(signal.SIGINT)
    assert queue.wait(30) == 0
    assert len((reader.folder / "cancelled").read_text().splitlines()) == 1


@pytest.mark.thorough
def test_script_of_a_job_of_lsf(reader):
    show = "python docs/clusters/jobqueue.py lsf --show"
    with pytest.raises(AssertionError, match="it needs TLS"):
        reader(show)
    reader.set_up_tls()
    reader("cp docs/clusters/jobqueue.yaml ~/.config/dask/")
    (reader.folder / "lsf.conf").write_text("LSF_UNIT_FOR_LIMITS=GB\n")
    reader.environment["LSF_ENVDIR"] = str(reader.folder)
    lines = reader(show).splitlines()
    assert {"#BSUB -n 16", '#BSUB -R "span[hosts=1]"', "#BSUB -M 64", "#BSUB -W 24:00"} < {*lines}
    command, = [line for line in lines if "dask_worker" in line]
    given = parsed(worker_options, shlex.split(command)[3:])
    assert given["scheduler"].startswith("tls://")
    assert (given["nthreads"], given["memory_limit"], given["nanny"]) == (16, "0", False)
    assert (given["lifetime"], given["lifetime_stagger"]) == ("23h", "30m")
    assert given["tls_key"] == str(reader.folder / ".config/dask/tls/key.pem")
    assert given["dashboard_address"].startswith("127.0.0.1:")


def parsed(command, arguments):
    """Return the options of a command of Dask, which refuses what it does not know."""
    return command.make_context("dask", list(arguments)).params


def test_kubernetes():
    cluster, policy = yaml.safe_load_all((ROOT / "docs/clusters/kubernetes.yaml").read_text())
    # The operator gives these labels to the pods of a cluster.
    name = {"dask.org/cluster-name": cluster["metadata"]["name"]}
    pods = {"podSelector": {"matchLabels": name}}
    assert (pods.items() <= policy["spec"].items(), policy["spec"]["ingress"]) == (
        True, [{"from": [pods]}])
    scheduler, worker = (cluster["spec"][kind]["spec"]["containers"][0]
                         for kind in ("scheduler", "worker"))
    service = cluster["spec"]["scheduler"]["service"]
    assert service["selector"] == {**name, "dask.org/component": "scheduler"}
    assert service["type"] == "ClusterIP"
    assert ({port["targetPort"]: port["port"] for port in service["ports"]}
            == {port["name"]: port["containerPort"] for port in scheduler["ports"]})
    assert scheduler["args"][:2] == ["dask", "scheduler"]
    assert parsed(scheduler_options, scheduler["args"][2:])["port"] == "8786"
    assert worker["args"][:2] == ["dask", "worker"]
    given = parsed(worker_options, worker["args"][2:])
    assert str(given["nthreads"]) == worker["resources"]["requests"]["cpu"]
    assert (given["memory_limit"], given["nanny"]) == ("0", False)
    assert scheduler["image"] == worker["image"]
    assert worker["image"] in (ROOT / "docs/clusters/Dockerfile").read_text()
