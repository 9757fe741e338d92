"""Child processes that a sweep can stop all at once."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .launch import descendants

__all__ = ["Finished", "Processes"]

#: What a process has to end in when it is asked to, before it is killed.
_GRACE_S = 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finished:
    """The end of a process; ``returncode`` is negative for a signal, as in :mod:`subprocess`."""

    returncode: int
    timed_out: bool


class Processes:
    """The processes of one sweep; each leads a process group, so that all can be stopped."""

    def __init__(self) -> None:
        self._live: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether :meth:`stop` was called."""
        return self._stopped

    def start(self, command: Sequence[str], **options) -> subprocess.Popen:
        """Start a process that :meth:`stop` will end; InterruptedError says that it has."""
        with self._lock:
            if self._stopped:
                raise InterruptedError
            process = subprocess.Popen(command, start_new_session=True, **options)
            self._live.add(process)
            return process

    def end(self, process: subprocess.Popen) -> None:
        """End a process with its children, if it runs, and forget it."""
        with self._lock:
            self._live.discard(process)
        _end([process])

    def run(self, command: Sequence[str], *, folder: Path, log: Path,
            timeout_s: float | None = None,
            environment: Mapping[str, str] | None = None) -> Finished:
        """Run a process in ``folder`` to its end or its time limit; its output goes to ``log``.

        The variables of ``environment`` are set in addition to those of this process.
        :exc:`InterruptedError` says that :meth:`stop` was called before it ended.
        """
        variables = {**os.environ, **(environment or {})}
        with log.open("wb") as output:
            process = self.start(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, env=variables)
        try:
            timed_out = not _wait(process, timeout_s)
        finally:
            self.end(process)
        if self._stopped:
            raise InterruptedError
        return Finished(returncode=process.returncode, timed_out=timed_out)

    def stop(self) -> None:
        """End all processes, and refuse to start more."""
        with self._lock:
            self._stopped = True
            live = list(self._live)
        _end(live)


def _wait(process: subprocess.Popen, timeout_s: float | None) -> bool:
    """Wait for the end of a process; return whether it came within the time limit."""
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(processes: Sequence[subprocess.Popen]) -> None:
    """Ask processes to end, and kill those that do not, with all that they started."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        # The supervisor of a tool ends what the tool started, wherever that is.
        for number in (signal.SIGTERM, signal.SIGCONT):
            process.send_signal(number)
    deadline = time.monotonic() + _GRACE_S
    for process in running:
        if not _wait(process, max(deadline - time.monotonic(), 0)):
            for descendant in descendants(process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(descendant, signal.SIGKILL)
    for process in processes:
        # The group outlives its leader if the leader left children behind.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
