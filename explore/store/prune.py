"""Removes leftovers, and outcomes that can be computed again, from a store."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .examine import KEPT, database_bytes, size_of
from .folder import remove
from .store import Store

__all__ = ["Freed", "prune"]


@dataclasses.dataclass
class Freed:
    """The report on removed files and entries.

    Attributes
    ----------
    counts : dict from str to int
        Number of removed things of each kind: ``leftovers`` of killed processes, ``unnamed``
        folders that no outcome names, ``outcomes``, and large ``files`` of other outcomes.
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
    another process computes are left alone. Rows are never removed.

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
        If there is no store, or it cannot be written.
    """
    with Store(path).open(create=False) as store:
        work = _Pruning(store, dry_run)
        before = database_bytes(store.path)
        work.leftovers()
        work.unnamed()
        work.outcomes(older_than_days, failed)
        if artefacts:
            work.large_files()
        if work.freed.counts["outcomes"] and not dry_run:
            store.database.compact()
            work.freed.bytes += max(0, before - database_bytes(store.path))
        return work.freed


class _Pruning:
    """Removes entries and files of one store, and counts them."""

    def __init__(self, store: Store, dry_run: bool) -> None:
        self._store, self._dry_run = store, dry_run
        self._gone: set[str] = set()
        self.freed = Freed()

    @contextlib.contextmanager
    def _locked(self, key: str) -> Iterator[bool]:
        """Hold the lock of a key, and yield True; yield False if another process holds it."""
        lock = self._store.lock(key)
        if lock is None:
            self.freed.busy.add(key)
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _remove(self, path: Path, kind: str) -> None:
        self.freed.counts[kind] += 1
        self.freed.bytes += size_of(path)
        if not self._dry_run:
            remove(path)

    def _folders(self) -> list[Path]:
        """Return all folders of outcomes and all workspaces."""
        return [path for folder in sorted((self._store.path / "artefacts").glob("*"))
                if not folder.is_symlink() for path in sorted(folder.glob("*"))]

    def leftovers(self) -> None:
        """Remove the workspaces of processes that were killed."""
        for path in self._folders():
            if path.name.startswith("."):
                # The name is .KEY.RANDOM.
                with self._locked(path.name.split(".")[1]) as free:
                    if free:
                        self._remove(path, "leftovers")

    def unnamed(self) -> None:
        """Remove files that no outcome names."""
        for path in self._folders():
            if not path.name.startswith("."):
                with self._locked(path.name) as free:
                    if free and not self._keys("key = ?", path.name):
                        self._remove(path, "unnamed")

    def outcomes(self, older_than_days: float | None, failed: bool) -> None:
        """Remove outcomes of more than some days ago, and those of stages that failed."""
        self._gone = set(self._keys("status <> 'ok'")) if failed else set()
        if older_than_days is not None:
            self._gone.update(self._keys("julianday('now') - julianday(date) > ?", older_than_days))
        for key in sorted(self._gone):
            with self._locked(key) as free:
                if free:
                    self.freed.counts["outcomes"] += 1
                    self.freed.bytes += size_of(self._store.files(key))
                    if not self._dry_run:
                        self._store.forget(key)

    def large_files(self) -> None:
        """Remove the large files of all outcomes that stay."""
        for key in self._keys("NOT pruned"):
            large = [path for path in self._store.files(key).glob("*") if path.name not in KEPT]
            if not large or key in self._gone:
                continue
            with self._locked(key) as free:
                if not free:
                    continue
                if not self._dry_run:
                    with self._store.database.write() as database:
                        database.execute("UPDATE outcomes SET pruned = 1 WHERE key = ?", (key,))
                for path in large:
                    self._remove(path, "files")

    def _keys(self, condition: str, *values: str | float) -> list[str]:
        return [key for key, in self._store.database.read(
            f"SELECT key FROM outcomes WHERE {condition}", *values)]
