"""A store: its folder and its database, opened and closed, and what they hold."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from ..errors import going_on
from ..outcome import Outcome, StageFailed
from . import folder
from .database import (
    COLUMNS,
    Database,
    decoded,
    decoded_row,
    is_intact,
    outcome_entry,
    row_entry,
    with_checksum,
)
from .folder import DATABASE, KeyLock, StoreError, is_plain, is_real, remove

__all__ = ["Store"]

_log = logging.getLogger(__name__)


class Store:
    """A folder of outcomes of stages, versions of tools, and rows, which is a context manager.

    The folder is :func:`default_path` if there is no path. It is not touched before :meth:`open`.
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = Path(path) if path is not None else folder.default_path()
        self._database: Database | None = None

    @property
    def exists(self) -> bool:
        """Whether the folder has a database that :meth:`open` could read."""
        return os.path.isfile(self.path / DATABASE)

    @property
    def writable(self) -> bool:
        """Whether the store is open for writing."""
        return self._database is not None and self._database.writable

    def open(self, *, create: bool = True, writable: bool = True) -> Self:
        """Open the store; make it and its folder if there is none, and it is to be ``writable``.

        :exc:`StoreError` says why the store cannot be used as asked, and :exc:`DiskFull` that there
        is no room for a new one.
        """
        if not self.exists and not (create and writable):
            raise StoreError(f"No measurements in {self.path}; 'montgomery sweep' makes some, and "
                             "--store names another folder")
        with self._writing():
            if writable:
                folder.mark(self.path)
            self._database = Database(self.path, writable=writable)
        return self

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> Self:
        return self if self._database is not None else self.open()

    def __exit__(self, *_exception) -> None:
        self.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn errors of the operating system into errors that name the folder and the remedy."""
        try:
            with going_on(f"cannot write in {self.path}"):
                yield
        except OSError as error:
            raise StoreError(f"{error.filename or self.path} cannot be written "
                             f"({error.strerror or error}); make it and its folder writable, or "
                             "name another store with --store") from error

    @property
    def database(self) -> Database:
        """The open database."""
        if self._database is None:
            raise StoreError(f"The store in {self.path} is not open; use it in a 'with'")
        return self._database

    def _insert(self, table: str, *entries: tuple[Any, ...], replace: bool = True) -> None:
        """Store entries, in place of those of the same keys or not: all or, after an error, none.
        """
        if entries:
            marks, where = ", ".join("?" * len(entries[0])), "REPLACE" if replace else "IGNORE"
            with self._writing(), self.database.write() as database:
                database.executemany(f"INSERT OR {where} INTO {table} VALUES ({marks})", entries)

    # Outcomes

    def outcome(self, key: str) -> Outcome | None:
        """Return the outcome of a stage; None if it is unknown, or its entry is damaged.

        Its files may be gone or damaged, which shows when they are read.
        """
        for entry in self.database.read(f"SELECT {COLUMNS['outcomes']} FROM outcomes "
                                        "WHERE key = ?", key):
            return decoded(*entry) if entry[0] == key else None
        return None

    def files(self, key: str) -> Path:
        """Return the folder of an outcome's files."""
        return self.path / "artefacts" / key[:2] / key

    def workspace(self, key: str) -> Path:
        """Return a new empty folder for a stage to run in.

        The caller must hold the :meth:`lock` of the key, and removes the folder. Workspaces that
        killed processes left are removed.
        """
        with self._writing():
            parent = folder.subfolder(self.path, "artefacts", key[:2])
            # Not glob(), which takes ten times as long in a folder of hundreds of outcomes.
            for name in os.listdir(parent):
                if name.startswith(f".{key}."):
                    remove(parent / name)
            path = self._beside(key)
            path.mkdir()
            return path

    def _beside(self, key: str) -> Path:
        """Return an unused path, whose name shows that it is a leftover if it stays."""
        return self.files(key).with_name(f".{key}.{secrets.token_hex(8)}")

    #: Removes a folder made by :meth:`workspace`.
    discard = staticmethod(remove)

    def commit(self, key: str, spec: Mapping[str, Any], outcome: Outcome, workspace: Path) -> None:
        """Store an outcome with its files in ``workspace``, which is removed.

        The outcome replaces any other outcome of the key. The caller must hold the :meth:`lock` of
        the key. A file that the outcome names, and is no regular one, is a :exc:`StageFailed`.
        """
        for name in outcome.files:
            if not is_plain(name) or not is_real(workspace / name):
                raise StageFailed(f"The stage left no regular file {name}")
        with self._writing():
            for path in workspace.iterdir():
                if path.name not in outcome.files:
                    remove(path)
            self._remove_files(key)
            if outcome.files:
                os.replace(workspace, self.files(key))
            else:
                workspace.rmdir()
            self._insert("outcomes", outcome_entry(key, spec, outcome))

    def learn(self, outcomes: Mapping[str, tuple[str, Outcome]]) -> None:
        """Store outcomes that have no files, of stages by key, where none is known.

        Whoever needs the files of such a stage computes it again.
        """
        entries = [outcome_entry(key, {"stage": stage}, outcome)
                   for key, (stage, outcome) in outcomes.items()]
        self._insert("outcomes", *entries, replace=False)

    def forget(self, key: str) -> None:
        """Remove an outcome and its files, so that it is computed again when it is needed."""
        with self._writing():
            with self.database.write() as database:
                database.execute("DELETE FROM outcomes WHERE key = ?", (key,))
            self._remove_files(key)

    def _remove_files(self, key: str) -> None:
        path = self.files(key)
        if os.path.lexists(path):
            # Rename it first, so that files that cannot be removed are out of the way.
            away = self._beside(key)
            with contextlib.suppress(FileNotFoundError):
                os.replace(path, away)
            remove(away)

    def lock(self, key: str) -> KeyLock | None:
        """Return the lock of a key, which the caller must release; None if it is already held."""
        with self._writing():
            return KeyLock.acquire(folder.subfolder(self.path, "locks") / key)

    # Versions of tools

    def tool_version(self, identity: str) -> str | None:
        """Return the version that a tool reported; None if it is not known here."""
        name = json.dumps(identity)
        for entry in self.database.read(f"SELECT {COLUMNS['tools']} FROM tools WHERE identity = ?",
                                        name):
            if entry[0] == name and is_intact(*entry):
                return json.loads(entry[1])
        return None

    def remember_tool(self, identity: str, version: str) -> None:
        # As JSON, since texts of the operating system need not be Unicode.
        self._insert("tools", with_checksum(json.dumps(identity), json.dumps(version)))

    # Rows

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the latest row of every point and seed that was ever measured, by identity.

        A row that is damaged is left out, and how many are is logged.
        """
        found = {entry[0]: decoded_row(*entry) for entry in self.database.read(
            f"SELECT {COLUMNS['rows']} FROM rows ORDER BY rowid")}
        whole = {identity: row for identity, row in found.items() if row is not None}
        if damaged := len(found) - len(whole):
            _log.warning("%d of %d rows of the store %s are damaged and left out; 'montgomery "
                         "store check' lists them, and a sweep makes them again", damaged,
                         len(found), self.path)
        return whole

    def row(self, identity: str) -> dict[str, Any] | None:
        """Return the latest row of one point and seed; None if there is none, or it is damaged."""
        for entry in self.database.read(f"SELECT {COLUMNS['rows']} FROM rows WHERE identity = ?",
                                        identity):
            return decoded_row(*entry) if entry[0] == identity else None
        return None

    def remember_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Store rows under their identities (point and seed); replace earlier rows."""
        self._insert("rows", *(row_entry(*each) for each in rows.items()))

    def forget_rows(self, identities: Iterable[str]) -> None:
        """Remove rows: all of them or, after an error, none. Outcomes stay."""
        with self._writing(), self.database.write() as database:
            database.executemany("DELETE FROM rows WHERE identity = ?",
                                 [(identity,) for identity in identities])
