"""The database of a store: its tables, their entries, and the messages for SQLite's errors.

Each entry is a JSON text with a checksum. Columns beside it repeat what queries ask for: those of
``outcomes`` are the stage, status, seconds and date, and those of ``rows`` the columns of a row.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import DiskFull, used_up
from ..outcome import Outcome
from .folder import DATABASE, StoreError, is_plain

__all__ = ["COLUMNS", "SCHEMA", "Database", "Unreadable", "decoded", "decoded_row", "explained",
           "is_intact", "outcome_entry", "row_entry", "with_checksum"]

#: Time limit for waiting for other processes that write, in seconds.
_PATIENCE_S = 60
_POLL_S = 0.05


class Unreadable(StoreError):
    """A database that SQLite cannot read."""


def explained(error: sqlite3.Error, file: Path) -> Exception:
    """Return the exception to raise in place of an error of SQLite."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(used_up(errno.ENOSPC, f"cannot write in {file.parent}"))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH,
                sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        return StoreError(f"{file} cannot be opened or written ({error}); make it and its folder "
                          "writable, or copy the folder and name the copy with --store")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreError(f"{file} is in use by another process for too long ({error}); wait for "
                          "its end, or name another store with --store")
    return Unreadable(f"{file} cannot be read ({error}); delete it, or name another store with "
                      f"--store: {AGAIN}")


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


class Database:
    """The open database of the folder of a store, which is made if it is to be written.

    All errors are :exc:`StoreError` or :exc:`DiskFull`.
    """

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.file = folder / DATABASE
        self.writable = writable
        exists = self.file.exists()
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
        """Return the rows of the result of a query."""
        with self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection within a transaction, which is undone after an exception."""
        with self._errors(), self._connection as database:
            database.execute("BEGIN IMMEDIATE")
            yield database

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
                with self.write():
                    # Another process may have made the tables meanwhile.
                    if not has_tables(database, self.file):
                        create_tables(database)

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


#: Version of the tables.
SCHEMA = 3
#: What remains without the database, as the end of a message.
AGAIN = "a sweep reads the rows in its folder of --output as well"
#: Columns of each table that hold an entry. The last one is the checksum of the others.
COLUMNS = {"outcomes": "key, spec, outcome, checksum", "rows": "identity, row, checksum",
           "tools": "identity, version, checksum"}

_OF_ROWS = ("kind", "arch", "width", "target", "seed", "status")
_TABLES = f"""
CREATE TABLE outcomes (
    key TEXT PRIMARY KEY, spec TEXT NOT NULL, outcome TEXT NOT NULL, checksum TEXT NOT NULL,
    stage TEXT, status TEXT, seconds REAL, date TEXT, pruned INTEGER NOT NULL);
CREATE INDEX outcomes_by_stage ON outcomes (stage);
CREATE TABLE rows (
    identity TEXT PRIMARY KEY, row TEXT NOT NULL, checksum TEXT NOT NULL,
    kind TEXT, arch TEXT, width INTEGER, target TEXT, seed INTEGER, status TEXT);
CREATE TABLE tools (identity TEXT PRIMARY KEY, version TEXT NOT NULL, checksum TEXT NOT NULL);
PRAGMA user_version = {SCHEMA};
"""


def has_tables(database: sqlite3.Connection, file: Path) -> bool:
    """Return whether a database has the tables of a store; False if it is empty.

    :exc:`StoreError` says that another program, or another version of this one, made it.
    """
    (count,), = database.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    (version,), = database.execute("PRAGMA user_version")
    if count and version != SCHEMA:
        raise StoreError(f"{file} is of another version of this program, or of another program; "
                         f"delete it, or name another store with --store: {AGAIN}")
    return bool(count)


def create_tables(database: sqlite3.Connection) -> None:
    """Make the tables of an empty database within a transaction, which executescript() ends."""
    for statement in filter(str.strip, _TABLES.split(";")):
        database.execute(statement)


def with_checksum(*texts: str) -> tuple[str, ...]:
    """Return the texts of an entry and their checksum."""
    return (*texts, hashlib.sha256(json.dumps(texts).encode()).hexdigest())


def is_intact(*entry: Any) -> bool:
    """Return whether the last part of an entry is the checksum of the others."""
    return all(isinstance(part, str) for part in entry) and with_checksum(*entry[:-1]) == entry


def outcome_entry(key: str, spec: Mapping[str, Any], outcome: Outcome) -> tuple[Any, ...]:
    """Return all columns of an outcome."""
    texts = key, json.dumps(dict(spec)), json.dumps(outcome.to_json())
    return (*with_checksum(*texts), spec.get("stage"), str(outcome.status), outcome.seconds,
            outcome.date or None, False)


def decoded(*entry: Any) -> Outcome | None:
    """Return the outcome of an entry with the columns :data:`COLUMNS`; None if it is damaged."""
    if not is_intact(*entry):
        return None
    try:
        outcome = Outcome.from_json(json.loads(entry[2]))
    except ValueError:
        return None
    return outcome if all(map(is_plain, outcome.files)) else None


def row_entry(identity: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return all columns of a row."""
    return (*with_checksum(identity, json.dumps(dict(row))), *map(row.get, _OF_ROWS))


def decoded_row(*entry: Any) -> dict[str, Any] | None:
    """Return the row of an entry with the columns :data:`COLUMNS`; None if it is damaged."""
    return json.loads(entry[1]) if is_intact(*entry) else None
