"""The database of a store, its connections, and the messages for SQLite's errors."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DiskFull, largest_file, used_up
from .folder import DATABASE, StoreError
from .tables import SCHEMA, create_tables, schema, upgrade, upgraded

__all__ = ["Damaged", "Database", "connect", "explained", "full_message"]

#: Time limit for waiting for other processes that write, in seconds.
_PATIENCE_S = 60
_POLL_S = 0.05
#: If less room than this is left on the disk, an error of SQLite is assumed to come from that.
_ROOM_BYTES = 1 << 18
_ATTEMPTS = 5


class Damaged(StoreError):
    """A database that SQLite cannot read."""


def full_message(path: Path) -> str:
    return used_up(errno.ENOSPC, f"cannot write in {path}")


def explained(error: sqlite3.Error, file: Path) -> Exception:
    """Return the exception to raise in place of an error of SQLite."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
                                       and _no_room(file.parent)):
        return DiskFull(full_message(file.parent))
    if code == sqlite3.SQLITE_IOERR and largest_file() is not None:
        return DiskFull(used_up(errno.EFBIG, f"cannot write {file}"))
    elsewhere = "name another store with --store"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreError(f"{file} cannot be written ({error}); make it and its folder writable, "
                          f"or {elsewhere}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreError(f"{file} is in use by another process for too long ({error}); wait for "
                          f"its end, or {elsewhere}")
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(f"The disk with {file} does not work as it should ({error}); look at the "
                          f"system's log, or {elsewhere}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{file} cannot be opened ({error}); look at its permissions and those "
                          f"of the files beside it, or {elsewhere}")
    return Damaged(f"{file} cannot be read ({error}); 'montgomery store check --repair' saves what "
                   "can be read of it, and --store names another store")


def _no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


def connect(file: Path, *parameters: str) -> sqlite3.Connection:
    """Return a connection of SQLite, opened with parameters such as ``mode=ro``."""
    uri = "?".join((file.absolute().as_uri(), "&".join(parameters)))
    connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE_S, isolation_level=None)
    # A checksum detects damaged text later, without an exception here.
    connection.text_factory = lambda data: data.decode(errors="replace")
    try:
        connection.execute("PRAGMA cell_size_check=ON")
    except BaseException:
        connection.close()
        raise
    return connection


class Database:
    """An open database.

    Parameters
    ----------
    folder : Path
        The folder of the store.
    writable : bool
        Whether the database will be written. If false, a database in a folder without permission to
        write can be read as well.

    Raises
    ------
    StoreError, DiskFull
        If the database cannot be opened.
    """

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.file = folder / DATABASE
        self.writable = writable
        #: Version of the tables in the file.
        self.version = SCHEMA
        self._connection: sqlite3.Connection | None = None
        # Either a copy is open, or SQLite takes the file for immutable and cannot see changes.
        self._copy: tempfile.TemporaryDirectory | None = None
        self._seen: tuple | None = None
        with self._errors():
            self._check_files()
            if writable:
                self._open_to_write()
            else:
                self._open_to_read()

    def close(self) -> None:
        if self._connection is not None:
            # Closing a damaged database may raise an error.
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def read(self, query: str, *values: Any) -> list[tuple]:
        """Return the rows of the result of a query.

        Raises
        ------
        StoreError
            If the database cannot be read.
        """
        with self._errors():
            for _ in range(_ATTEMPTS):
                found: list[tuple] | sqlite3.Error
                try:
                    found = self._connection.execute(query, values).fetchall()
                except sqlite3.Error as error:
                    found = error
                if self._seen is None or self._seen == self._look():
                    break
                # Another process changed the file, which SQLite took for immutable.
                self.close()
                self._open_to_read()
            if isinstance(found, sqlite3.Error):
                raise found
            return found

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

    @property
    def _beside(self) -> tuple[Path, Path]:
        return (self.file.with_name(f"{DATABASE}-wal"), self.file.with_name(f"{DATABASE}-shm"))

    def _check_files(self) -> None:
        """Refuse anything but regular files, since SQLite would follow a symbolic link."""
        for path in (self.file, *self._beside, self.file.with_name(f"{DATABASE}-journal")):
            try:
                mode = path.lstat().st_mode
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StoreError(f"{path} cannot be read ({error.strerror}); make its folder "
                                 "readable, or name another store with --store") from None
            if not stat.S_ISREG(mode):
                raise StoreError(f"{path} must be a regular file, and no folder or symbolic link; "
                                 "move it elsewhere, or name another store with --store")

    # To write

    def _open_to_write(self) -> None:
        for path in (self.file.parent, self.file):
            if path == self.file:
                # SQLite would make a file that a group cannot write, whatever the umask.
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
            if not os.access(path, os.W_OK):
                raise StoreError(f"A store must be writable for this command, but {path} is not; "
                                 "make it writable, or name another store with --store")
        end = time.monotonic() + _PATIENCE_S
        while True:
            self._connection = connect(self.file, "mode=rw")
            try:
                self._prepare()
                return
            except sqlite3.OperationalError as error:
                self.close()
                # SQLite itself does not wait in all cases.
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(_POLL_S)
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        database = self._connection
        if schema(database, self.file) == 0:
            self._check_empty()
        (mode,), = database.execute("PRAGMA journal_mode")
        if mode != "wal":
            database.execute("PRAGMA journal_mode=WAL")
        # The database survives killed processes. A power cut may lose only the latest outcomes.
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        # Read the version again, since another process may have made the tables meanwhile.
        version = schema(database, self.file)
        if version == 0:
            create_tables(database)
        elif version < SCHEMA:
            upgrade(database)
        else:
            # SQLite begins a transaction even if the database cannot be written.
            self._try_to_write()
        database.execute("COMMIT")

    def _try_to_write(self) -> None:
        try:
            self._connection.execute("UPDATE meta SET value = value WHERE name = 'schema'")
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN")
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            beside = (path for path in self._beside if path.exists())
            if code == sqlite3.SQLITE_READONLY and all(os.access(path, os.W_OK)
                                                       for path in (self.file, *beside)):
                raise sqlite3.DatabaseError(f"{error}, which it is not") from None
            raise

    def _check_empty(self) -> None:
        # A store gets its tables before any files, so an empty database with files is damaged.
        with contextlib.suppress(OSError):
            if any((self.file.parent / "artefacts").iterdir()):
                raise sqlite3.DatabaseError("it is empty, but there are files of outcomes")

    # To read

    def _open_to_read(self) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                self._choose_how_to_read()
                return
            except sqlite3.Error:
                self.close()
                if self._seen in (None, self._look()) or attempt == _ATTEMPTS - 1:
                    raise
            except OSError as error:
                self.close()
                raise StoreError(f"{error.filename or self.file} cannot be read ({error.strerror});"
                                 " make it readable, or name another store with --store") from None
            except BaseException:
                self.close()
                raise

    def _choose_how_to_read(self) -> None:
        self._seen = None
        looked = self._look()
        # Whether the log has entries that are not in the database file yet.
        waiting = looked[1] is not None and looked[1][1] > 0
        # In a store of another user, SQLite would make files that their owner cannot write.
        own = all(os.access(path, os.W_OK) for path in (self.file.parent, self.file))
        # If there is no log, SQLite would make one and leave it behind.
        if (waiting and own) or all(path.exists() for path in self._beside):
            with contextlib.suppress(sqlite3.OperationalError):
                self._look_into(connect(self.file, "mode=ro"))
                return
        if waiting:
            self._look_into(self._copied())
        else:
            self._seen = looked
            self._look_into(connect(self.file, "mode=ro", "immutable=1"))

    def _look_into(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        try:
            self.version = schema(connection, self.file)
            if self.version == 0:
                self._check_empty()
            if self.version < SCHEMA:
                self._connection = upgraded(connection, self.version)
                connection.close()
        except BaseException:
            connection.close()
            self._connection = None
            raise

    def _look(self) -> tuple:
        """Return a value that changes whenever a process writes the files."""
        found = []
        for path in (self.file, self._beside[0]):
            try:
                status = path.stat()
            except FileNotFoundError:
                found.append(None)
            else:
                found.append((status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(found)

    def _copied(self) -> sqlite3.Connection:
        """Open a copy, since SQLite must write files beside a database to read its log."""
        for _ in range(_ATTEMPTS):
            before = self._look()
            if self._copy is not None:
                self._copy.cleanup()
            self._copy = tempfile.TemporaryDirectory(prefix="montgomery_")
            copy = Path(self._copy.name, DATABASE)
            shutil.copyfile(self.file, copy)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self._beside[0], copy.with_name(f"{DATABASE}-wal"))
            if before == self._look():
                connection = connect(copy, "mode=rw")
                connection.execute("PRAGMA query_only=ON")
                return connection
            time.sleep(_POLL_S)
        raise StoreError(f"{self.file} is being written by another process; try again")
