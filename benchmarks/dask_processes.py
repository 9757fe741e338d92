"""A Dask scheduler and workers, in processes of their own, for the benchmarks."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

__all__ = ["Cluster"]

_ROOT = Path(__file__).parents[1]
_START_S = 60


class Cluster:
    """A scheduler, and its workers; a context manager that ends them all.

    Parameters
    ----------
    folder : Path
        Folder for logs, and for what workers write.
    variables : dict from str to str
        Environment variables of all processes.
    """

    def __init__(self, folder: Path, variables: dict[str, str] | None = None) -> None:
        self._folder = folder
        # Workers find the benchmarks, and the packages of this checkout.
        self._variables = {**os.environ, "PYTHONPATH": os.pathsep.join(
            [str(Path(__file__).parent), str(_ROOT)]), **(variables or {})}
        self._processes: list[subprocess.Popen] = []
        self._port = 0
        self.scheduler = self.start_scheduler()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start_scheduler(self) -> subprocess.Popen:
        """Start the scheduler, at the address that it had before."""
        self.scheduler, log = self._start("scheduler", "--host", "127.0.0.1", "--port", self._port)
        found = _until(log, lambda text: re.search(r"Scheduler at: +(tcp://\S+:(\d+))", text))
        self.address, self._port = found[1], int(found[2])
        return self.scheduler

    def worker(self, threads: int = 1, *options: object, **variables: str) -> subprocess.Popen:
        """Start a worker, and return its process when the scheduler knows it."""
        process, log = self._start("worker", self.address, "--nthreads", threads, "--no-nanny",
                                   "--memory-limit", 0, *options, **variables)
        _until(log, lambda text: "Registered to" in text)
        return process

    def _start(self, kind: str, *options: object, **variables: str
               ) -> tuple[subprocess.Popen, Path]:
        log = self._folder / f"{kind}-{len(self._processes)}.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *map(str, options), "--no-dashboard"],
                cwd=self._folder, env={**self._variables, **variables}, stdout=file,
                stderr=subprocess.STDOUT, start_new_session=True)
        self._processes.append(process)
        return process, log


def _until(log, condition):
    deadline = time.monotonic() + _START_S
    while not (found := condition(log.read_text())):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{log.name} says: {log.read_text()[-500:]}")
        time.sleep(0.05)
    return found
