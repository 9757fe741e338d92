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
from typing import TYPE_CHECKING

from ..errors import WrongSite
from ..fingerprint import SourcesChanged, changed
from ..outcome import Outcome, StageFailed
from ..store.artefacts import pack
from ..tools.find import project_version
from ..tools.processes import Processes
from ..tools.toolbox import Toolbox
from ..tools.workspace import Workspace, this_machine
from .stage import Lane, Spec, Stage
from .worker import Workers

if TYPE_CHECKING:
    from ..store import Store
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["Site", "compute"]


class Site(Toolbox):
    """A machine on which stages run. It is also the :class:`Tools` of their specifications.

    It sees tools as they are now: a worker of a cluster may outlive an upgrade of one.
    """

    def __init__(self, store: Store | None, compiler: Compiler | None,
                 emit: Callable[..., None] = lambda kind, **what: None,
                 verilator: Verilator | None = None) -> None:
        super().__init__(store, Processes(), emit)
        self.compiler = compiler
        self.verilator = verilator if compiler else None
        self.machine = this_machine()
        self._workers = Workers(self.processes)

    def admit(self, stage: Stage, spec: Spec, programs: Sequence[str]) -> dict[str, str]:
        """Check that a stage can run here, and warm its programs, so that they compile themselves.

        The result has the version of each program, by its name in rows. :exc:`WrongSite` says that
        the specification has other tools or sources than this machine.
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
            self.warm(program)
            versions[program.partition("-")[0]] = self.version(program)
        return versions

    def compute(self, stage: Stage, spec: Spec, workspace: Workspace,
                versions: Mapping[str, str]) -> Outcome:
        """Run a stage that was admitted, in this thread or in a worker; see :func:`compute`."""
        if stage.lane == Lane.TOOL:
            return compute(stage, spec, workspace, versions)
        begin, expected = time.monotonic(), stage.sources(spec)
        try:
            return self._workers.call(
                f"{__name__}:compute_in_worker",
                {"stage": stage.name, "module": type(stage).__module__, "spec": spec,
                 "folder": workspace.folder.absolute()}, name=stage.name,
                timeout_s=workspace.timeout_s)
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


def compute_in_worker(stage: str, module: str, spec: Spec, folder: Path) -> Outcome:
    """Run a stage of the ``STAGES`` of a module in this process, which is a worker."""
    found = {each.name: each for each in importlib.import_module(module).STAGES}
    versions = {"amaranth": importlib.metadata.version("amaranth"),
                "montgomery": project_version(), "python": platform.python_version()}
    return compute(found[stage], spec, Workspace(folder), versions)


def _stamped(outcome: Outcome, begin: float) -> Outcome:
    """Return an outcome with the host, the date, and the time since ``begin`` in seconds."""
    return dataclasses.replace(
        outcome, seconds=round(time.monotonic() - begin, 3), host=socket.gethostname(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
