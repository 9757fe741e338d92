"""A process that elaborates and verifies cores for a sweep, one after the other.

Importing Amaranth takes longer than elaborating a small core, so a worker stays. It reads one JSON
document a line, ``{"spec": …, "folder": …, "inputs": …}``, and answers each with the outcome in one
line; what the code it runs may print goes to the standard error output. It ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from .launch import die_with_parent
from .processes import Finished, Processes
from .stages import run_stage, stamped
from .tools import diagnose, tail

__all__ = ["Workers"]


class Workers:
    """Workers that are started when they are needed, at most as many as calls at one time."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._idle: list[tuple[subprocess.Popen, IO[bytes]]] = []
        self._lock = threading.Lock()

    def run_stage(self, spec: dict[str, Any], folder: Path, inputs: Path | None,
                  timeout_s: float | None) -> dict[str, Any]:
        """Have a worker compute :func:`explore.stages.run_stage`.

        A worker that ends or exceeds ``timeout_s`` makes an outcome of status ``oom``,
        ``tool_error`` or ``timeout``.
        """
        begin = time.monotonic()
        with self._lock:
            worker, log = self._idle.pop() if self._idle else (None, None)
        if worker is None:
            worker, log = self._start()
        timed_out = threading.Event()

        def expire() -> None:
            timed_out.set()
            self._processes.end(worker)

        timer = threading.Timer(timeout_s, expire) if timeout_s is not None else None
        try:
            if timer:
                timer.start()
            job = {"spec": spec, "folder": str(folder), "inputs": inputs and str(inputs)}
            worker.stdin.write(json.dumps(job).encode() + b"\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
        except BrokenPipeError:
            answer = b""
        finally:
            if timer:
                timer.cancel()
                # It may be about to end the worker, which then is not to be used again.
                timer.join()
        if answer.endswith(b"\n") and not timed_out.is_set():
            with self._lock:
                self._idle.append((worker, log))
            return json.loads(answer)
        self._processes.end(worker)
        limit_s = timeout_s if timed_out.is_set() else None
        return stamped(self._post_mortem(spec["stage"], worker, log, limit_s), begin)

    def _start(self) -> tuple[subprocess.Popen, IO[bytes]]:
        # The package need not be installed: the worker finds modules where this process does.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        try:
            return self._processes.start(
                [sys.executable, "-P", "-m", __name__, str(os.getpid())], env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log), log
        except BaseException:
            log.close()
            raise

    @staticmethod
    def _post_mortem(stage: str, worker: subprocess.Popen, log: IO[bytes],
                     limit_s: float | None) -> dict[str, Any]:
        log.seek(0)
        text = log.read()
        log.close()
        with contextlib.suppress(BrokenPipeError):
            worker.stdin.close()
        worker.stdout.close()
        # A worker has no reason to end by itself, whatever status it ends with.
        finished = Finished(returncode=worker.returncode or 1, timed_out=limit_s is not None,
                            seconds=0)
        failure = diagnose(stage, finished, text, limit_s)
        return {"status": failure.status, "message": failure.message, "retry": failure.retry,
                "log": tail(text), "limit_s": limit_s}

    def close(self) -> None:
        """End the workers that wait for work."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker, log in idle:
            self._processes.end(worker)
            worker.stdin.close()
            worker.stdout.close()
            log.close()


def _serve(parent: str) -> None:
    die_with_parent(int(parent))
    # A sweep waits for its tools more than for this.
    os.nice(5)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        job = json.loads(line)
        outcome = run_stage(job["spec"], Path(job["folder"]),
                            job["inputs"] and Path(job["inputs"]))
        print(json.dumps(outcome), file=answers, flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
