"""The database of a store, and the messages for SQLite's errors."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DiskFull, used_up
from .folder import DATABASE, StoreError
from .tables import AGAIN, create_tables, has_tables

__all__ = ["Damaged", "Database", "explained"]

#: Time limit for waiting for other processes that write, in seconds.
_PATIENCE_S = 60
_POLL_S = 0.05
#: If less room than this is left on the disk, an error of SQLite is assumed to come from that.
_ROOM_BYTES = 1 << 18


class Damaged(StoreError):
    """A database that SQLite cannot read."""


def explained(error: sqlite3.Error, file: Path) -> Exception:
    """Return the exception to raise in place of an error of SQLite."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
                                       and _no_room(file.parent)):
        return DiskFull(used_up(errno.ENOSPC, f"cannot write in {file.parent}"))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH,
                sqlite3.SQLITE_CANTOPEN):
        return StoreError(f"{file} cannot be opened or written ({error}); make it and its folder "
                          "writable, or copy the folder and name the copy with --store")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreError(f"{file} is in use by another process for too long ({error}); wait for "
                          "its end, or name another store with --store")
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(f"The disk with {file} does not work as it should ({error}); look at the "
                          "system's log, or name another store with --store")
    return Damaged(f"{file} cannot be read ({error}); delete it, or name another store with "
                   f"--store: {AGAIN}")


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


class Database:
    """An open database.

    Parameters
    ----------
    folder : Path
        The folder of the store.
    writable : bool
        Whether the database will be written. If so, it is made if there is none.

    Raises
    ------
    StoreError, DiskFull
        If the database cannot be opened.
    """

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.file = folder / DATABASE
        self.writable = writable
        exists = self.file.exists()
        for path in (folder, self.file)[:1 + exists] if writable else ():
            if not os.access(path, os.W_OK):
                raise StoreError(f"A store must be writable for this command, but {path} is not; "
                                 "make it writable, or name another store with --store")
        with self._errors():
            self._connection = sqlite3.connect(
                f"{self.file.absolute().as_uri()}?mode={'rwc' if writable else 'rw'}", uri=True,
                timeout=_PATIENCE_S, isolation_level=None)
            try:
                self._prepare(exists)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        # Closing a damaged database may raise an error.
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def read(self, query: str, *values: Any) -> list[tuple]:
        """Return the rows of the result of a query.

        Raises
        ------
        StoreError
            If the database cannot be read.
        """
        with self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection within a transaction, which is undone after an exception.

        Raises
        ------
        StoreError, DiskFull
            If the database cannot be written.
        """
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    def compact(self) -> None:
        """Return the space of removed entries to the disk, if there is enough room to do so."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explained(error, self.file) from None

    def _prepare(self, existed: bool) -> None:
        database = self._connection
        # A checksum detects damaged text later, without an exception here.
        database.text_factory = lambda data: data.decode(errors="replace")
        database.execute("PRAGMA cell_size_check=ON")
        # A store gets its tables before any files.
        has_files = existed and (self.file.parent / "artefacts").exists()
        if not has_tables(database, self.file) and (has_files or not self.writable):
            raise sqlite3.DatabaseError("it is empty")
        if not self.writable:
            # Not mode=ro, which would leave the files of the log behind.
            database.execute("PRAGMA query_only=ON")
        else:
            self._use_log()
            # The database survives killed processes. A power cut may lose only the latest outcomes.
            database.execute("PRAGMA synchronous=NORMAL")
            if not has_tables(database, self.file):
                database.execute("BEGIN IMMEDIATE")
                # Another process may have made the tables meanwhile.
                if not has_tables(database, self.file):
                    create_tables(database)
                database.execute("COMMIT")

    def _use_log(self) -> None:
        """Have readers and a writer work at once."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite itself does not wait for others that do the same.
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(_POLL_S)
