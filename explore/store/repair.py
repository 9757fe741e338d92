"""Repairs a store: forgets damaged entries, or makes a new database from the readable ones."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import sqlite3
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..atomic import NotReplaceable, atomic_write
from .database import Damaged, connect, explained
from .examine import COLUMNS, Damage, again, check, is_key, reason
from .folder import DATABASE, StoreError
from .locks import FolderLock
from .store import Store, decoded, decoded_row, disk_full, is_intact
from .tables import checksum, create_tables

__all__ = ["Repair", "repair"]

#: Largest number of entries that are tried one by one if SQLite cannot find the next entry.
_PROBES = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Repair:
    """The report on a repair.

    Attributes
    ----------
    found : list of Damage
        Damage before the repair.
    left : list of Damage
        Damage that was left, since another process uses the entries.
    kept : Path or None
        The damaged database, if a new one was made.
    saved : dict from str to int
        Number of entries in each table of the new database.
    """

    found: list[Damage]
    left: list[Damage]
    kept: Path | None = None
    saved: dict[str, int] = dataclasses.field(default_factory=dict)


def repair(path: Path) -> Repair:
    """Forget all damaged entries, so that they are computed again when they are needed.

    If SQLite cannot read the database, a new database gets all entries that can still be read. The
    damaged database is kept beside it.

    Raises
    ------
    StoreError, DiskFull
        If the store cannot be repaired.
    """
    found = check(path)
    if all(damage.table is not None for damage in found):
        try:
            # Some damage only shows when the database is opened for writing.
            Store(path).open(create=False).close()
        except Damaged as error:
            found.append(Damage(reason=str(error)))
    kept, saved, damages = None, {}, found
    if any(damage.table is None for damage in found):
        kept, saved = _rebuild(path)
        damages = check(path)
        found = found + damages
    left = []
    if damages:
        with Store(path).open(create=False) as store:
            left = [damage for damage in damages if not _forget(store, damage)]
    return Repair(found=found, left=left, kept=kept, saved=saved)


def _forget(store: Store, damage: Damage) -> bool:
    """Remove an entry that is still damaged; return False if another process uses it."""
    if damage.table is None:
        return False
    if damage.table != "outcomes":
        with store.database.write() as database:
            database.execute(f"DELETE FROM {damage.table} WHERE rowid = ?", (damage.rowid,))
        return True
    entry = again(store, "outcomes", damage.rowid)
    if entry is None:
        return True
    if not is_key(entry[0]):
        with store.database.write() as database:
            database.execute("DELETE FROM outcomes WHERE rowid = ?", (damage.rowid,))
        return True
    lock = store.lock(entry[0])
    if lock is None:
        return False
    try:
        entry = again(store, "outcomes", damage.rowid)
        if entry is not None and reason(store, "outcomes", entry) is not None:
            store.forget(entry[0])
    finally:
        lock.release()
    return True


def _rebuild(path: Path) -> tuple[Path, dict[str, int]]:
    file = path / DATABASE
    stamp = time.strftime("%Y%m%dT%H%M%S")
    kept = next(each for number in range(1 << 30) if not os.path.lexists(
        each := path / f"{DATABASE}.damaged-{stamp}{f'-{number}' if number else ''}"))
    lock = FolderLock(path)
    try:
        with lock.alone("A database can be made anew only"), disk_full(path):
            for suffix in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError), \
                        atomic_write(kept.with_name(kept.name + suffix)) as partial:
                    shutil.copyfile(f"{file}{suffix}", partial)
            tables = _saved(kept)
            with atomic_write(file) as partial:
                _make(partial, tables)
                # SQLite would take the old log for the log of the new database.
                for suffix in ("-wal", "-shm", "-journal"):
                    Path(f"{file}{suffix}").unlink(missing_ok=True)
    except sqlite3.Error as error:
        raise explained(error, file) from None
    except NotReplaceable as error:
        raise StoreError(str(error)) from None
    except OSError as error:
        raise StoreError(f"{error.filename or path} cannot be written ({error.strerror}); make it "
                         "and its folder writable, or name another store with --store") from None
    finally:
        lock.release()
    return kept, {table: len(entries) for table, entries in tables.items()}


def _make(file: Path, tables: dict[str, list[tuple]]) -> None:
    with contextlib.closing(connect(file, "mode=rw")) as database:
        database.execute("BEGIN IMMEDIATE")
        create_tables(database)
        for table, entries in tables.items():
            marks = ", ".join("?" * len(COLUMNS[table]))
            database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", entries)
        database.execute("COMMIT")


def _saved(file: Path) -> dict[str, list[tuple]]:
    """Return the entries of a damaged database that can be read and are undamaged."""
    tables: dict[str, list[tuple]] = {table: [] for table in COLUMNS}
    try:
        database = connect(file, "mode=ro")
    except sqlite3.Error:
        return tables
    with contextlib.closing(database):
        for table, columns in COLUMNS.items():
            tables[table] = [tuple(entry) for entry in _readable(database, table, columns)
                             if (decoded(*entry)[1] is not None if table == "outcomes"
                                 else is_intact(*entry))]
            if table == "rows" and not tables[table]:
                # Schema 1 has no checksums. Rows that are not JSON are left out.
                for entry in _readable(database, table, columns[:2]):
                    if all(isinstance(part, str) for part in entry):
                        whole_entry = (*entry, checksum(*entry))
                        if decoded_row(*whole_entry) is not None:
                            tables[table].append(whole_entry)
    for suffix in ("-shm", "-journal"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    return tables


def _readable(database: sqlite3.Connection, table: str, columns: Collection[str]) -> list[tuple]:
    """Return all entries of a table that SQLite can find, in their order."""
    select = f"SELECT rowid, {', '.join(columns)} FROM {table} "
    # Entries are the keys of this dictionary, since their numbers may be damaged as well.
    found: dict[tuple, int] = {}

    def read(query: str, *values: Any) -> bool:
        try:
            for rowid, *entry in database.execute(select + query, values):
                if isinstance(rowid, int):
                    found.setdefault(tuple(entry), rowid)
        except sqlite3.Error:
            return False
        return True

    if not read("ORDER BY rowid"):
        first = max(found.values(), default=0)
        read("ORDER BY rowid DESC")
        after = [rowid for rowid in found.values() if rowid > first]
        # Perhaps only the page between the two parts is damaged.
        for rowid in range(first + 1, min(min(after, default=first), first + _PROBES)):
            read("WHERE rowid = ?", rowid)
    return sorted(found, key=found.__getitem__)
