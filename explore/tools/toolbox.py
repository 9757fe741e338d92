"""The tools of one sweep: what exactly they are, and whether they are ready to start."""

from __future__ import annotations

import hashlib
import importlib.metadata
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ..errors import ToolMissing
from ..store import Store
from . import find as tools
from .contents import files_below, hash_files, settle, signature
from .diagnose import tail
from .find import Tool, find, variable
from .processes import Processes
from .run import read_log

__all__ = ["Toolbox"]

#: Time a tool may take to say its version; YoWASP compiles itself when it first runs.
_WARM_S = 900
#: What runs the WebAssembly of a package. It compiles a package again when it is another version.
_RUNTIME = ("yowasp-runtime", "wasmtime")


class Toolbox:
    """Finds tools, asks for their versions and warms them, each once.

    Parameters
    ----------
    store : Store or None
        Where versions and hashes are remembered, so that a tool need not be run and read again.
    emit : callable
        Called as ``emit("warm", key=…, label=…, status=…)`` before and after a tool's first run.
    """

    def __init__(self, store: Store | None, processes: Processes,
                 emit: Callable[..., None]) -> None:
        self._store, self._processes, self._emit = store, processes, emit
        self._versions: dict[str, str] = {}
        self._identities: dict[tuple[str, bool], str] = {}
        self._known: dict[str, str] = {}
        self._warm: set[str] = set()

    def version(self, name: str) -> str:
        """Return the version of a tool, as rows have it.

        Raises
        ------
        ToolMissing
            If there is no such tool, or it does not run.
        """
        if name not in self._versions:
            tool = find(name)
            self._versions[name] = tool.version or self._ask(tool)
        return self._versions[name]

    def identity(self, name: str, *, packaged: bool = False) -> str:
        """Return a hash of what a tool is, as keys have it: the same on every machine.

        It is made of all files of a package, or of the executable file of a program.

        Parameters
        ----------
        packaged : bool
            Of the package, whatever the variable of the tool names.

        Raises
        ------
        ToolMissing
            If there is no such tool, or it cannot be read.
        """
        if (name, packaged) not in self._identities:
            self._identities[name, packaged] = self.identity_now(name, packaged=packaged)
        return self._identities[name, packaged]

    def identity_now(self, name: str, *, packaged: bool = False) -> str:
        """Return what :meth:`identity` would return if it had not been asked before."""
        tool = tools.packaged(name) if packaged else find(name)
        return self._remembered("identity", tool, lambda: _hash(tool))

    def warm(self, name: str) -> None:
        """Have a tool that compiles itself do so, before several of it are started."""
        if name not in self._warm:
            self._warm.add(name)
            self._ask(find(name))

    def _remembered(self, what: str, tool: Tool, compute: Callable[[], str]) -> str:
        """Return what the store knows of the files of a tool as they are, or else compute it."""
        def key() -> str:
            return " ".join([what, tool.name, *(_runtime(tool) if what == "version" else ()),
                             signature(files)])

        try:
            files = _files(tool)
            before = key()
            known = self._known.get(before)
            if known is None and self._store:
                known = self._store.tool_version(before)
            if known is None:
                settle(files)
                before = key()
                known = compute()
                # Not if they were replaced meanwhile.
                if self._store and self._store.writable and key() == before:
                    self._store.remember_tool(before, known)
            self._known[before] = known
        except (FileNotFoundError, PermissionError) as error:
            raise ToolMissing(f"{tool.name} cannot be read ({error}); correct its permissions, or "
                              f"name another one in {variable(tool.name)}") from None
        return known

    def _ask(self, tool: Tool) -> str:
        def said() -> str:
            label = f"{tool.source}: first run"
            self._emit("warm", key=tool.name, label=label, status="running")
            begin = time.monotonic()
            answer = self._run(tool)
            self._emit("warm", key=tool.name, label=label, status="ok",
                       seconds=time.monotonic() - begin)
            return answer

        return self._remembered("version", tool, said)

    def _run(self, tool: Tool) -> str:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            log = Path(folder, "log")
            finished = self._processes.run([*tool.command, "--version"], folder=Path(folder),
                                           log=log, timeout_s=_WARM_S,
                                           environment={"TMPDIR": folder})
            said = tail(read_log(log), 1)
        if finished.returncode != 0 or not said:
            how = ("does not end" if finished.timed_out else
                   f"ends with status {finished.returncode} and says {said!r}")
            raise ToolMissing(f"{tool.name} cannot be run: '--version' {how}; "
                              "'montgomery doctor' tells more")
        return said


def _files(tool: Tool) -> list[Path]:
    return [tool.program] if tool.program else files_below(tool.folder)


def _runtime(tool: Tool) -> list[str]:
    return [] if tool.program else [f"{name}={importlib.metadata.version(name)}"
                                    for name in _RUNTIME]


def _hash(tool: Tool) -> str:
    if tool.program:
        with tool.program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hash_files(_files(tool), tool.folder)
