"""The one way to run a tool, in a folder, to its end or its time limit; and why it failed."""

from __future__ import annotations

import dataclasses
import errno
import re
import signal
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import DiskFull, used_up
from ..outcome import Failure, Retry, StageFailed, Status
from ..store.folder import remove
from .find import variable
from .processes import Finished, Processes

__all__ = ["CONSOLE", "diagnose", "read_log", "run_tool", "tail"]


#: Name of the file with what a tool says on its standard outputs.
CONSOLE = "console.log"
#: What is read of a log, from its end.
_LOG_BYTES = 1 << 20


def run_tool(name: str, command: Sequence[str], folder: Path, processes: Processes,
             timeout_s: float | None, environment: Mapping[str, str] | None = None) -> None:
    """Run a tool by a command in a folder to its end, or to its time limit.

    Its output goes to ``console.log``. Temporary files of the tool are removed. The variables of an
    environment are set in addition to those of this process. Messages call the tool by its name.

    :exc:`StageFailed` says why the tool failed, and :exc:`InterruptedError` that the processes were
    stopped.
    """
    temporary = Path(tempfile.mkdtemp(prefix=".tmp.", dir=folder)).absolute()
    try:
        finished = processes.run(
            command, folder=folder, log=folder / CONSOLE, timeout_s=timeout_s,
            environment={**dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary)),
                         **(environment or {})})
    finally:
        remove(temporary)
    failure = diagnose(name, finished, read_log(folder / CONSOLE), timeout_s)
    if failure is not None:
        # It may not have got so far as to say anything on the console.
        others = map(read_log, sorted(folder.glob("*.log")))
        lines = failure.log or next(filter(None, map(tail, others)), "")
        raise StageFailed(dataclasses.replace(failure, log=lines))


def read_log(path: Path) -> bytes:
    """Return the end of a log; nothing if there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_BYTES))
            return file.read(_LOG_BYTES)
    except OSError:
        return b""


_NO_FIT = re.compile(
    rb"no BELs remaining|Unable to find legal placement|Unable to place cell|[Ff]ailed to place|"
    rb"Failed to expand region|Routing design failed|Failed to find a route|"
    rb"is not part of the design")
_FULL = re.compile(rb"No space left on device|[Dd]isk quota exceeded|database or disk is full")
_WASM_MEMORY = re.compile(
    rb"memory fault at wasm address|out of bounds memory access|call stack exhausted")
_MEMORY = re.compile(rb"std::bad_alloc|[Oo]ut of memory|MemoryError|Cannot allocate memory")
_WASM_TRAP = re.compile(rb"wasm trap|wasm `unreachable`|wasmtime\._?error|WasmtimeError")
_ERROR_LINE = re.compile(rb"(?i)\berror:|assert|fatal|terminate called|WasmtimeError")


def diagnose(name: str, finished: Finished, log: bytes, limit_s: float | None) -> Failure | None:
    """Return the failure of a run of a tool, or None if it claims success; raise DiskFull."""
    def failure(status: Status, retry: Retry, message: str) -> Failure:
        return Failure(status=status, retry=retry, message=message, log=tail(log), limit_s=limit_s)

    if finished.timed_out:
        return failure(Status.TIMEOUT, Retry.LONGER,
                       f"{name} was stopped after {limit_s / 60:g} minutes")
    if finished.returncode == 0:
        return None
    if _FULL.search(log):
        raise DiskFull(used_up(errno.ENOSPC, f"{name} could not go on"))
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
