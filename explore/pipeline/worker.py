"""Processes that call functions of this project for a sweep, one call after the other.

Importing Amaranth takes longer than elaborating a small core, so a worker stays for many calls. It
gets calls and sends answers by a connection of :mod:`multiprocessing`. What it prints goes to a
log, whose last lines are part of a failure. It ends when its connection does, so also when the
process that started it is killed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import queue
import subprocess
import sys
import sysconfig
import tempfile
import threading
import traceback
from collections.abc import Mapping
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import IO, Any

from ..errors import DiskFull, ToolMissing, going_on
from ..fingerprint import PROJECT, SourcesChanged
from ..outcome import Failure, Retry, StageFailed, Status
from ..tools.processes import Finished, Processes
from ..tools.run import diagnose, tail
from .reads import watch

__all__ = ["Workers", "serve"]

#: What a worker runs. In Python's isolated mode it imports no module unasked (``sitecustomize``);
#: these very packages come before whatever else has their common names on the path of modules.
_START = """
import os, sys
connection, path, root = sys.argv[1:]
sys.path[:0] = [root, *path.split(os.pathsep)]
import boards, explore
del sys.path[0]
from explore.pipeline.worker import serve
serve(int(connection))
"""
_ROOT = str(Path(__file__).parents[2])
#: Seconds that a worker without an answer gets to end and to write its last output.
_LAST_WORDS_S = 2
_LOG_BYTES = 1 << 20
#: The longest that the kernel is asked to wait, which counts in milliseconds: 23 days.
_LONGEST_S = 2_000_000.0
#: The name of a call in messages, its function as ``module:function``, and the keyword arguments.
_Call = tuple[str, str, dict[str, Any]]
#: What a function returned, or the exception that it raised and its argument.
_Answer = tuple[type[Exception] | None, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class _Worker:
    process: subprocess.Popen
    connection: Connection
    log: IO[bytes]

    def answer(self, call: _Call, timeout_s: float | None) -> _Answer | None:
        """Send a call and return the answer; None if it does not come in time.

        EOFError and OSError say that the worker has ended.
        """
        # The worker, which has nothing to say now, writes at the same position.
        self.log.seek(0)
        self.log.truncate()
        self.connection.send(call)
        limit = _LONGEST_S if timeout_s is None else min(timeout_s, _LONGEST_S)
        return self.connection.recv() if self.connection.poll(limit) else None

    def close(self) -> None:
        self.connection.close()
        self.log.close()


class Workers:
    """A pool of at most as many workers as there are simultaneous calls."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def call(self, target: str, arguments: Mapping[str, Any], *, timeout_s: float | None,
             name: str = "") -> Any:
        """Call a function, as ``module:function``, in a worker, and return its result.

        Messages call it by ``name``. :exc:`StageFailed`, :exc:`DiskFull`, :exc:`ToolMissing` and
        :exc:`SourcesChanged` are raised if the function raises them. For other exceptions,
        StageFailed stands with ``tool_error``, or with ``oom`` for MemoryError or if the worker was
        killed; and with ``timeout`` if the function took longer than ``timeout_s``.
        :exc:`InterruptedError` says that the processes were stopped.
        """
        name = name or target.rpartition(":")[2]
        worker, timed_out = self._take() or self._start(), True
        try:
            answer = worker.answer((name, target, dict(arguments)), timeout_s)
        except (EOFError, OSError):
            answer, timed_out = None, False
        if answer is None:
            raise StageFailed(self._post_mortem(name, worker, timed_out, timeout_s))
        with self._lock:
            self._idle.append(worker)
        raised, found = answer
        if raised is not None:
            raise raised(found)
        return found

    def _take(self) -> _Worker | None:
        """Return an idle worker, or None; one may have been killed while it waited."""
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None or worker.process.poll() is None:
                return worker
            self._end(worker)

    def _start(self) -> _Worker:
        # The package need not be installed: the worker finds modules where this process does.
        path = os.pathsep.join(filter(None, sys.path))
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        ours, theirs = Pipe()
        try:
            process = self._processes.start(
                [sys.executable, "-I", "-c", _START, str(theirs.fileno()), path, _ROOT],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[theirs.fileno()])
        except BaseException:
            ours.close()
            log.close()
            raise
        finally:
            theirs.close()
        return _Worker(process, ours, log)

    def _post_mortem(self, name: str, worker: _Worker, timed_out: bool, timeout_s: float | None
                     ) -> Failure:
        """End a worker that did not answer, and return the reason as a failure."""
        returncode = 1
        if not timed_out:
            # Its answers end before the process does, which may still print in between.
            with contextlib.suppress(subprocess.TimeoutExpired):
                # A worker that ends by itself has failed, even with status 0.
                returncode = worker.process.wait(_LAST_WORDS_S) or 1
        try:
            self._processes.end(worker.process)
            size = os.fstat(worker.log.fileno()).st_size
            said = os.pread(worker.log.fileno(), _LOG_BYTES, max(0, size - _LOG_BYTES))
        finally:
            worker.close()
        if self._processes.stopped:
            raise InterruptedError
        return diagnose(name, Finished(returncode=returncode, timed_out=timed_out), said, timeout_s)

    def _end(self, worker: _Worker) -> None:
        self._processes.end(worker.process)
        worker.close()

    def close(self) -> None:
        """End all idle workers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            self._end(worker)


# In the worker

def serve(descriptor: int) -> None:
    """Answer the calls that come by a connection, until it ends."""
    watch()
    # Tools have priority, since a sweep usually waits for them.
    os.nice(5)
    connection = Connection(descriptor)
    calls: queue.SimpleQueue[_Call] = queue.SimpleQueue()

    def listen() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                calls.put(connection.recv())
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        connection.send(_answer(*calls.get()))


def _answer(name: str, target: str, arguments: dict[str, Any]) -> _Answer:
    try:
        module, _, function = target.partition(":")
        with going_on(f"{name} could not go on"):
            return None, getattr(importlib.import_module(module), function)(**arguments)
    except StageFailed as error:
        return StageFailed, error.failure
    except SourcesChanged as error:
        return SourcesChanged, error.modules
    except (DiskFull, ToolMissing) as error:
        return type(error), str(error)
    except (Exception, SystemExit) as error:
        # It may be a fault of this program or of a library, which no key holds.
        status, message = ((Status.OOM, f"{name} ran out of memory")
                           if isinstance(error, MemoryError) else
                           (Status.TOOL_ERROR, _text(error)))
        log = tail(traceback.format_exc().encode(errors="replace"))
        return StageFailed, Failure(status=status, retry=Retry.ALWAYS, log=log, message=message)


def _text(error: BaseException) -> str:
    """Return what an exception says, and the innermost line that led to it and is in no library."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        # The message of a SyntaxError names the line.
        if _is_ours(Path(frame.filename)) and not isinstance(error, SyntaxError):
            return f"{text} ({Path(frame.filename).name}, line {frame.lineno})"
    return text


def _is_ours(path: Path) -> bool:
    """Return whether a file belongs to this project or to the author of a core."""
    if path.suffix != ".py" or path == Path(__file__):
        return False
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1] in PROJECT
    return not path.is_relative_to(sysconfig.get_path("stdlib"))
