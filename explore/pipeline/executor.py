"""The interface of a place where stages are computed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from ..outcome import Outcome
from ..tools.workspace import Tools
from .stage import Lane, Spec, Stage

__all__ = ["Abandoned", "Executor", "Input", "Lost", "Task"]


@dataclasses.dataclass(frozen=True)
class Input:
    """The files that an earlier stage left in a folder, with the SHA-256 of each; compressed."""

    folder: Path
    files: Mapping[str, str]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """A stage that is to be computed.

    Attributes
    ----------
    key : str
        Hash of the specification. Two tasks with the same key are never computed at the same time.
    programs : sequence of str
        Programs that the stage runs, in addition to code of this project.
    inputs : sequence of Input
        Files to be put into the workspace.
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
