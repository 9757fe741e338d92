"""Looking at processes, and waiting for what they do."""

import contextlib
import threading
import time
from pathlib import Path


def soon(condition, limit_s=10):
    """Wait until a condition is true, and return its value; False if that takes too long."""
    end = time.monotonic() + limit_s
    while not (value := condition()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return value


def is_running(pid):
    """Return whether a thread of a process runs: the first one may end before the others."""
    return any(map(_runs, Path(f"/proc/{pid}/task").glob("*/stat")))


def _runs(stat):
    try:
        return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pids):
    return not any(map(is_running, pids))


def in_thread(function):
    """Run a function that is interrupted, and return the thread."""
    def run():
        with contextlib.suppress(InterruptedError):
            function()

    thread = threading.Thread(target=run)
    thread.start()
    return thread
