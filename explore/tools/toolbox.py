"""The tools of one sweep: their versions and hashes, their first run, and later runs."""

from __future__ import annotations

import dataclasses
import hashlib
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


class Toolbox:
    """Finds each tool once, asks for its version, warms it, and runs it.

    Where ``packaged`` is said, the tool is that of the package, whatever its variable names. All
    methods raise :exc:`ToolMissing` if there is no such tool, or it does not run. A store remembers
    hashes, so that the files of a tool need not be read again.

    Before and after the first run of a tool that compiles itself then, which takes long,
    ``emit("warm", key=…, label=…, status=…)`` is called with the status ``running`` and ``ok``.
    """

    def __init__(self, store: Store | None = None, processes: Processes | None = None,
                 emit: Callable[..., None] = lambda *what, **more: None) -> None:
        self.processes = processes or Processes()
        self._store, self._emit = store, emit
        self._identities: dict[tuple[str, bool], str] = {}
        #: Hashes of tools by signature, and versions of programs by name and hash.
        self._hashes: dict[str, str] = {}
        self._versions: dict[tuple[str, str], str] = {}
        self._warm: set[tuple[str, bool]] = set()

    def run(self, name: str, arguments: Sequence[str], folder: Path,
            timeout_s: float | None = None, *, packaged: bool = False) -> None:
        """Warm a tool, and run it in a folder as :func:`run_tool` does."""
        self.warm(name, packaged=packaged)
        run_tool(name, [*_found(name, packaged).command, *arguments], folder, self.processes,
                 timeout_s)

    def version(self, name: str) -> str:
        """Return the version of a tool, as rows have it."""
        tool = find(name)
        if tool.version is not None:
            return tool.version
        key = name, self.identity(name)
        if key not in self._versions:
            self._versions[key] = self._first_run(tool)
        return self._versions[key]

    def identity(self, name: str, *, packaged: bool = False) -> str:
        """Return a hash of a tool for keys, which is the same on every machine.

        It covers all files of a package, or the executable file of a program.
        """
        if (name, packaged) not in self._identities:
            tool = _found(name, packaged)
            try:
                self._identities[name, packaged] = self._remembered(tool)
            except (FileNotFoundError, PermissionError) as error:
                raise ToolMissing(f"{name} cannot be read ({error}); correct its permissions, or "
                                  f"name another one in {variable(name)}") from None
        return self._identities[name, packaged]

    def _remembered(self, tool: Tool) -> str:
        """Return what is known of the files of a tool as they are, or else read them."""
        key = f"identity {tool.name} {signature(_files(tool))}"
        if key not in self._hashes:
            known = self._store.tool_version(key) if self._store else None
            self._hashes[key] = known or _hash(tool)
            if known is None and self._store and self._store.writable:
                self._store.remember_tool(key, self._hashes[key])
        return self._hashes[key]

    def look_again(self) -> None:
        """Forget the hashes of tools, one of which may have been replaced."""
        self._identities.clear()

    def warm(self, name: str, *, packaged: bool = False) -> None:
        """Have a tool that compiles itself do so, before several runs of it start."""
        if (name, packaged) not in self._warm:
            self._warm.add((name, packaged))
            if not is_compiled(tool := _found(name, packaged)):
                self._first_run(tool)

    def ask(self, name: str) -> str:
        """Ask a tool for its version now; StageFailed or DiskFull says why it does not run."""
        return self._asked(find(name))

    def _first_run(self, tool: Tool) -> str:
        try:
            return self._asked(tool)
        except StageFailed as error:
            raise ToolMissing(f"{tool.name} cannot be run to ask for its version: {error}; "
                              "'montgomery doctor' tells more") from None

    def _asked(self, tool: Tool) -> str:
        if is_compiled(tool):
            return self._said(tool)
        check_cache(tool)
        told = {"key": tool.name, "label": f"{tool.source}: first run, in which it compiles "
                                           "itself; this takes a minute or more"}
        self._emit("warm", status="running", **told)
        begin = time.monotonic()
        said = self._said(tool)
        self._emit("warm", status="ok", seconds=time.monotonic() - begin, **told)
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


def _hash(tool: Tool) -> str:
    if tool.program:
        with tool.program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    hashes = [hash_files(files_below(folder), folder) for folder in _folders(tool)]
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()
