"""Removes leftovers, and outcomes that can be computed again, from a store."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
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
    freed = Freed()
    with Store(path).open(create=False) as store:
        before = database_bytes(store.path)
        for kind, key, paths in _removable(store, older_than_days, failed, artefacts):
            lock = store.lock(key)
            if lock is None:
                freed.busy.add(key)
                continue
            try:
                # Another process may have entered it meanwhile.
                if kind != "unnamed" or not _keys(store, "key = ?", key):
                    freed.counts[kind] += len(paths)
                    freed.bytes += sum(map(size_of, paths))
                    if not dry_run:
                        _remove(store, kind, key, paths)
            finally:
                lock.release()
        if freed.counts["outcomes"] and not dry_run:
            store.database.compact()
            freed.bytes += max(0, before - database_bytes(store.path))
    return freed


def _removable(store: Store, older_than_days: float | None, failed: bool, artefacts: bool
               ) -> Iterator[tuple[str, str, list[Path]]]:
    """Yield what may be removed: its kind, its key, and its files or folders."""
    named = set(_keys(store, "true"))
    for folder in sorted((store.path / "artefacts").glob("*")):
        for path in sorted(folder.glob("*")) if not folder.is_symlink() else ():
            if path.name.startswith("."):
                # The name is .KEY.RANDOM.
                yield "leftovers", path.name.split(".")[1], [path]
            elif path.name not in named:
                yield "unnamed", path.name, [path]
    gone = set(_keys(store, "status <> 'ok'")) if failed else set()
    if older_than_days is not None:
        gone.update(_keys(store, "julianday('now') - julianday(date) > ?", older_than_days))
    for key in sorted(gone):
        yield "outcomes", key, [store.files(key)]
    for key in _keys(store, "NOT pruned") if artefacts else ():
        large = [path for path in store.files(key).glob("*") if path.name not in KEPT]
        if large and key not in gone:
            yield "files", key, large


def _remove(store: Store, kind: str, key: str, paths: Iterable[Path]) -> None:
    if kind == "outcomes":
        store.forget(key)
        return
    if kind == "files":
        with store.database.write() as database:
            database.execute("UPDATE outcomes SET pruned = 1 WHERE key = ?", (key,))
    for path in paths:
        remove(path)


def _keys(store: Store, condition: str, *values: str | float) -> list[str]:
    return [key for key, in store.database.read(
        f"SELECT key FROM outcomes WHERE {condition}", *values)]
