"""Where stages are computed: the interface of an executor, and this machine as one."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from ..outcome import Outcome
from ..store.artefacts import Damaged, unpack
from ..tools.workspace import Tools, Workspace
from .site import Site
from .stage import Lane, Spec, Stage

__all__ = ["Abandoned", "Executor", "Input", "LocalExecutor", "Lost", "Task", "default_jobs"]


@dataclasses.dataclass(frozen=True)
class Input:
    """The files that an earlier stage left in a folder, with the SHA-256 of each; compressed."""

    folder: Path
    files: Mapping[str, str]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """A stage that is to be computed.

    The files of the ``inputs`` are to be put into the workspace. ``weight`` is a rough measure of
    the time that the stage takes.
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

    It has ``slots`` for tools that run at one time, and ``tools`` from which specifications are
    made. Only one thread calls an executor. Outcomes do not depend on the place: it refuses a task
    whose specification has other tools or sources than the place.
    """

    @property
    def slots(self) -> int: ...

    @property
    def tools(self) -> Tools: ...

    def has_room(self, lane: Lane) -> bool:
        """Return whether a task of a lane would start at once."""

    def submit(self, task: Task, folder: Path) -> Future[Outcome]:
        """Compute a task in an empty folder, which then holds the files that the outcome names.

        The future raises :exc:`Lost` if an input is damaged; :exc:`ToolMissing`, :exc:`DiskFull`,
        :exc:`WrongSite` or :exc:`SourcesChanged` if the outcome cannot be known;
        :exc:`Abandoned`; and :exc:`InterruptedError` after :meth:`close`. So does this call, if it
        is known at once that the task cannot be computed.
        """

    def attend(self) -> None:
        """Take note of what changes by itself; a session calls this every few seconds."""

    def close(self) -> None:
        """End all tasks that run, and the executor with its processes."""


class LocalExecutor:
    """This machine, with a number of slots.

    At most ``slots`` tools run at once. Elaboration and verification use idle slots and one more
    slot of low priority, so that they never delay a tool.
    """

    def __init__(self, site: Site, slots: int) -> None:
        self.slots = slots
        self.tools = self._site = site
        self._pool = ThreadPoolExecutor(2 * slots)
        self._lanes: dict[Future, Lane] = {}

    def _running(self) -> dict[Future, Lane]:
        self._lanes = {future: lane for future, lane in self._lanes.items() if not future.done()}
        return self._lanes

    def has_room(self, lane: Lane) -> bool:
        lanes = [*self._running().values()]
        return lanes.count(lane) < self.slots and len(lanes) <= self.slots

    def submit(self, task: Task, folder: Path) -> Future[Outcome]:
        versions = self._site.admit(task.stage, task.spec, task.programs)
        future = self._pool.submit(self._compute, task, folder, versions)
        self._lanes[future] = task.stage.lane
        return future

    def _compute(self, task: Task, folder: Path, versions: Mapping[str, str]) -> Outcome:
        for index, source in enumerate(task.inputs):
            try:
                unpack(source.folder, source.files, folder)
            except Damaged as error:
                raise Lost(index) from error
        workspace = Workspace(folder, self._site.processes, task.timeout_s)
        return self._site.compute(task.stage, task.spec, workspace, versions)

    def attend(self) -> None: ...

    def close(self) -> None:
        if self._running():
            self._site.stop()
        # The threads of the pool wait for the processes, so the pool ends first.
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._site.close()


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
