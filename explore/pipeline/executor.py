"""The interface of a place where stages are computed, and this machine as such a place."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import ToolMissing
from ..outcome import Outcome
from ..store.artefacts import Damaged, unpack
from ..tools.workspace import Tools, Workspace
from .site import Site
from .stage import Lane, Spec, Stage

if TYPE_CHECKING:
    from ..store import Store
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["Abandoned", "Executor", "Input", "LocalExecutor", "Lost", "Task", "default_jobs",
           "executor"]


@dataclasses.dataclass(frozen=True)
class Input:
    """The files that an earlier stage left.

    Attributes
    ----------
    folder : Path
        Folder that holds them, compressed.
    files : dict from str to str
        From the name of each file to the SHA-256 of its compressed contents.
    """

    folder: Path
    files: Mapping[str, str]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """A stage that is to be computed.

    Attributes
    ----------
    stage : Stage
    spec : dict
        Specification of the stage.
    key : str
        Hash of the specification. Two tasks with the same key are never computed at the same time.
    programs : sequence of str
        Programs that the stage runs, in addition to code of this project.
    inputs : sequence of Input
        Files to be put into the workspace.
    timeout_s : float or None
        Time limit of each run of a tool, and of each verification.
    weight : int
        Rough measure of the time that the stage takes.
    """

    stage: Stage
    spec: Spec
    key: str
    programs: Sequence[str]
    inputs: Sequence[Input]
    timeout_s: float | None
    weight: int


class Lost(Exception):
    """A file that a task reads is missing or damaged; the argument is the index of its input."""


class Abandoned(Exception):
    """A task lost the machine that computed it, too often; the argument says what happened."""


class Executor(Protocol):
    """A place where stages are computed, or several equal places.

    Only one thread calls an executor. Outcomes do not depend on the place: it refuses a task whose
    specification has other tools or sources than the place.
    """

    @property
    def slots(self) -> int:
        """Number of tools that run at one time."""

    @property
    def tools(self) -> Tools:
        """The programs of the place, from which specifications are made."""

    def has_room(self, lane: Lane) -> bool:
        """Return whether a task of a lane would start at once."""

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        """Compute a task.

        The future raises :exc:`Lost` if an input is damaged; :exc:`ToolMissing`, :exc:`DiskFull`,
        :exc:`WrongSite` or :exc:`SourcesChanged` if the outcome cannot be known;
        :exc:`Abandoned`; and :exc:`InterruptedError` after :meth:`stop`.

        Parameters
        ----------
        folder : Path
            An empty folder. When the future is done, it holds the files that the outcome names.
        started : callable
            Called with the name of the machine when the task begins there, empty for this one. It
            is called in the thread that calls the executor, and never after the future is done.
            A task that loses its machine may begin again.

        Raises
        ------
        WrongSite, ToolMissing
            If it is known at once that the task cannot be computed here.
        """

    def attend(self) -> None:
        """Take note of what changes by itself; a session calls this every few seconds."""

    def stop(self) -> None:
        """End all tasks that run."""

    def close(self) -> None:
        """End the executor and its processes; no task runs any more."""


class LocalExecutor:
    """This machine, with a number of slots.

    At most ``slots`` tools run at once. Elaboration and verification use idle slots and one more
    slot of low priority, so that they never delay a tool.

    Parameters
    ----------
    site : Site
        The tools and workers of this machine, which :meth:`close` ends.
    slots : int
    """

    def __init__(self, site: Site, slots: int) -> None:
        self.slots = slots
        self.tools = self._site = site
        self._pool = ThreadPoolExecutor(2 * slots)
        self._running: dict[Future, Lane] = {}

    def has_room(self, lane: Lane) -> bool:
        running = [each for future, each in self._running.items() if not future.done()]
        return running.count(lane) < self.slots and len(running) <= self.slots

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        versions = self._site.admit(task.stage, task.spec, task.programs)
        self._running = {future: lane for future, lane in self._running.items()
                         if not future.done()}
        future = self._pool.submit(self._compute, task, folder, versions)
        self._running[future] = task.stage.lane
        started("")
        return future

    def _compute(self, task: Task, folder: Path, versions: Mapping[str, str]) -> Outcome:
        for index, source in enumerate(task.inputs):
            try:
                unpack(source.folder, source.files, folder)
            except Damaged as error:
                raise Lost(index) from error
        workspace = Workspace(folder, self._site.processes, task.timeout_s)
        return self._site.compute(task.stage, task.spec, workspace, versions)

    def attend(self) -> None:
        pass

    def stop(self) -> None:
        self._site.stop()

    def close(self) -> None:
        # The threads of the pool wait for the processes, so the pool ends first.
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._site.close()


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor(store: Store, *, jobs: int | None, scheduler: str | None,
             compiler: Compiler | None, verilator: Verilator | None
             ) -> Callable[[Callable[..., None]], Executor]:
    """Return a function that returns the executor, for :class:`.session.Session`.

    Parameters
    ----------
    store : Store
        An open store, in which this machine notes versions of its tools.
    jobs : int or None
        Number of tools that run at one time on this machine; :func:`default_jobs` if None.
    scheduler : str or None
        Address of a Dask scheduler; None for this machine.
    compiler : Compiler or None
        The C++ compiler of this machine.
    verilator : Verilator or None
        Verilator on this machine.

    Raises
    ------
    ToolMissing
        If there is a scheduler, but Dask is not installed.
    """
    if scheduler is None:
        return lambda emit: LocalExecutor(Site(store, compiler, emit, verilator),
                                          jobs or default_jobs())
    try:
        from .cluster import ClusterExecutor
    except ModuleNotFoundError as error:
        raise ToolMissing(f"Work on many machines needs Dask ({error.name} is missing); run "
                          "pip install '.[cluster]' in the project's folder") from None
    return lambda emit: ClusterExecutor(scheduler, emit)
