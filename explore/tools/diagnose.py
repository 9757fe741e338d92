"""Finds out why a run of a tool failed, from its exit status and its output."""

from __future__ import annotations

import errno
import re
import signal

from ..errors import DiskFull, used_up
from ..outcome import Failure, Retry, Status
from .find import variable
from .processes import Finished

__all__ = ["diagnose", "tail"]

_NO_FIT = re.compile(
    rb"no BELs remaining|Unable to find legal placement|Unable to place cell|[Ff]ailed to place|"
    rb"Failed to expand region|Routing design failed|Failed to find a route|"
    rb"is not part of the design")
#: What tools say when something is used up, and the number of the error.
_USED_UP = {
    re.compile(rb"No space left on device|[Dd]isk quota exceeded|database or disk is full"):
        errno.ENOSPC,
    re.compile(rb"File too large"): errno.EFBIG,
    re.compile(rb"Too many open files"): errno.EMFILE,
    re.compile(rb"Resource temporarily unavailable"): errno.EAGAIN}
_WASM_MEMORY = re.compile(
    rb"memory fault at wasm address|out of bounds memory access|call stack exhausted")
_MEMORY = re.compile(rb"std::bad_alloc|[Oo]ut of memory|MemoryError|Cannot allocate memory")
_WASM_TRAP = re.compile(rb"wasm trap|wasm `unreachable`|wasmtime\._?error|WasmtimeError")
_ERROR_LINE = re.compile(rb"(?i)\berror:|assert|fatal|terminate called|WasmtimeError")


def diagnose(name: str, finished: Finished, log: bytes, limit_s: float | None) -> Failure | None:
    """Return the failure of a run of a tool, or None if it claims success.

    Raises
    ------
    DiskFull
        If the disk is full, or a limit of the system is reached.
    """
    def failure(status: Status, retry: Retry, message: str) -> Failure:
        return Failure(status=status, retry=retry, message=message, log=tail(log), limit_s=limit_s)

    if finished.timed_out:
        return failure(Status.TIMEOUT, Retry.LONGER,
                       f"{name} was stopped after {limit_s / 60:g} minutes")
    if finished.returncode == 0:
        return None
    for said, number in _USED_UP.items():
        if said.search(log):
            raise DiskFull(used_up(number, f"{name} could not go on"))
    if _WASM_MEMORY.search(log):
        return failure(Status.OVERFLOW, Retry.NEVER,
                       f"{name} overflowed the stack of its WebAssembly build; a native {name}, "
                       f"named in {variable(name)}, has no such limit")
    if _MEMORY.search(log) or finished.returncode == -signal.SIGKILL:
        return failure(Status.OOM, Retry.ALWAYS, f"{name} ran out of memory")
    if _NO_FIT.search(log):
        return failure(Status.NO_FIT, Retry.NEVER, _reason(log))
    if _WASM_TRAP.search(log):
        message = f"{name} crashed in WebAssembly"
    elif finished.returncode < 0:
        message = f"{name} was ended by {_signal_name(-finished.returncode)}"
    else:
        message = f"{name} ended with status {finished.returncode}"
    reason = _reason(log)
    return failure(Status.TOOL_ERROR, Retry.ALWAYS, f"{message}: {reason}" if reason else message)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _reason(log: bytes) -> str:
    lines = [line for line in log.splitlines() if _ERROR_LINE.search(line)]
    return lines[-1].decode(errors="replace").strip()[:300] if lines else ""


def tail(log: bytes, count: int = 5) -> str:
    """Return the last lines of a log that are not empty."""
    lines = [line.rstrip()[:300] for line in log.decode(errors="replace").splitlines()]
    return "\n".join([line for line in lines if line.strip()][-count:])
