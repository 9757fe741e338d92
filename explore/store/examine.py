"""Lists the contents of a store, finds damage to them, and removes what can be made again."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .artefacts import digest
from .database import COLUMNS, SCHEMA, Unreadable, decoded, is_intact
from .folder import DATABASE, is_real, remove
from .store import Store

__all__ = ["KEPT", "Damage", "Freed", "check", "database_bytes", "info", "prune", "size_of"]


#: Small files from which rows are made, and which are therefore kept.
KEPT = ("report.json.gz", "core.json.gz")

_SINGULAR = {"outcomes": "outcome", "rows": "row", "tools": "version of a tool"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Damage:
    """An entry or a file that differs from what was stored; no table means the whole database.

    The name is the key or the identity of the entry.
    """

    table: str | None = None
    name: str = ""
    reason: str

    def __str__(self) -> str:
        what = "database" if self.table is None else f"{_SINGULAR[self.table]} {self.name}"
        return f"{what}: {self.reason}"


def check(path: Path) -> list[Damage]:
    """Return all damage of a store, for which every file is read."""
    found = []
    try:
        with Store(path).open(create=False, writable=False) as store:
            found += _damages(store)
    except Unreadable as error:
        found.append(Damage(reason=str(error)))
    return found


def _damages(store: Store) -> Iterator[Damage]:
    problems = [str(line) for line, in store.database.read("PRAGMA integrity_check(10)")]
    if problems != ["ok"]:
        yield Damage(reason=" ".join("; ".join(problems).split()))
    for table in COLUMNS:
        for rowid, in store.database.read(f"SELECT rowid FROM {table}"):
            # Look at it again, since another process may have just replaced its files.
            if _damage(store, table, rowid) and (damage := _damage(store, table, rowid)):
                yield damage


def _damage(store: Store, table: str, rowid: int) -> Damage | None:
    """Return the damage of an entry; None if it is undamaged, or gone."""
    pruned = "pruned" if table == "outcomes" else "0"
    found = store.database.read(f"SELECT {COLUMNS[table]}, {pruned} FROM {table} WHERE rowid = ?",
                                rowid)
    if not found:
        return None
    *entry, pruned = found[0]
    intact = decoded(*entry) is not None if table == "outcomes" else is_intact(*entry)
    if not intact:
        reason = "its entry in the database is not what was stored"
    else:
        reason = _damage_of_files(store, entry, pruned) if table == "outcomes" else None
    name = " ".join(str(entry[0]).split())[:60]
    return Damage(table=table, name=name, reason=reason) if reason else None


def _damage_of_files(store: Store, entry: Sequence[str], pruned: bool) -> str | None:
    for name, stored in decoded(*entry).files.items():
        path = store.files(entry[0]) / name
        if not is_real(path):
            if pruned and name not in KEPT and not os.path.lexists(path):
                continue
            return f"{path} is missing"
        try:
            if digest(path.read_bytes()) != stored:
                return f"{path} is not the file that was stored"
        except OSError as error:
            return f"{path} cannot be read ({error.strerror})"
    return None


def info(path: Path) -> dict[str, Any]:
    """Return the sizes and counts of the contents of a store, as a JSON-able dictionary."""
    with Store(path).open(create=False, writable=False) as store:
        counts = store.database.read("SELECT stage, status, count(*) FROM outcomes "
                                     "GROUP BY stage, status ORDER BY stage, status")
        (oldest, newest, pruned), = store.database.read(
            "SELECT min(date), max(date), total(pruned) FROM outcomes")
        files = [size for _, size in _files_in(store.path / "artefacts")]
        return {"path": str(store.path), "version": SCHEMA,
                "database_bytes": database_bytes(store.path), "artefacts_bytes": sum(files),
                "artefacts": len(files), "rows": len(store.rows()), "pruned": int(pruned),
                "outcomes": [{"stage": stage, "status": status, "count": count}
                             for stage, status, count in counts],
                "oldest": oldest, "newest": newest}


def _files_in(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield all files in a folder and below, with their sizes in bytes; follow no link."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            with contextlib.suppress(OSError):
                yield path, path.lstat().st_size


def size_of(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(size for _, size in _files_in(path))
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def database_bytes(path: Path) -> int:
    return size_of(path / DATABASE) + size_of(path / f"{DATABASE}-wal")


@dataclasses.dataclass
class Freed:
    """The numbers of ``leftovers`` of killed processes, ``unnamed`` folders that no outcome names,
    ``outcomes`` and large ``files`` of others that were removed; keys in use were left alone.
    """

    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    bytes: int = 0
    busy: set[str] = dataclasses.field(default_factory=set)


def prune(path: Path, *, older_than_days: float | None = None, failed: bool = False,
          artefacts: bool = False, dry_run: bool = False) -> Freed:
    """Remove files that are not needed and, by the options, results that can be computed again.

    Leftovers and unnamed files are always removed; and, if that is asked for, outcomes that were
    computed more than some days ago, those of stages that failed, and all files (``artefacts``) but
    those from which rows are made. Rows are never removed. A dry run only counts.
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
