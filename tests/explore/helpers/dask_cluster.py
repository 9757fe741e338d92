"""A Dask scheduler and workers, in processes of their own, with stand-ins for the tools."""

import contextlib
import os
import re
import signal
import subprocess
import sys

from fake_tools import FakeTools
from watching import soon

__all__ = ["DaskCluster"]

#: The worker that tests share has slots for three placements, and memory for two.
_THREADS, _MEMORY = 3, "7e8"


class DaskCluster:
    """A scheduler and one worker, which tests share: a test may kill them, and start others.

    :meth:`renew` makes of what a test left what the next one finds.
    """

    def __init__(self, folder):
        self._folder = folder
        (folder / "tools").mkdir()
        self.fakes = FakeTools(folder / "tools")
        #: Of all processes, and of sweeps that use them.
        self.environment = {**os.environ, **self.fakes.variables, "CXX": ""}
        self._started = 0
        self._port = 0
        self._scheduler = None
        self._workers = []
        #: Workers of earlier schedulers, which end by themselves in time.
        self._former = []
        self.start_scheduler()

    def start_scheduler(self):
        """Start a scheduler, at the address that the one before it had."""
        self._former += self._workers
        self._workers = []
        self._scheduler, log = self._start("scheduler", "--host", "127.0.0.1", "--port", self._port)
        found = soon(lambda: re.search(r"Scheduler at: +(tcp://127.0.0.1:(\d+))", log.read_text()),
                     60)
        self.address, self._port = found[1], int(found[2])

    def start_workers(self, count=1, *, threads=_THREADS, **environment):
        """Start workers, and return their processes when they are there."""
        started = [self._start("worker", self.address, "--nthreads", threads, "--no-nanny",
                               "--memory-limit", 0, "--resources", f"MEMORY={_MEMORY}",
                               "--local-directory", self._folder, **environment)
                   for _ in range(count)]
        for process, log in started:
            self._workers.append(process)
            assert soon(lambda log=log: "Registered to" in log.read_text(), 60), log.read_text()
        return [process for process, _ in started]

    def _start(self, kind, *arguments, **environment):
        self._started += 1
        log = self._folder / f"{kind}-{self._started}.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *map(str, arguments), "--no-dashboard"],
                cwd=self._folder, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
                env={**self.environment, **environment})
        return process, log

    @property
    def worker(self):
        """The process of the worker that tests share."""
        return self._workers[0]

    def kill_scheduler(self):
        _kill(self._scheduler)

    def placing(self, count):
        """Wait until placements run, and return the ids of their processes."""
        found = soon(lambda: len(pids := [pid for name, _, pid, _ in self.fakes.calls
                                          if name.startswith("nextpnr")]) >= count and pids, 600)
        assert found, f"fewer than {count} placements run"
        return found

    def renew(self):
        """Have one scheduler and one worker, and tools that work."""
        self.fakes.behave()
        self.fakes.forget()
        if self._scheduler.poll() is not None:
            self.start_scheduler()
        alive = [worker for worker in self._workers if worker.poll() is None]
        self._workers, others = alive[:1], alive[1:]
        for worker in (*others, *self._former):
            _kill(worker)
        self._former = []
        if not self._workers:
            self.start_workers()

    def close(self):
        for process in (*self._workers, *self._former, self._scheduler):
            _kill(process)


def _kill(process):
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    process.wait()
