"""The tools of one sweep: their versions and hashes, their first run, and later runs."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ToolMissing
from ..outcome import Failure, StageFailed, Status
from ..store import Store
from . import find as tools
from .contents import files_below, hash_files, signature
from .find import Tool, check_cache, find, is_compiled, variable
from .processes import Processes
from .run import CONSOLE, read_log, run_tool, tail

__all__ = ["Toolbox", "announcing"]

#: Time a tool may take to say its version; YoWASP compiles itself when it first runs.
_WARM_S = 900
#: What runs the WebAssembly of a package. It compiles a package again when it is another version.
_RUNTIME = ("yowasp-runtime", "wasmtime")


class Toolbox:
    """Finds each tool once, asks for its version, warms it, and runs it.

    Where ``packaged`` is said, the tool is that of the package, whatever its variable names. All
    methods raise :exc:`ToolMissing` if there is no such tool, or it does not run. A store remembers
    versions and hashes, so that a tool need not be run and read again.

    After a tool's first run, ``emit("warm", key=…, label=…, status=…)`` is called with the status
    ``ok``, and before it with ``running`` if the tool compiles itself, which takes long.
    """

    def __init__(self, store: Store | None = None, processes: Processes | None = None,
                 emit: Callable[..., None] = lambda *what, **more: None) -> None:
        self.processes = processes or Processes()
        self._store, self._emit = store, emit
        self._identities: dict[tuple[str, bool], str] = {}
        self._known: dict[str, str] = {}
        self._warm: set[tuple[str, bool]] = set()

    def run(self, name: str, arguments: Sequence[str], folder: Path,
            timeout_s: float | None = None, *, packaged: bool = False) -> None:
        """Run a tool in a folder to its end, or to its time limit, as :func:`run_tool` does; warm
        it before.
        """
        self.warm(name, packaged=packaged)
        run_tool(name, [*_found(name, packaged).command, *arguments], folder, self.processes,
                 timeout_s)

    def version(self, name: str) -> str:
        """Return the version of a tool, as rows have it."""
        tool = find(name)
        return tool.version or self._ask(tool)

    def identity(self, name: str, *, packaged: bool = False) -> str:
        """Return a hash of a tool for keys, which is the same on every machine.

        It covers all files of a package, or the executable file of a program.
        """
        if (name, packaged) not in self._identities:
            tool = _found(name, packaged)
            self._identities[name, packaged] = self._remembered("identity", tool,
                                                                lambda: _hash(tool))
        return self._identities[name, packaged]

    def look_again(self) -> None:
        """Forget the hashes of tools, one of which may have been replaced."""
        self._identities.clear()

    def warm(self, name: str, *, packaged: bool = False) -> None:
        """Have a tool that compiles itself do so, before several runs of it start."""
        if (name, packaged) in self._warm:
            return
        self._warm.add((name, packaged))
        tool = _found(name, packaged)
        if not is_compiled(tool):
            said = self._first_run(tool)
            self._remembered("version", tool, lambda: said)
        elif self._store and not tools.makes_bitstreams(name):
            # The store knows whether it was another runtime that compiled it.
            self._ask(tool)

    def ask(self, name: str) -> str:
        """Ask a tool for its version now; StageFailed or DiskFull says why it does not run."""
        tool = find(name)
        return self._said(tool) if is_compiled(tool) else self._announced(tool)

    def _remembered(self, what: str, tool: Tool, compute: Callable[[], str]) -> str:
        """Return what the store knows of the files of a tool as they are, or else compute it."""
        try:
            key = " ".join([what, tool.name, *(_runtime(tool) if what == "version" else ()),
                            signature(_files(tool))])
            known = self._known.get(key)
            if known is None and self._store:
                known = self._store.tool_version(key)
            if known is None:
                known = compute()
                if self._store and self._store.writable:
                    self._store.remember_tool(key, known)
            self._known[key] = known
        except (FileNotFoundError, PermissionError) as error:
            raise ToolMissing(f"{tool.name} cannot be read ({error}); correct its permissions, or "
                              f"name another one in {variable(tool.name)}") from None
        return known

    def _ask(self, tool: Tool) -> str:
        return self._remembered("version", tool, lambda: self._first_run(tool))

    def _first_run(self, tool: Tool) -> str:
        try:
            return self._announced(tool)
        except StageFailed as error:
            raise ToolMissing(f"{tool.name} cannot be run to ask for its version: {error}; "
                              "'montgomery doctor' tells more") from None

    def _announced(self, tool: Tool) -> str:
        label = f"{tool.source}: first run"
        if not is_compiled(tool):
            check_cache(tool)
            label += ", in which it compiles itself; this takes a minute or more"
            self._emit("warm", key=tool.name, label=label, status="running")
        begin = time.monotonic()
        said = self._said(tool)
        self._emit("warm", key=tool.name, label=label, status="ok",
                   seconds=time.monotonic() - begin)
        return said

    def _said(self, tool: Tool) -> str:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
            folder = Path(path)
            try:
                run_tool(tool.name, [*tool.command, "--version"], folder, self.processes, _WARM_S)
            except StageFailed as error:
                # Not all of those that make bitstreams know their version.
                known = error.failure.status != Status.TOOL_ERROR
                if known or not tools.makes_bitstreams(tool.name):
                    raise _telling(error.failure) from None
            said = tail(read_log(folder / CONSOLE), 1)
        if not said:
            raise StageFailed(f"{tool.name} says nothing")
        return said


def announcing(announce: Callable[[str], None]) -> Callable[..., None]:
    """Return an ``emit`` for :class:`Toolbox` that announces in one line what takes long."""
    def emit(*_what: object, label: str = "", status: str = "", **_more: object) -> None:
        if status == "running":
            announce(label)

    return emit


def _telling(failure: Failure) -> StageFailed:
    """Return the failure of a run with the last line that the tool printed."""
    said = failure.log.rpartition("\n")[2]
    message = failure.message if not said or said in failure.message else \
        f"{failure.message} and says {said!r}"
    return StageFailed(dataclasses.replace(failure, message=message))


def _found(name: str, packaged: bool) -> Tool:
    return tools.packaged(name) if packaged else find(name)


def _files(tool: Tool) -> list[Path]:
    return [tool.program] if tool.program else [path for folder in _folders(tool)
                                                for path in files_below(folder)]


def _folders(tool: Tool) -> list[Path]:
    """Return the folders of a package, and of the code that runs it; wasmtime is native code."""
    runtime = importlib.util.find_spec("yowasp_runtime")
    return [tool.folder, Path(runtime.origin).parent]


def _runtime(tool: Tool) -> list[str]:
    return [] if tool.program else [f"{name}={importlib.metadata.version(name)}"
                                    for name in _RUNTIME]


def _hash(tool: Tool) -> str:
    if tool.program:
        with tool.program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    hashes = [hash_files(files_below(folder), folder) for folder in _folders(tool)]
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()
