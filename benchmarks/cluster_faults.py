"""Faults of a cluster during a sweep: nothing is lost, nothing wrong is stored, no tool goes on.

    python benchmarks/cluster_faults.py [--fault NAME]... [--seed N] [--output FILE]

A small sweep with the real tools runs on two workers of one thread each. Something happens at a
moment chosen at random:

worker      one worker gets SIGKILL, and another one comes;
scheduler   the scheduler gets SIGKILL; another one comes at its address, with new workers;
client      the sweep gets SIGKILL, and the same command goes on;
ctrl-c      the sweep gets SIGINT, and its tools must end within 5 s; the same command goes on;
stopped     one worker is stopped (SIGSTOP) for a minute;
yosys       a third worker has another yosys, and must be left out;
disk        a third worker has a disk of 1 MB, which is soon full (needs root).

Each time the rows must be those of an undisturbed sweep on this machine, but for columns that tell
when, where and how fast; the store must be whole; and no process that the sweep or the workers
started may be left 10 s after the sweep. Prints a line per fault, and appends it to FILE as JSON.
Exit status 1 if anything of this is not so. It takes about ten minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dask_processes import Cluster
from interruptions import MARK, PROGRAM, differences, marked, rows_of

from explore.tools.find import packaged

_SWEEP = ("sweep", "-a", "mmm_mx_1d", "-a", "single_dsp", "-n", "8,16", "-t",
          "ice40-hx8k,ecp5-25k", "--seeds", "2", "--json")
_STOPPED_S, _CTRL_C_S, _GONE_S, _END_S = 60, 5, 10, 600
_DISK_BYTES = 1 << 20


class _Trial:
    """One sweep on a cluster of its own."""

    def __init__(self, folder: Path, moment_s: float) -> None:
        self.folder, self._moment_s = folder, moment_s
        self.mark = folder.name
        self.cluster = Cluster(folder, {MARK: self.mark})
        self.workers = [self.cluster.worker() for _ in range(2)]
        self._files = 0

    def start(self) -> subprocess.Popen:
        """Start the sweep, or go on with it."""
        self._files += 1
        with (self.folder / f"out{self._files}").open("w") as out, \
                (self.folder / f"err{self._files}").open("w") as errors:
            return subprocess.Popen(
                [*PROGRAM, *_SWEEP, "--store", str(self.folder / "store"), "--scheduler",
                 self.cluster.address], stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                env={**os.environ, MARK: self.mark})

    def wait(self) -> None:
        """Wait for the moment."""
        # Until the sweep says something, it still imports the program.
        while not (self.folder / f"err{self._files}").stat().st_size:
            time.sleep(0.05)
        time.sleep(self._moment_s)

    @property
    def said(self) -> str:
        return (self.folder / f"err{self._files}").read_text()

    @property
    def rows(self) -> list[dict]:
        return rows_of((self.folder / f"out{self._files}").read_text())

    def tools(self) -> list[str]:
        """Return what runs for the sweep, but for itself, the scheduler and the workers."""
        return [line for line in marked(self.mark) if "dask" not in line and "resource_tracker"
                not in line]


def _worker(trial: _Trial) -> subprocess.Popen:
    sweep = trial.start()
    trial.wait()
    trial.workers[0].kill()
    trial.cluster.worker()
    return sweep


def _scheduler(trial: _Trial) -> subprocess.Popen:
    sweep = trial.start()
    trial.wait()
    trial.cluster.scheduler.kill()
    trial.cluster.scheduler.wait()
    trial.cluster.start_scheduler()
    # Those there were have ended, or come back.
    trial.cluster.worker()
    return sweep


def _client(trial: _Trial) -> subprocess.Popen:
    sweep = trial.start()
    trial.wait()
    sweep.kill()
    sweep.wait()
    return trial.start()


def _ctrl_c(trial: _Trial) -> subprocess.Popen:
    sweep = trial.start()
    trial.wait()
    before = set(trial.tools())
    sweep.send_signal(signal.SIGINT)
    begin = time.monotonic()
    while before & set(trial.tools()):
        if time.monotonic() - begin > _CTRL_C_S:
            raise AssertionError(f"tools run {_CTRL_C_S} s after Ctrl-C: {trial.tools()}")
        time.sleep(0.05)
    if sweep.wait(_END_S) not in (0, 130):
        raise AssertionError(f"exit status {sweep.returncode} after Ctrl-C")
    return trial.start()


def _stopped(trial: _Trial) -> subprocess.Popen:
    sweep = trial.start()
    trial.wait()
    trial.workers[0].send_signal(signal.SIGSTOP)
    time.sleep(_STOPPED_S)
    trial.workers[0].send_signal(signal.SIGCONT)
    return sweep


def _yosys(trial: _Trial) -> subprocess.Popen:
    other = trial.folder / "yosys"
    other.write_text(f"#!/bin/sh\nexec {' '.join(packaged('yosys').command)} \"$@\"\n")
    other.chmod(0o755)
    trial.cluster.worker(YOSYS=str(other))
    sweep = trial.start()
    sweep.wait(_END_S)
    if "is left out: its yosys differs" not in trial.said:
        raise AssertionError(f"the worker with another yosys is not left out: {trial.said}")
    return sweep


def _disk(trial: _Trial) -> subprocess.Popen:
    small = trial.folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "none", str(small)],
                   check=True)
    try:
        trial.cluster.worker(1, "--local-directory", small, TMPDIR=str(small))
        sweep = trial.start()
        sweep.wait(_END_S)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
    if "Disk is full" not in trial.said:
        raise AssertionError(f"nothing is said of the full disk: {trial.said}")
    return sweep


_FAULTS: dict[str, Callable[[_Trial], subprocess.Popen]] = {
    "worker": _worker, "scheduler": _scheduler, "client": _client, "ctrl-c": _ctrl_c,
    "stopped": _stopped, "yosys": _yosys, "disk": _disk}


def _problems(trial: _Trial, fault: Callable[[_Trial], subprocess.Popen],
              expected: list[dict]) -> list[str]:
    """Let a fault happen, and return what is wrong afterwards."""
    try:
        sweep = fault(trial)
    except AssertionError as error:
        return [str(error)]
    if sweep.wait(_END_S) != 0:
        return [f"exit status {sweep.returncode}: {trial.said[-300:]}"]
    problems = [f"other rows: {each}" for each in differences(trial.rows, expected)]
    checked = subprocess.run([*PROGRAM, "store", "check", "--store", str(trial.folder / "store")],
                             capture_output=True, text=True)
    if checked.returncode:
        problems.append(f"the store is damaged: {checked.stdout}{checked.stderr}")
    deadline = time.monotonic() + _GONE_S
    while (left := [line for line in trial.tools() if "yosys" in line or "nextpnr" in line]
           ) and time.monotonic() < deadline:
        time.sleep(0.1)
    return problems + [f"processes are left: {left}"] * bool(left)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fault", action="append", choices=_FAULTS)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    moments, failed = random.Random(given.seed), False
    # A shell has what it starts in the background ignore Ctrl-C, and so would the sweeps.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as name:
        begin = time.monotonic()
        ended = subprocess.run([*PROGRAM, *_SWEEP, "--store", f"{name}/undisturbed"], check=True,
                               capture_output=True, text=True)
        undisturbed_s = time.monotonic() - begin
        expected = rows_of(ended.stdout)
        print(f"undisturbed: {len(expected)} rows in {undisturbed_s:.1f} s", flush=True)
        for fault in given.fault or _FAULTS:
            folder = Path(name) / f"{fault}-{os.getpid()}"
            folder.mkdir()
            moment_s = moments.uniform(0, undisturbed_s / 2)
            trial = _Trial(folder, moment_s)
            begin = time.monotonic()
            with contextlib.closing(contextlib.ExitStack()) as stack:
                stack.enter_context(trial.cluster)
                problems = _problems(trial, _FAULTS[fault], expected)
            line = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                    "fault": fault, "after_s": round(moment_s, 1),
                    "seconds": round(time.monotonic() - begin, 1), "problems": problems}
            failed |= bool(problems)
            print(f"{fault}: {'; '.join(problems) or 'nothing lost, nothing wrong, nothing left'} "
                  f"({line['seconds']} s, fault after {moment_s:.1f} s)", flush=True)
            if given.output:
                with given.output.open("a") as file:
                    print(json.dumps(line), file=file)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
