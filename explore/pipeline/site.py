"""One machine that computes stages: its tools, and the processes that run them."""

from __future__ import annotations

import dataclasses
import datetime
import importlib
import importlib.metadata
import platform
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import WrongSite
from ..outcome import Outcome, StageFailed
from ..store.artefacts import pack
from ..tools.processes import Processes
from ..tools.toolbox import Toolbox
from ..tools.workspace import Workspace, this_machine
from ..version import project_version
from .stage import Lane, Spec, Stage
from .worker import Workers

if TYPE_CHECKING:
    from ..store import Store
    from ..tools.compiler import Compiler

__all__ = ["Site", "compute"]


class Site:
    """The place where stages run, with its tools. It is the :class:`Tools` of specifications.

    Parameters
    ----------
    store : Store or None
        Where versions and hashes of tools are remembered.
    compiler : Compiler or None
        The C++ compiler; None where there is none.
    emit : callable
        Called as ``emit("warm", key=…, label=…, status=…)`` before and after a tool's first run.
    """

    def __init__(self, store: Store | None, compiler: Compiler | None,
                 emit: Callable[..., None] = lambda kind, **what: None) -> None:
        self.processes = Processes()
        self.compiler = compiler
        self._workers = Workers(self.processes)
        self._toolbox = Toolbox(store, self.processes, emit)

    @property
    def machine(self) -> str:
        return this_machine()

    def identity(self, name: str, *, packaged: bool = False) -> str:
        return self._toolbox.identity(name, packaged=packaged)

    def version(self, name: str) -> str:
        """Return the version of a tool, as rows have it."""
        return self._toolbox.version(name)

    def admit(self, stage: Stage, spec: Spec, programs: Sequence[str]) -> dict[str, str]:
        """Make sure that a stage can run here, and have its programs compile themselves.

        Returns
        -------
        dict from str to str
            The versions of the programs under the names that rows have them.

        Raises
        ------
        WrongSite
            If the specification is that of another place: its tools or its sources differ.
        ToolMissing
            If a program does not run.
        """
        own = stage.here(spec, _Now(self._toolbox, self.compiler))
        differing = [name for name, value in own.items() if spec.get(name) != value]
        if differing:
            raise WrongSite(
                f"Stage {stage.name} must run with the tools and sources that it was specified "
                f"for, but on {socket.gethostname()} they differ now ({', '.join(differing)}); "
                "the same command starts again from what is stored")
        versions = {}
        for program in programs:
            self._toolbox.warm(program)
            versions[program.partition("-")[0]] = self.version(program)
        return versions

    def compute(self, stage: Stage, spec: Spec, workspace: Workspace,
                versions: Mapping[str, str]) -> Outcome:
        """Run a stage that was admitted, in this thread or in a worker; see :func:`compute`.

        Raises
        ------
        ToolMissing, DiskFull, SourcesChanged
            If the outcome cannot be known here and now.
        """
        if stage.lane == Lane.TOOL:
            return compute(stage, spec, workspace, versions)
        begin = time.monotonic()
        try:
            return Outcome.from_json(self._workers.call(
                f"{__name__}:compute_in_worker",
                {"stage": stage.name, "module": type(stage).__module__, "spec": spec,
                 "folder": str(workspace.folder)},
                modules=spec["modules"], fingerprint=spec["sources"],
                timeout_s=workspace.timeout_s))
        except StageFailed as error:
            return _stamped(Outcome(failure=error.failure), begin)

    def stop(self) -> None:
        """End all that runs here; what was asked for raises :exc:`InterruptedError`."""
        self.processes.stop()

    def close(self) -> None:
        """End the workers."""
        self._workers.close()


@dataclasses.dataclass(frozen=True)
class _Now:
    """The tools as they are now, which may not be what they were at first."""

    toolbox: Toolbox
    compiler: Compiler | None

    @property
    def machine(self) -> str:
        return this_machine()

    def identity(self, name: str, *, packaged: bool = False) -> str:
        return self.toolbox.identity_now(name, packaged=packaged)


def compute(stage: Stage, spec: Spec, workspace: Workspace,
            versions: Mapping[str, str]) -> Outcome:
    """Run a stage in this thread; a failure is an outcome as well.

    Only what is to be kept is left in the workspace, compressed.

    Parameters
    ----------
    versions : dict from str to str
        Of the programs that compute it.

    Raises
    ------
    ToolMissing, DiskFull
        As :meth:`Stage.run` does.
    """
    begin = time.monotonic()
    try:
        result = stage.run(spec, workspace)
        files = pack(workspace.folder, result.keep, compress=result.compress)
    except StageFailed as error:
        pack(workspace.folder, ())
        return _stamped(Outcome(failure=error.failure, versions=versions), begin)
    return _stamped(Outcome(facts=result.facts, files=files, versions=versions), begin)


def compute_in_worker(stage: str, module: str, spec: Spec, folder: str) -> dict[str, Any]:
    """Run a stage in this process, which is a worker; return the outcome as JSON has it.

    Parameters
    ----------
    stage, module : str
        Name of the stage, and of the module that has it among its ``STAGES``.
    """
    found = {each.name: each for each in importlib.import_module(module).STAGES}
    versions = {"amaranth": importlib.metadata.version("amaranth"),
                "montgomery": project_version(), "python": platform.python_version()}
    return compute(found[stage], spec, Workspace(Path(folder)), versions).to_json()


def _stamped(outcome: Outcome, begin: float) -> Outcome:
    """Return an outcome with where, when and since ``begin`` (of the monotonic clock) it ended."""
    return dataclasses.replace(
        outcome, seconds=round(time.monotonic() - begin, 3), host=socket.gethostname(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
