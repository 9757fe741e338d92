"""Child processes that a sweep can stop all at once."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Finished", "Processes"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finished:
    """How a process ended: ``returncode`` is negative for a signal, as in :mod:`subprocess`."""

    returncode: int
    timed_out: bool
    seconds: float


class Processes:
    """The processes of one sweep, each the leader of a group, so that all can be stopped."""

    def __init__(self) -> None:
        self._live: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def start(self, command: Sequence[str], **options) -> subprocess.Popen:
        """Start a process that :meth:`stop` will end.

        Raises
        ------
        InterruptedError
            After :meth:`stop`.
        """
        with self._lock:
            if self._stopped:
                raise InterruptedError
            process = subprocess.Popen(command, start_new_session=True, **options)
            self._live.add(process)
            return process

    def end(self, process: subprocess.Popen) -> None:
        """Kill a process with its children, if it runs, and forget it."""
        with self._lock:
            self._live.discard(process)
        _kill(process)

    def run(self, command: Sequence[str], *, folder: Path, log: Path,
            timeout_s: float | None = None) -> Finished:
        """Run a process in ``folder`` to its end or its time limit, its output going to ``log``.

        Raises
        ------
        InterruptedError
            If :meth:`stop` was called before it began.
        """
        begin = time.monotonic()
        with log.open("wb") as output:
            process = self.start(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT)
        timed_out = False
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            self.end(process)
        return Finished(returncode=process.returncode, timed_out=timed_out,
                        seconds=time.monotonic() - begin)

    def stop(self) -> None:
        """Kill all processes, and refuse to start more."""
        with self._lock:
            self._stopped = True
            live = list(self._live)
        for process in live:
            _kill(process)


def _kill(process: subprocess.Popen) -> None:
    # The group outlives its leader if the leader left children behind.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
