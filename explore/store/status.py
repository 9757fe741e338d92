"""What runs on a store: a small file for each process, which others can read.

A file lies in the folder ``running`` of the store. Its writer holds a lock beside it, which the
system releases when the process ends in whatever way, so that the file of a process that was killed
is known for what it is. Who reads the files changes nothing, and holds up nobody.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..atomic import atomic_write
from .folder import remove, subfolder
from .locks import KeyLock

__all__ = ["Job", "Status", "StatusFile", "now", "seconds_since", "statuses"]

#: Seconds from one version of a file to the next.
INTERVAL_S = 1.0

_FOLDER = "running"
_SCHEMA = 1
_ATTEMPTS = 10


def now() -> str:
    """Return the time as a status tells it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def seconds_since(text: str) -> float:
    """Return the seconds since the time that a status tells."""
    begin = datetime.datetime.fromisoformat(text)
    return max((datetime.datetime.now(datetime.UTC) - begin).total_seconds(), 0.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job:
    """A stage that is being computed, or the first run of a tool.

    Attributes
    ----------
    stage : str
        Empty for the first run of a tool.
    label : str
        What is being computed.
    since : str
        When it began.
    host : str
        The machine that computes it; empty for the machine of the process.
    waits : bool
        Whether another process computes it.
    """

    stage: str
    label: str
    since: str
    host: str = ""
    waits: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Status:
    """What one process does on a store.

    Attributes
    ----------
    command : tuple of str
        The words of its command line.
    started, written : str
        When the process began, and when this was known of it.
    done, total, stored, failed : int
        Number of stages that are finished, of all, of those that were in the store before, and of
        those that failed.
    forecast : str
        What the process said of the amount of its work; empty before it knows.
    seconds_left : float or None
        None if nothing was measured yet.
    """

    pid: int
    host: str
    command: tuple[str, ...]
    started: str
    written: str
    done: int = 0
    total: int = 0
    stored: int = 0
    failed: int = 0
    forecast: str = ""
    seconds_left: float | None = None
    running: tuple[Job, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary of JSON's types, for :meth:`from_json`."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Status:
        """Return the status that :meth:`to_json` described.

        Raises
        ------
        ValueError, TypeError, LookupError
            If the document does not describe one.
        """
        values = dict(document)
        values["running"] = tuple(Job(**job) for job in values["running"])
        values["command"] = tuple(map(str, values["command"]))
        for text in (values["started"], values["written"], *(each.since
                                                             for each in values["running"])):
            if datetime.datetime.fromisoformat(text).tzinfo is None:
                raise ValueError(f"{text} names no time zone")
        for name in ("pid", "done", "total", "stored", "failed"):
            values[name] = int(values.get(name, 0))
        if values.get("seconds_left") is not None:
            values["seconds_left"] = float(values["seconds_left"])
        return cls(**values)


class StatusFile:
    """The file of this process, as a context manager: it exists no longer than the block runs.

    It is replaced at most once per :data:`INTERVAL_S`. If it cannot be written, nobody hears of the
    process, and nothing else happens.

    Parameters
    ----------
    path : Path
        The folder of the store.
    describe : callable
        Returns the :class:`Status`; called in a thread of its own.
    """

    def __init__(self, path: Path, describe: Callable[[], Status]) -> None:
        self._path, self._describe = path, describe
        self._file = path / _FOLDER / "none"
        self._lock: KeyLock | None = None
        self._wake = threading.Condition()
        self._changed, self._ended = True, False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        with _unimportant():
            self._acquire()
        if self._lock is not None:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._lock is None:
            return
        with self._wake:
            self._ended = True
            self._wake.notify()
        self._thread.join()
        with _unimportant():
            self._file.unlink(missing_ok=True)
        self._lock.release()
        with _unimportant():
            # Unless others run.
            self._file.parent.rmdir()

    def changed(self) -> None:
        """Take note that the status is another one now."""
        with self._wake:
            self._changed = True
            self._wake.notify()

    def _acquire(self) -> None:
        _remove_stale(subfolder(self._path, _FOLDER))
        # Another process may remove the folder meanwhile, or look whether the lock is held.
        for _ in range(_ATTEMPTS):
            name = f"{os.getpid()}-{secrets.token_hex(4)}"
            folder = subfolder(self._path, _FOLDER)
            with contextlib.suppress(FileNotFoundError):
                self._lock = KeyLock.acquire(folder / f"{name}.lock")
            if self._lock is not None:
                self._file = folder / f"{name}.json"
                return

    def _run(self) -> None:
        with self._wake:
            while not self._ended:
                if not self._changed:
                    self._wake.wait()
                    continue
                self._changed = False
                self._wake.release()
                try:
                    self._write()
                finally:
                    self._wake.acquire()
                # Whatever changes meanwhile is told at its end.
                self._wake.wait_for(lambda: self._ended, INTERVAL_S)

    def _write(self) -> None:
        text = json.dumps({"schema": _SCHEMA, **self._describe().to_json()})
        with _unimportant(), atomic_write(self._file) as partial:
            partial.write_text(text)


def _unimportant() -> contextlib.suppress:
    """Suppress what may go wrong with a file that is not worth more than the work it tells of."""
    return contextlib.suppress(OSError, ValueError)


def _remove_stale(folder: Path) -> None:
    """Remove the files of processes that were killed."""
    for name in {path.name.lstrip(".").partition(".")[0] for path in folder.iterdir()}:
        lock = KeyLock.acquire(folder / f"{name}.lock")
        if lock is None:
            continue
        for path in (folder / f"{name}.json", *folder.glob(f".{name}.*")):
            remove(path)
        lock.release()


def statuses(path: Path) -> list[Status]:
    """Return the status of each process that runs on a store, in the order of their beginning.

    Nothing is changed. Files of processes that run no longer, and files that say something else,
    are left out.
    """
    found = []
    for file in (path / _FOLDER).glob("*.json"):
        with contextlib.suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
            document = dict(json.loads(file.read_text()))
            if KeyLock.is_held(file.with_suffix(".lock")) and document.pop("schema") == _SCHEMA:
                found.append(Status.from_json(document))
    return sorted(found, key=lambda status: (status.started, status.pid))
