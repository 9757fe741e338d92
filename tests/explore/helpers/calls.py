"""Functions that a worker is asked to call in tests."""

import ctypes
import errno
import os
import signal
import sys
import time

from explore.errors import DiskFull, ToolMissing
from explore.outcome import Failure, Retry, StageFailed, Status


def add(a, b):
    print("adding")
    return {"sum": a + b, "pid": os.getpid()}


def talk():
    os.write(1, b"to fd 1\n")
    print(input() if sys.stdin.readline() else "nothing to read")
    return "said"


def wait(seconds, file=None):
    if file:
        with open(file, "w") as opened:
            print(os.getpid(), file=opened)
    time.sleep(seconds)


def end(how):
    print("last words", file=sys.stderr, flush=True)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "crash":
        ctypes.string_at(0)
    elif how == "exit":
        os._exit(0)
    elif how == "slowly":
        os.closerange(3, 100)
        time.sleep(0.5)
        os._exit(3)


def fail(how):
    print("before it failed", file=sys.stderr)
    raise {"value": ValueError("it is\nwrong"), "stage": StageFailed(Failure(
        status=Status.NO_FIT, message="too large", retry=Retry.NEVER, log="lines", limit_s=3.0)),
        "disk": DiskFull("Disk is full: here"), "missing": ToolMissing("none"),
        "room": OSError(errno.ENOSPC, "No space left"), "memory": MemoryError(),
        "denied": PermissionError(errno.EACCES, "denied"), "exit": SystemExit("enough")}[how]
