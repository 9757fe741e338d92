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
from ..fingerprint import SourcesChanged, changed
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
    from ..tools.verilator import Verilator

__all__ = ["Site", "compute"]


class Site:
    """A machine on which stages run. It is also the :class:`Tools` of their specifications.

    Parameters
    ----------
    store : Store or None
        An open store, which remembers versions and hashes of tools.
    emit : callable
        Called as ``emit("warm", key=…, label=…, status=…)`` before and after a tool's first run.
    """

    def __init__(self, store: Store | None, compiler: Compiler | None,
                 emit: Callable[..., None] = lambda kind, **what: None,
                 verilator: Verilator | None = None) -> None:
        self.processes = Processes()
        self.compiler = compiler
        self.verilator = verilator if compiler else None
        self._workers = Workers(self.processes)
        self._toolbox = Toolbox(store, self.processes, emit)

    @property
    def machine(self) -> str:
        return this_machine()

    def identity(self, name: str, *, packaged: bool = False) -> str:
        return self._toolbox.identity(name, packaged=packaged)

    def look_again(self) -> None:
        """See tools as they are now: a worker of a cluster may outlive an upgrade of one."""
        self._toolbox.look_again()

    def version(self, name: str) -> str:
        """Return the version of a tool as it stands in rows."""
        return self._toolbox.version(name)

    def admit(self, stage: Stage, spec: Spec, programs: Sequence[str]) -> dict[str, str]:
        """Check that a stage can run here, and warm its programs, so that they compile themselves.

        The result is a dictionary from the name of each program in rows to its version.

        Raises
        ------
        WrongSite
            If the tools or sources in the specification differ from those of this machine.
        """
        self.look_again()
        own = stage.here(spec, self)
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
        """Run a stage that was admitted, in this thread or in a worker; see :func:`compute`."""
        if stage.lane == Lane.TOOL:
            return compute(stage, spec, workspace, versions)
        begin, expected = time.monotonic(), stage.sources(spec)
        try:
            return Outcome.from_json(self._workers.call(
                f"{__name__}:compute_in_worker",
                {"stage": stage.name, "module": type(stage).__module__, "spec": spec,
                 "folder": str(workspace.folder.absolute())}, name=stage.name,
                timeout_s=workspace.timeout_s))
        except StageFailed as error:
            return _stamped(Outcome(failure=error.failure), begin)
        finally:
            # The worker may have imported others than those that the key is of.
            if differing := changed(expected):
                self._workers.close()
                raise SourcesChanged(differing)

    def stop(self) -> None:
        """End all processes that run here; calls that wait raise :exc:`InterruptedError`."""
        self.processes.stop()

    def close(self) -> None:
        """End the workers."""
        self._workers.close()


def compute(stage: Stage, spec: Spec, workspace: Workspace,
            versions: Mapping[str, str]) -> Outcome:
    """Run a stage in this thread, and return its outcome, which may be a failure.

    Afterwards the workspace holds only the files to be kept, which are compressed.
    """
    begin = time.monotonic()
    try:
        result = stage.run(spec, workspace)
        files = pack(workspace.folder, result.keep, compress=result.compress)
    except StageFailed as error:
        pack(workspace.folder, ())
        return _stamped(Outcome(failure=error.failure, facts=dict(error.facts), versions=versions),
                        begin)
    return _stamped(Outcome(facts=result.facts, files=files, versions=versions), begin)


def compute_in_worker(stage: str, module: str, spec: Spec, folder: str) -> dict[str, Any]:
    """Run a stage of the ``STAGES`` of a module in this process, which is a worker; as JSON."""
    found = {each.name: each for each in importlib.import_module(module).STAGES}
    versions = {"amaranth": importlib.metadata.version("amaranth"),
                "montgomery": project_version(), "python": platform.python_version()}
    return compute(found[stage], spec, Workspace(Path(folder)), versions).to_json()


def _stamped(outcome: Outcome, begin: float) -> Outcome:
    """Return an outcome with the host, the date, and the time since ``begin`` in seconds."""
    return dataclasses.replace(
        outcome, seconds=round(time.monotonic() - begin, 3), host=socket.gethostname(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
