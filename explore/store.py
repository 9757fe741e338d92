"""The store: outcomes of stages by key, their files, and the rows that were measured.

One folder holds one SQLite file and, beside it, a folder of files for each outcome that has any.
Files are written under another name in the same file system, renamed, and only then entered in the
database, so that what the database knows of is whole, whatever was killed and when. Any number of
processes may use one store at once; a file lock for each key, which the system releases when its
holder ends in whatever way, keeps two of them from computing the same outcome.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .folder import StoreError, default_path, mark
from .tools import DiskFull

__all__ = ["SCHEMA", "Store", "StoreError", "default_path", "disk_full"]

#: Version of what is in a store.
SCHEMA = 1

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS outcomes (
    key TEXT PRIMARY KEY, spec TEXT NOT NULL, outcome TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (identity TEXT PRIMARY KEY, row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tools (identity TEXT PRIMARY KEY, version TEXT NOT NULL);
"""


@contextlib.contextmanager
def disk_full(path: Path) -> Iterator[None]:
    """Turn all the ways in which a full disk shows itself into :exc:`DiskFull`."""
    message = (f"Disk is full: cannot write in {path}; free some room, or give another folder with "
               "--store, then the same command goes on")
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull(message) from error
    except sqlite3.OperationalError as error:
        if "full" not in str(error):
            raise
        raise DiskFull(message) from error


class Store:
    """A store, as a context manager.

    Parameters
    ----------
    path : path or None
        Its folder; :func:`default_path` if None. Nothing is touched before :meth:`open`.
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._database: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        """Whether there is anything in the folder that :meth:`open` could read."""
        return (self.path / "store.sqlite").exists()

    def open(self, *, create: bool = True) -> Store:
        """Open the store; make it, with its folder, if there is none.

        Parameters
        ----------
        create : bool
            Whether a store may be made.

        Raises
        ------
        StoreError
            If the folder holds something else, a store of another version, or with
            ``create=False`` nothing.
        DiskFull
            If it cannot be made for that reason.
        """
        if not self.exists and not create:
            raise StoreError(f"No measurements in {self.path}; 'montgomery sweep' makes some, and "
                             "--store names another folder")
        with disk_full(self.path):
            mark(self.path)
            self._database = self._connect()
        return self

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> Store:
        return self if self._database is not None else self.open()

    def __exit__(self, *_exception) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path / "store.sqlite", timeout=60, isolation_level=None)
        try:
            database.execute("PRAGMA journal_mode=WAL")
            # Survives a killed process; a power cut may lose the last outcomes, never the rest.
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute("BEGIN IMMEDIATE")
            # Not executescript, which would commit first.
            for statement in filter(str.strip, _TABLES.split(";")):
                database.execute(statement)
            database.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
            (schema,), = database.execute("SELECT value FROM meta WHERE name = 'schema'")
            database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            database.close()
            if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
                raise
            raise StoreError(f"{self.path / 'store.sqlite'} cannot be read ({error}); delete the "
                             "folder, or name another one with --store") from None
        if schema != str(SCHEMA):
            database.close()
            raise StoreError(f"A store must be of version {SCHEMA}, but {self.path} is of version "
                             f"{schema}; delete the folder, or name another one with --store")
        return database

    # Outcomes

    def outcome(self, key: str) -> dict[str, Any] | None:
        """Return the outcome of a stage, or None if it is not known or its files are gone."""
        found = self._database.execute("SELECT outcome FROM outcomes WHERE key = ?", (key,))
        row = found.fetchone()
        outcome = json.loads(row[0]) if row else None
        return outcome if outcome and self._has_files(key, outcome) else None

    def _has_files(self, key: str, outcome: dict[str, Any]) -> bool:
        return all((self.files(key) / name).exists() for name in outcome["files"])

    def files(self, key: str) -> Path:
        """Return the folder of an outcome's files."""
        return self.path / "artefacts" / key[:2] / key

    def workspace(self, key: str) -> Path:
        """Return a new empty folder for a stage to run in.

        The caller holds :meth:`lock`; folders that others left when they were killed are removed.
        """
        parent = self.files(key).parent
        with disk_full(self.path):
            parent.mkdir(parents=True, exist_ok=True)
            for leftover in parent.glob(f".{key}.*"):
                shutil.rmtree(leftover, ignore_errors=True)
            return Path(tempfile.mkdtemp(prefix=f".{key}.", dir=parent))

    def discard(self, workspace: Path) -> None:
        """Remove a folder made by :meth:`workspace`."""
        shutil.rmtree(workspace, ignore_errors=True)

    def commit(self, key: str, spec: dict[str, Any], outcome: dict[str, Any],
               workspace: Path) -> None:
        """Store an outcome with all files in ``workspace``, which is gone afterwards.

        Raises
        ------
        DiskFull
            If there is no room for it.
        """
        with disk_full(self.path):
            final = self.files(key)
            if final.exists():
                # Its outcome failed, or was killed just before it entered the database.
                shutil.rmtree(final)
            files = sorted(path.name for path in workspace.iterdir())
            if files:
                os.replace(workspace, final)
            else:
                workspace.rmdir()
            self._database.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)",
                                   (key, json.dumps(spec), json.dumps({**outcome, "files": files})))

    def lock(self, key: str) -> Any | None:
        """Return a lock, to be released by its ``release()``, or None while another has it."""
        from filelock import FileLock, Timeout

        with disk_full(self.path):
            folder = self.path / "locks"
            folder.mkdir(exist_ok=True)
            lock = FileLock(folder / key, thread_local=False)
            try:
                lock.acquire(timeout=0)
            except Timeout:
                return None
        return lock

    # Versions of tools that have been asked

    def tool_version(self, identity: str) -> str | None:
        """Return what a tool said of its version, or None if it never ran from this store."""
        found = self._database.execute("SELECT version FROM tools WHERE identity = ?", (identity,))
        row = found.fetchone()
        return row[0] if row else None

    def remember_tool(self, identity: str, version: str) -> None:
        with disk_full(self.path):
            self._database.execute("INSERT OR REPLACE INTO tools VALUES (?, ?)",
                                   (identity, version))

    # Rows

    def rows(self) -> list[dict[str, Any]]:
        """Return the latest row of every point and seed that was ever measured."""
        return [json.loads(row) for row, in
                self._database.execute("SELECT row FROM rows ORDER BY rowid")]

    def remember_rows(self, rows: dict[str, dict[str, Any]]) -> None:
        """Store rows under their identities (point and seed), in place of earlier ones."""
        with disk_full(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", [
                    (identity, json.dumps(row)) for identity, row in rows.items()])
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
