"""Interrupts a sweep at random moments, and checks that nothing is lost and nothing goes on.

    python benchmarks/interruptions.py [--kills N] [--ctrl-c N] [--seed N] [-j N]

A small sweep with the real tools (2 architectures, 2 widths, 2 families, 1 seed) is ended N times
by kill -9, and N times by Ctrl-C, at moments chosen at random; each time the same command then goes
on with the same store, until it comes to its end and another one begins with an empty store. After
each interruption

* no process of the sweep is left;
* Ctrl-C has led to exit status 130, one line that says so, and nothing left in the folder for
  temporary files.

What a sweep has told to be finished is in its store; no outcome in a store is lost, or computed
again by a later sweep. Each sweep that comes to its end has the rows of one that nobody disturbed,
but for columns that tell when, where and how fast, and a store in which nothing is damaged. The
exit status is 1 if anything of this is not so. It takes less than ten minutes on two idle
processors, needs a C++ compiler, and Linux, whose /proc tells which processes are left.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import random
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from explore.data.columns import known_columns

_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")
_SWEEP = ("sweep", "-a", "mmm_mx_1d", "-a", "single_dsp", "-n", "8,16", "-t",
          "ice40-hx8k,ecp5-25k", "--seeds", "1", "--json")
#: The variable by which all processes of a sweep are known, each sweep by a value of its own.
MARK = "MONTGOMERY_INTERRUPTIONS"
#: What an interrupted sweep may take to end, and its last processes after it.
_END_S, _GONE_S = 30, 5
#: How each line of progress begins, and one of a stage that has ended.
_LINE, _FINISHED = re.compile(r"[\d:]{8} "), re.compile(r"[\d:]{8} finish ")


@dataclasses.dataclass
class _Ended:
    """How a sweep ended: of its own accord if it was not ``interrupted``."""

    interrupted: bool
    status: int
    stdout: str
    stderr: list[str]


class _Trial:
    """Sweeps on one store after the other, in a folder, interrupted by one signal."""

    def __init__(self, number: signal.Signals, folder: Path, jobs: int) -> None:
        self._number, self._jobs = number, jobs
        self._folder = folder / number.name
        self._temporary = self._folder / "tmp"
        self._temporary.mkdir(parents=True)
        self._stores = 0
        self._renew()
        self.interruptions = self.sweeps = 0
        self.problems: list[str] = []

    def _renew(self) -> None:
        """Go on with an empty store."""
        self._stores += 1
        self._store = self._folder / f"store{self._stores}"
        self._stored: dict[str, str] = {}

    def sweep(self, moment_s: float | None) -> _Ended:
        """Run the sweep, and interrupt it at a moment, unless it ends before."""
        mark = secrets.token_hex(8)
        out, log = (self._folder / name for name in ("stdout", "stderr"))
        variables = {**os.environ, "TMPDIR": str(self._temporary), MARK: mark}
        with out.open("wb") as stdout, log.open("wb") as stderr:
            process = subprocess.Popen(
                [*_PROGRAM, *_SWEEP, "--store", str(self._store), "-j", str(self._jobs)],
                stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=variables,
                start_new_session=True)
        if moment_s is not None and self._number == signal.SIGINT:
            # Python itself ends with a traceback while it still imports the program.
            while process.poll() is None and not log.stat().st_size:
                time.sleep(0.01)
        interrupted = False
        try:
            process.wait(moment_s)
        except subprocess.TimeoutExpired:
            interrupted = True
            process.send_signal(self._number)
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._complain(f"it still ran {_END_S} s after {self._number.name}")
                process.kill()
                process.wait()
        ended = _Ended(interrupted, process.returncode, out.read_text(),
                       log.read_text().splitlines())
        self._examine(ended, mark)
        return ended

    def _complain(self, text: str) -> None:
        self.problems.append(f"{self._number.name}, sweep {self.sweeps + self.interruptions + 1}: "
                             f"{text}")
        print(self.problems[-1], flush=True)

    def _examine(self, ended: _Ended, mark: str) -> None:
        end = time.monotonic() + _GONE_S
        while (left := list(marked(mark))) and time.monotonic() < end:
            time.sleep(0.05)
        if left:
            self._complain(f"processes were left: {[command[:80] for _, command in left]}")
        stored = _outcomes(self._store)
        gone, other = self._stored.keys() - stored.keys(), [
            key for key, outcome in self._stored.items() if stored.get(key, outcome) != outcome]
        if gone or other:
            self._complain(f"{len(gone)} outcomes are lost, {len(other)} were computed again")
        told = sum(map(bool, map(_FINISHED.match, ended.stderr)))
        new = len(stored.keys() - self._stored.keys())
        if told > new:
            self._complain(f"{told} stages were told to be finished, {new} are in the store")
        self._stored = stored
        said = [line for line in ended.stderr if not _LINE.match(line)]
        if ended.interrupted and self._number == signal.SIGINT:
            if ended.status != 130:
                self._complain(f"exit status {ended.status}")
            # The table may have been printed before.
            lines = [line for line in said if line.startswith("montgomery: ")]
            if lines != said[-1:]:
                self._complain(f"it says {said}")
            if rest := sorted(path.name for path in self._temporary.iterdir()):
                self._complain(f"temporary files were left: {rest}")
        elif ended.interrupted and ended.status != -signal.SIGKILL:
            self._complain(f"exit status {ended.status}")

    def go_on(self, moment_s: float | None, expected: list[dict]) -> None:
        """Run or resume the sweep; compare it with what is expected if it comes to its end."""
        ended = self.sweep(moment_s)
        if ended.interrupted:
            self.interruptions += 1
            return
        if ended.status != 0:
            self._complain(f"exit status {ended.status}: {ended.stderr[-1:]}")
        elif different := _differences(_rows_of(ended.stdout), expected):
            self._complain(f"other rows: {different}")
        else:
            checked = subprocess.run([*_PROGRAM, "store", "check", "--store", str(self._store)],
                                     capture_output=True, text=True)
            if checked.returncode:
                self._complain(f"the store is damaged: {checked.stdout} {checked.stderr}")
        self.sweeps += 1
        self._renew()


def _rows_of(stdout: str) -> list[dict]:
    """Return the rows that a sweep printed at its end, without when, where and how fast."""
    known = known_columns()
    return [{name: value for name, value in row.items()
             if name not in known or not known[name].incidental}
            for row in json.loads(stdout)["rows"]]


def _outcomes(store: Path) -> dict[str, str]:
    """Return the outcomes in a store that a sweep uses again, by their keys."""
    file = store / "store.sqlite"
    if not file.exists():
        return {}
    with contextlib.closing(sqlite3.connect(file)) as database:
        try:
            found = dict(database.execute("SELECT key, outcome FROM outcomes"))
        except sqlite3.OperationalError:
            # It was interrupted before it made the table.
            return {}
    return {key: text for key, text in found.items()
            if (failure := json.loads(text)["failure"]) is None or failure["retry"] == "never"}


def _differences(rows: list[dict], expected: list[dict]) -> list[str]:
    """Return what is different in which row."""
    if len(rows) != len(expected):
        return [f"{len(rows)} instead of {len(expected)}"]
    return [f"{name} of row {number}: {row.get(name)!r} instead of {wanted.get(name)!r}"
            for number, (row, wanted) in enumerate(zip(rows, expected, strict=True), 1)
            for name in sorted({*row, *wanted}) if row.get(name) != wanted.get(name)]


def marked(mark: str) -> Iterator[tuple[Path, str]]:
    """Yield each process in whose environment :data:`MARK` has a value: its folder and command."""
    for folder in Path("/proc").glob("[0-9]*"):
        # Otherwise it has ended meanwhile, or is of somebody else.
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().split(b"\0")
                yield folder, b" ".join(command).decode(errors="replace")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="interruptions by kill -9")
    parser.add_argument("--ctrl-c", type=int, default=20, help="interruptions by Ctrl-C")
    parser.add_argument("--seed", type=int, default=None, help="of the moments; random if none")
    parser.add_argument("-j", type=int, default=2, help="tools at one time")
    asked = parser.parse_args()
    seed = secrets.randbelow(1 << 32) if asked.seed is None else asked.seed
    moments = random.Random(seed)
    # A shell has what it starts in the background ignore Ctrl-C, and so would the sweeps.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"seed {seed}", flush=True)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        undisturbed = _Trial(signal.SIGTERM, folder, asked.j)
        begin = time.monotonic()
        ended = undisturbed.sweep(None)
        seconds = time.monotonic() - begin
        if ended.status != 0:
            print(f"undisturbed: exit status {ended.status}: {ended.stderr[-1:]}")
            return 1
        expected = _rows_of(ended.stdout)
        print(f"undisturbed: {len(expected)} rows in {seconds:.1f} s", flush=True)
        problems += undisturbed.problems
        for number, count in ((signal.SIGKILL, asked.kills), (signal.SIGINT, asked.ctrl_c)):
            trial = _Trial(number, folder, asked.j)
            while trial.interruptions < count:
                trial.go_on(moments.uniform(0, seconds / 3), expected)
            if count:
                # The last one comes to its end undisturbed.
                trial.go_on(None, expected)
            problems += trial.problems
            print(f"{number.name}: {trial.interruptions} interruptions, {trial.sweeps} sweeps came "
                  f"to their end; {len(trial.problems)} problems", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
