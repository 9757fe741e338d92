"""Processes that call functions of this project for a sweep, one call after the other.

Importing Amaranth takes longer than elaborating a small core, so a worker stays for many calls. It
reads one JSON document per line, says so by an empty line, calls the function that the document
names, and answers in one line. The output of the function goes to a log, whose last lines are part
of a failure. A worker ends when its input ends, so it also ends when the process that started it is
killed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import queue
import select
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from ..errors import DiskFull, ToolMissing, used_up
from ..fingerprint import SourcesChanged
from ..outcome import Failure, Retry, StageFailed, Status
from ..tools.processes import Finished, Processes
from ..tools.run import diagnose, tail
from .reads import watch

__all__ = ["Workers", "serve"]

#: What a worker runs. In Python's isolated mode it imports no module unasked (``sitecustomize``);
#: these very packages come before whatever else has their common names on the path of modules.
_START = """
import os, sys
path, root = sys.argv[1:]
sys.path[:0] = [root, *path.split(os.pathsep)]
import boards, explore
del sys.path[0]
from explore.pipeline.worker import serve
serve()
"""
_ROOT = str(Path(__file__).parents[2])
#: Seconds that a worker without an answer gets to end and to write its last output.
_LAST_WORDS_S = 2
_LOG_BYTES = 1 << 20
_LONG_S = 86_400
#: Packages of this project, which may be installed among the libraries.
_PACKAGES = ("explore", "boards", "montgomery")


@dataclasses.dataclass(frozen=True, eq=False)
class _Worker:
    process: subprocess.Popen
    log: IO[bytes]

    def ask(self, line: bytes, timeout_s: float | None) -> bytes | None:
        """Return the answer of the worker: an empty line, and that of the result.

        It is None if the time is over. It is incomplete if the worker ended, and empty if that was
        before it called the function.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        answer = b""
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            return answer
        descriptor = self.process.stdout.fileno()
        while not _is_complete(answer):
            while deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                if select.select([descriptor], [], [], min(left, _LONG_S))[0]:
                    break
            if not (more := os.read(descriptor, 1 << 16)):
                break
            answer += more
        return answer

    @property
    def log_bytes(self) -> int:
        return os.fstat(self.log.fileno()).st_size

    def said(self, begin: int) -> bytes:
        """Return the output after position ``begin`` of the log, at most its last _LOG_BYTES."""
        # Not by seek(), which would move the position at which the worker writes.
        end = self.log_bytes
        begin = max(begin, end - _LOG_BYTES)
        return os.pread(self.log.fileno(), end - begin, begin)

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()


def _is_complete(answer: bytes) -> bool:
    return answer.count(b"\n") == 2


class Workers:
    """A pool of workers, which are started when they are needed.

    There are at most as many workers as simultaneous calls.
    """

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def call(self, target: str, arguments: Mapping[str, Any], *, timeout_s: float | None) -> Any:
        """Call a function in a worker, and return its result.

        Parameters
        ----------
        target : str
            The function, as ``module:function``.
        arguments : dict from str to JSON-able
            Keyword arguments.
        timeout_s : float or None
            Time limit of the call in seconds.

        Raises
        ------
        StageFailed
            If the function raised it. Also with ``tool_error`` if it raised another exception, with
            ``oom`` if it raised MemoryError or the worker was killed, and with ``timeout`` if it
            took longer than ``timeout_s``.
        DiskFull, ToolMissing
            If the function raised it. DiskFull also stands for an OSError of want of room.
        SourcesChanged
            If a file that a core reads changed after the worker had read it.
        InterruptedError
            If the processes were stopped.
        """
        name = target.rpartition(":")[2]
        line = json.dumps({"name": name, "target": target, "arguments": dict(arguments)})
        worker, begin, answer = self._ask(line.encode() + b"\n", timeout_s)
        if answer is None or not _is_complete(answer):
            raise StageFailed(self._post_mortem(name, worker, begin, answer is None, timeout_s))
        with self._lock:
            self._idle.append(worker)
        return _result(json.loads(answer))

    def _ask(self, line: bytes, timeout_s: float | None) -> tuple[_Worker, int, bytes | None]:
        """Return a worker, where its log began, and its answer."""
        while True:
            idle = self._take()
            worker = idle or self._start()
            begin = worker.log_bytes
            answer = worker.ask(line, timeout_s)
            # A worker that waited may have been killed, which shows only when it is asked.
            if idle is None or answer != b"":
                return worker, begin, answer
            self._end(worker)

    def _take(self) -> _Worker | None:
        """Return an idle worker, or None."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _start(self) -> _Worker:
        # The package need not be installed: the worker finds modules where this process does.
        path = os.pathsep.join(filter(None, sys.path))
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        try:
            process = self._processes.start(
                [sys.executable, "-I", "-c", _START, path, _ROOT],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        except BaseException:
            log.close()
            raise
        return _Worker(process, log)

    def _post_mortem(self, name: str, worker: _Worker, begin: int, timed_out: bool,
                     timeout_s: float | None) -> Failure:
        """End a worker that did not answer, and return the reason as a failure."""
        returncode = None
        if not timed_out:
            # Its answers end before the process does, which may still print in between.
            with contextlib.suppress(subprocess.TimeoutExpired):
                # A worker that ends by itself has failed, even with status 0.
                returncode = worker.process.wait(_LAST_WORDS_S) or 1
        try:
            self._processes.end(worker.process)
            said = worker.said(begin)
        finally:
            worker.close()
        if self._processes.stopped:
            raise InterruptedError
        finished = Finished(returncode=returncode or 1, timed_out=timed_out, seconds=0)
        return diagnose(name, finished, said, timeout_s)

    def _end(self, worker: _Worker) -> None:
        self._processes.end(worker.process)
        worker.close()

    def close(self) -> None:
        """End all idle workers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            self._end(worker)


#: From names in answers to exceptions that the calling process raises again.
_PASSED = {"disk_full": DiskFull, "tool_missing": ToolMissing}


def _result(answer: dict[str, Any]) -> Any:
    """Return the value in an answer, or raise its exception."""
    if "changed" in answer:
        raise SourcesChanged(answer["changed"])
    if "failure" in answer:
        raise StageFailed(msgspec.convert(answer["failure"], Failure))
    for key, exception in _PASSED.items():
        if key in answer:
            raise exception(answer[key])
    return answer["value"]


# In the worker

def serve() -> None:
    """Call the functions that the standard input names, until it ends."""
    watch()
    # Tools have priority, since a sweep usually waits for them.
    os.nice(5)
    # Functions may read from standard input and print.
    lines, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def listen() -> None:
        # If a function has closed a stream, writing the answer fails.
        with contextlib.suppress(OSError):
            for line in lines:
                jobs.put(json.loads(line))
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        job = jobs.get()
        print(file=answers, flush=True)
        print(_called(**job), file=answers, flush=True)


def _called(name: str, target: str, arguments: dict[str, Any]) -> str:
    try:
        module, _, function = target.partition(":")
        value = getattr(importlib.import_module(module), function)(**arguments)
        return json.dumps({"value": value})
    except StageFailed as error:
        failure = error.failure
    except SourcesChanged as error:
        return json.dumps({"changed": error.modules})
    except tuple(_PASSED.values()) as error:
        key = next(key for key, kind in _PASSED.items() if isinstance(error, kind))
        return json.dumps({key: str(error)})
    except MemoryError:
        failure = Failure(status=Status.OOM, retry=Retry.ALWAYS, log=_traceback(),
                          message=f"{name} ran out of memory")
    except (Exception, SystemExit) as error:
        if isinstance(error, OSError) and (lack := used_up(error.errno, f"{name} could not go on")):
            return json.dumps({"disk_full": lack})
        # It may be a fault of this program or of a library, which no key holds.
        failure = Failure(status=Status.TOOL_ERROR, retry=Retry.ALWAYS, log=_traceback(),
                          message=_text(error))
    return json.dumps({"failure": msgspec.to_builtins(failure)})


def _traceback() -> str:
    return tail(traceback.format_exc().encode(errors="replace"))


def _text(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:
        said = ""
    text = " ".join(f"{type(error).__name__}: {said}".split())[:300]
    return f"{text} ({where})" if (where := _where(error)) else text


def _where(error: BaseException) -> str:
    """Return the innermost line that led to an exception and is in no library."""
    if isinstance(error, SyntaxError):
        return ""  # its message names the line
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_ours(Path(frame.filename)):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def _is_ours(path: Path) -> bool:
    """Return whether a file belongs to this project or to the author of a core."""
    if path.suffix != ".py" or path == Path(__file__):
        return False
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1] in _PACKAGES
    return not path.is_relative_to(sysconfig.get_path("stdlib"))
