"""Telling other processes what a sweep does, by a file in its store."""

from __future__ import annotations

import dataclasses
import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..store.status import Job, Status, StatusFile, now, seconds_since
from ._progress import TimeLeft

if TYPE_CHECKING:
    from ..pipeline.events import Event

__all__ = ["Announcement"]


class Announcement:
    """A listener to the events of a sweep, as a context manager, that ``watch`` reads.

    Parameters
    ----------
    path : Path
        The folder of the store.
    command : sequence of str
        The words of the command line.
    """

    def __init__(self, path: Path, command: Sequence[str]) -> None:
        self._lock = threading.Lock()
        self._time_left = TimeLeft()
        self._jobs: dict[str, Job] = {}
        self._slots = 1
        self._status = Status(pid=os.getpid(), host=socket.gethostname(), command=tuple(command),
                              started=now(), written=now())
        self._file = StatusFile(path, self._described)

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._file.__exit__(kind, error, trace)

    def __call__(self, event: Event) -> None:
        if event.kind in ("measured", "note"):
            return
        with self._lock:
            self._time_left.note(event)
            self._note_job(event)
            if event.kind == "forecast":
                self._status = dataclasses.replace(self._status, forecast=event.label)
            if (event.kind == "finish" and not event.cached
                    and event.status not in ("ok", "skipped")):
                self._status = dataclasses.replace(self._status, failed=self._status.failed + 1)
        self._file.changed()

    def _note_job(self, event: Event) -> None:
        name = event.key + event.stage
        if event.status == "running" or event.kind == "wait":
            self._jobs[name] = Job(stage=event.stage, label=event.label, since=now(),
                                   host=event.host, waits=event.kind == "wait")
            self._slots = max(self._slots, len(self._jobs))
        else:
            self._jobs.pop(name, None)

    def _described(self) -> Status:
        with self._lock:
            jobs, left = tuple(self._jobs.values()), self._time_left
            begun = [(job.stage, seconds_since(job.since)) for job in jobs if job.stage]
            return dataclasses.replace(
                self._status, written=now(), done=left.done, total=left.total, stored=left.cached,
                seconds_left=left.left(begun, self._slots), running=jobs)
