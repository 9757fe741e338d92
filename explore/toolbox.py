"""The tools of one sweep: which version they are of, and whether they are ready to start."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .processes import Processes
from .store import Store
from .tools import Tool, ToolMissing, find, tail

__all__ = ["Toolbox"]

#: Time a tool may take to say its version; YoWASP compiles itself when it first runs.
_WARM_S = 900


class Toolbox:
    """Finds tools, asks for their versions and warms them, each once.

    Parameters
    ----------
    store : Store or None
        Where versions are remembered, so that a tool need not be run to know it.
    emit : callable
        Called as ``emit("warm", key=…, label=…, status=…)`` before and after a tool's first run.
    """

    def __init__(self, store: Store | None, processes: Processes,
                 emit: Callable[..., None]) -> None:
        self._store, self._processes, self._emit = store, processes, emit
        self._versions: dict[str, str] = {}
        self._warm: set[str] = set()

    def version(self, name: str) -> str:
        """Return the version of a tool, as rows and keys have it.

        Raises
        ------
        ToolMissing
            If there is no such tool, or it does not run.
        """
        if name not in self._versions:
            tool = find(name)
            self._versions[name] = tool.version or self._ask(tool)
        return self._versions[name]

    def warm(self, name: str) -> None:
        """Have a tool that compiles itself do so, before several of it are started."""
        if name not in self._warm:
            self._warm.add(name)
            self._ask(find(name))

    def _ask(self, tool: Tool) -> str:
        said = self._store.tool_version(tool.identity) if self._store else None
        if said is None:
            label = f"{tool.identity.partition(' (')[0]}: first run"
            self._emit("warm", key=tool.name, label=label, status="running")
            begin = time.monotonic()
            said = self._run(tool)
            if self._store:
                self._store.remember_tool(tool.identity, said)
            self._emit("warm", key=tool.name, label=label, status="ok",
                       seconds=time.monotonic() - begin)
        return said

    def _run(self, tool: Tool) -> str:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            finished = self._processes.run([*tool.command, "--version"], folder=Path(folder),
                                           log=log, timeout_s=_WARM_S)
            said = tail(log.read_bytes(), 1)
        if finished.returncode != 0 or not said:
            how = ("does not end" if finished.timed_out else
                   f"ends with status {finished.returncode} and says {said!r}")
            raise ToolMissing(f"{tool.name} cannot be run: '--version' {how}; "
                              "'montgomery doctor' tells more")
        return said
