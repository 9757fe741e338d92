"""Removes leftovers, and outcomes that can be computed again, from a store."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ..outcome import Outcome
from .examine import KEPT, database_bytes, date_of, outcomes, size_of
from .folder import is_real, remove
from .locks import KeyLock
from .store import Store

__all__ = ["Freed", "prune"]

#: Age in seconds above which a partial file is a leftover; writing a file takes less time.
_OLD_S = 3600


@dataclasses.dataclass
class Freed:
    """The report on removed files and entries.

    Attributes
    ----------
    counts : dict from str to int
        Number of removed things of each kind: ``leftovers`` of killed processes, ``unnamed``
        folders that no outcome names, ``outcomes``, large ``files`` of other outcomes, and
        ``locks`` that nobody holds.
    bytes : int
        Space that was freed, in bytes.
    busy : set of str
        Keys that were left alone, since another process uses them.
    """

    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    bytes: int = 0
    busy: set[str] = dataclasses.field(default_factory=set)


def prune(path: Path, *, older_than_days: float | None = None, failed: bool = False,
          artefacts: bool = False, dry_run: bool = False) -> Freed:
    """Remove files that are not needed and, by the options, results that can be computed again.

    Leftovers of killed processes and files that no outcome names are always removed. Keys that
    another process uses are left alone. Rows are never removed.

    Parameters
    ----------
    older_than_days : float or None
        Also remove outcomes that were computed more than this number of days ago.
    failed : bool
        Also remove outcomes of stages that failed.
    artefacts : bool
        Also remove all files except those from which rows are made
        (:data:`explore.store.examine.KEPT`).
    dry_run : bool
        Whether to only count, and to change nothing.

    Raises
    ------
    StoreError
        If there is no store, or if outcomes are to be removed while another process has it open.
    """
    with Store(path).open(create=False, writable=not dry_run) as store:
        work = _Pruning(store, dry_run)
        before = database_bytes(store.path)
        work.locks()
        work.leftovers()
        work.unnamed()
        if older_than_days is not None or failed or artefacts:
            # Other processes may read the files of an outcome without its lock.
            alone = store.alone("Outcomes can be removed only")
            with contextlib.nullcontext() if dry_run else alone:
                work.outcomes(lambda outcome: (failed and outcome.failure is not None)
                              or _is_older(outcome, older_than_days), artefacts)
                if work.freed.counts["outcomes"] and not dry_run:
                    store.database.compact()
                    work.freed.bytes += max(0, before - database_bytes(store.path))
        return work.freed


def _is_older(outcome: Outcome, days: float | None) -> bool:
    date = date_of(outcome)
    if days is None or date is None:
        return False
    return (datetime.datetime.now(datetime.UTC) - date).total_seconds() > days * 86400


class _Pruning:
    """Removes entries and files of one store, and counts them."""

    def __init__(self, store: Store, dry_run: bool) -> None:
        self._store, self._dry_run = store, dry_run
        self.freed = Freed()

    @contextlib.contextmanager
    def _locked(self, key: str) -> Iterator[bool]:
        """Hold the lock of a key, and yield True; yield False if another process holds it."""
        if self._dry_run:
            held = KeyLock.is_held(self._store.path / "locks" / key)
            if held:
                self.freed.busy.add(key)
            yield not held
            return
        lock = self._store.lock(key)
        if lock is None:
            self.freed.busy.add(key)
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _remove(self, path: Path, kind: str, how: Callable[[Path], None] = remove) -> None:
        size = size_of(path)
        if not self._dry_run:
            how(path)
            if os.path.lexists(path):
                return
        self.freed.counts[kind] += 1
        self.freed.bytes += size

    def _folders(self) -> list[Path]:
        """Return all folders of outcomes and all workspaces."""
        return [path for folder in sorted((self._store.path / "artefacts").glob("*"))
                if folder.is_dir() and not folder.is_symlink() for path in sorted(folder.iterdir())]

    def leftovers(self) -> None:
        """Remove the workspaces of processes that were killed."""
        for path in self._folders():
            if path.name.startswith("."):
                # The name is .KEY.RANDOM.
                with self._locked(path.name[1:].partition(".")[0] or "-") as free:
                    if free:
                        self._remove(path, "leftovers")
        for path in self._store.path.glob(".*.part"):
            if is_real(path) and time.time() - path.stat().st_mtime > _OLD_S:
                self._remove(path, "leftovers")

    def unnamed(self) -> None:
        """Remove files that no outcome names, and empty folders."""
        for path in self._folders():
            key = path.name
            if key.startswith(".") or self._is_named(key):
                continue
            with self._locked(key) as free:
                if free and not self._is_named(key):
                    self._remove(path, "unnamed")
        if not self._dry_run:
            for folder in (self._store.path / "artefacts").glob("*"):
                with contextlib.suppress(OSError):
                    folder.rmdir()

    def _is_named(self, key: str) -> bool:
        return bool(self._store.database.read("SELECT 1 FROM outcomes WHERE key = ?", key))

    def outcomes(self, unwanted: Callable[[Outcome], bool], artefacts: bool) -> None:
        """Remove the outcomes for which ``unwanted`` returns True.

        If ``artefacts`` is true, also remove the large files of all other outcomes.
        """
        for key, _, outcome in list(outcomes(self._store)):
            large = [self._store.files(key) / name for name in outcome.files if name not in KEPT]
            large = [path for path in large if is_real(path)]
            gone = unwanted(outcome)
            if not (gone or (artefacts and large)):
                continue
            with self._locked(key) as free:
                if not free:
                    continue
                if gone:
                    self.freed.counts["outcomes"] += 1
                    self.freed.bytes += size_of(self._store.files(key))
                    if not self._dry_run:
                        self._store.forget(key)
                    continue
                if not self._dry_run:
                    with self._store.database.write() as database:
                        database.execute("INSERT OR IGNORE INTO pruned VALUES (?)", (key,))
                for path in large:
                    self._remove(path, "files")

    def locks(self) -> None:
        """Remove the files of locks that nobody holds."""
        with contextlib.suppress(FileNotFoundError):
            for path in sorted((self._store.path / "locks").iterdir()):
                if path.is_dir():
                    continue
                with self._locked(path.name) as free:
                    # Releasing a lock removes its file.
                    self.freed.counts["locks"] += free
