"""The interface of the store."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import DiskFull, going_on
from ..outcome import Outcome, StageFailed
from .database import Database, full_message
from .folder import DATABASE, StoreError, default_path, is_real, mark, remove, subfolder
from .locks import FolderLock, KeyLock
from .tables import checksum

__all__ = ["MEND", "Store", "disk_full"]

#: What to do about damage.
MEND = ("'montgomery store check' lists what is damaged, with --repair it is forgotten, and a "
        "sweep makes it again")
#: What an entry of each table is called, one of them and several.
_NOUNS = (("rows", "row", "rows"), ("outcomes", "outcome of a stage", "outcomes of stages"))

_RECENT = 5000
_ATTEMPTS = 100
_log = logging.getLogger(__name__)


@contextlib.contextmanager
def disk_full(path: Path) -> Iterator[None]:
    """Turn every error that means that there is no room to go on into :exc:`DiskFull`."""
    try:
        with going_on(f"cannot write in {path}"):
            yield
    except sqlite3.OperationalError as error:
        if "full" not in str(error):
            raise
        raise DiskFull(full_message(path)) from error


class Store:
    """A store, which is a context manager.

    Parameters
    ----------
    path : path or None
        Folder of the store; :func:`default_path` if None. It is not touched before :meth:`open`.
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._database: Database | None = None
        self._use: FolderLock | None = None
        #: Numbers of the damaged entries that were met, by table, and what else is to be said.
        self._damaged: defaultdict[str, set[Any]] = defaultdict(set)
        self._lost: set[str] = set()

    @property
    def exists(self) -> bool:
        """Whether the folder has a database that :meth:`open` could read."""
        return os.path.lexists(self.path / DATABASE)

    @property
    def writable(self) -> bool:
        """Whether the store is open for writing."""
        return self._database is not None and self._database.writable

    def open(self, *, create: bool = True, writable: bool = True) -> Store:
        """Open the store; make it and its folder if there is none.

        A store of an earlier version is converted to the present version.

        Parameters
        ----------
        create : bool
            Whether a store may be made.
        writable : bool
            Whether the store will be written. If false, it is neither made nor changed, so the user
            does not need permission to write.

        Raises
        ------
        StoreError
            If the folder holds other files, a store of a later version, or a damaged store; if
            there is no store and none may be made; or if the store cannot be written as asked.
        DiskFull
            If the disk has no room for a new store.
        """
        if not self.exists and not (create and writable):
            raise self._nothing()
        with self._writing():
            if writable:
                mark(self.path)
            use = FolderLock(self.path)
            try:
                self._database = Database(self.path, writable=writable)
            except BaseException:
                use.release()
                raise
            self._use = use
        return self

    def _nothing(self) -> StoreError:
        try:
            os.stat(self.path / DATABASE)
        except PermissionError as error:
            return StoreError(f"{self.path} cannot be read ({error.strerror}); make it readable, "
                              "or name another store with --store")
        except (OSError, ValueError):
            pass
        return StoreError(f"No measurements in {self.path}; 'montgomery sweep' makes some, and "
                          "--store names another folder")

    def remarks(self) -> list[str]:
        """Return what is to be said of damage that was met, and forget it; each is one line.

        Whatever is left out because it is damaged is said: what nobody asks for with this method
        is logged as a warning when the store is closed.
        """
        found = [f"{len(numbers)} {noun if len(numbers) != 1 else one} of the store {self.path} "
                 f"{'are' if len(numbers) != 1 else 'is'} damaged and left out; {MEND}"
                 for table, one, noun in _NOUNS if (numbers := self._damaged[table])]
        found += sorted(self._lost)
        self._damaged.clear()
        self._lost.clear()
        return found

    def leave_out(self, identity: str) -> None:
        """Count a row as damaged, since it is none of this program's."""
        self._damaged["rows"].update(number for number, in self.database.read(
            "SELECT rowid FROM rows WHERE identity = ?", identity))

    def close(self) -> None:
        for remark in self.remarks():
            _log.warning(remark)
        if self._database is not None:
            self._database.close()
            self._database = None
        if self._use is not None:
            self._use.release()
            self._use = None

    def __enter__(self) -> Store:
        return self if self._database is not None else self.open()

    def __exit__(self, *_exception) -> None:
        self.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn errors of the operating system into errors that name the folder and the remedy."""
        try:
            with disk_full(self.path):
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

    # Outcomes

    def outcome(self, key: str, *, needed: Collection[str] | None = None) -> Outcome | None:
        """Return the outcome of a stage.

        Parameters
        ----------
        needed : collection of str or None
            Names of the files of the outcome that must exist; all of its files if None.

        Returns
        -------
        Outcome or None
            None if the outcome is unknown or its entry is damaged, or if a needed file is missing.
            The contents of files are not checked; the reader of a file compares its hash.
        """
        found = self.database.read(
            "SELECT key, spec, outcome, checksum FROM outcomes WHERE key = ?", key)
        if not found:
            return None
        outcome = decoded(*found[0])[1] if found[0][0] == key else None
        if outcome is None:
            self._damaged["outcomes"].add(key)
            return None
        files = [name for name in outcome.files if needed is None or name in needed]
        return outcome if all(is_real(self.files(key) / name) for name in files) else None

    def recent_seconds(self, stage: str) -> list[float]:
        """Return the times in seconds of the recent computations of a stage."""
        begin = f'{{"stage": "{stage}"'
        return [seconds for (seconds,) in self.database.read(
            "SELECT json_extract(outcome, '$.seconds') FROM outcomes WHERE "
            f"rowid > (SELECT max(rowid) FROM outcomes) - {_RECENT} "
            "AND substr(spec, 1, ?) = ?", len(begin), begin)]

    def files(self, key: str) -> Path:
        """Return the folder of an outcome's files."""
        return self.path / "artefacts" / key[:2] / key

    def workspace(self, key: str) -> Path:
        """Return a new empty folder for a stage to run in.

        The caller must hold the :meth:`lock` of the key. Workspaces that killed processes left are
        removed.
        """
        with self._writing():
            for _ in range(_ATTEMPTS):
                parent = subfolder(self.path, "artefacts", key[:2])
                # Not glob(), which takes ten times as long in a folder of hundreds of outcomes.
                with contextlib.suppress(FileNotFoundError):
                    for name in os.listdir(parent):
                        if name.startswith(f".{key}."):
                            remove(parent / name)
                path = self._beside(key)
                # Another process may remove the parent while it is empty.
                with contextlib.suppress(FileNotFoundError):
                    path.mkdir()
                    return path
            raise StoreError(f"{parent} is removed again and again; name another store with "
                             "--store")

    def _beside(self, key: str) -> Path:
        """Return an unused path, whose name shows that it is a leftover if it stays."""
        return self.files(key).with_name(f".{key}.{secrets.token_hex(8)}")

    def discard(self, workspace: Path) -> None:
        """Remove a folder made by :meth:`workspace`."""
        remove(workspace)

    def commit(self, key: str, spec: Mapping[str, Any], outcome: Outcome, workspace: Path) -> None:
        """Store an outcome with its files in ``workspace``, which is removed.

        The outcome replaces any other outcome of the key. The caller must hold the :meth:`lock` of
        the key.

        Raises
        ------
        StageFailed
            If a file that the outcome names is missing or is not a regular file.
        DiskFull
            If the disk is full.
        """
        for name in outcome.files:
            if not is_plain(name) or not is_real(workspace / name):
                raise StageFailed(f"The stage left no regular file {name}")
        texts = key, json.dumps(dict(spec)), json.dumps(outcome.to_json())
        with self._writing():
            for path in workspace.iterdir():
                if path.name not in outcome.files:
                    remove(path)
            self._remove_files(key)
            if outcome.files:
                os.replace(workspace, self.files(key))
            else:
                workspace.rmdir()
            with self.database.write() as database:
                database.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
                                 (*texts, checksum(*texts)))
                database.execute("DELETE FROM pruned WHERE key = ?", (key,))

    def forget(self, key: str) -> None:
        """Remove an outcome and its files, so that it is computed again when it is needed."""
        with self._writing():
            with self.database.write() as database:
                database.execute("DELETE FROM outcomes WHERE key = ?", (key,))
                database.execute("DELETE FROM pruned WHERE key = ?", (key,))
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
            return KeyLock.acquire(subfolder(self.path, "locks") / key)

    def alone(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Hold the store alone; see :meth:`explore.store.locks.FolderLock.alone`."""
        return self._use.alone(what)

    # Versions of tools

    def tool_version(self, identity: str) -> str | None:
        """Return the version that a tool reported; None if it is not known here."""
        name = json.dumps(identity)
        for entry in self.database.read("SELECT identity, version, checksum FROM tools "
                                        "WHERE identity = ?", name):
            if entry[0] == name and is_intact(*entry):
                return json.loads(entry[1])
        return None

    def remember_tool(self, identity: str, version: str) -> None:
        # As JSON, since texts of the operating system need not be Unicode.
        texts = json.dumps(identity), json.dumps(version)
        with self._writing(), self.database.write() as database:
            database.execute("INSERT OR REPLACE INTO tools VALUES (?, ?, ?)",
                             (*texts, checksum(*texts)))

    # Rows

    def rows(self) -> list[dict[str, Any]]:
        """Return the latest row of every point and seed that was ever measured.

        A row that is damaged is left out, which :meth:`remarks` counts.
        """
        return [*self.identified_rows().values()]

    def identified_rows(self) -> dict[str, dict[str, Any]]:
        """Return a dictionary from the identity of each row of :meth:`rows` to the row."""
        found = {}
        for number, *entry in self.database.read(
                "SELECT rowid, identity, row, checksum FROM rows ORDER BY rowid"):
            row = decoded_row(*entry)
            if row is None:
                self._damaged["rows"].add(number)
            else:
                found[entry[0]] = row
        # SQLite may pass over an entry without an error where a page or an index is damaged.
        if self.database.read("PRAGMA integrity_check(rows)") != [("ok",)]:
            self._lost.add(f"The database of the store {self.path} is damaged, and rows may be "
                           f"missing; {MEND}")
        return found

    def row(self, identity: str) -> dict[str, Any] | None:
        """Return the latest row of one point and seed; None if there is none, or it is damaged."""
        for number, *entry in self.database.read(
                "SELECT rowid, identity, row, checksum FROM rows WHERE identity = ?", identity):
            row = decoded_row(*entry) if entry[0] == identity else None
            if row is None:
                self._damaged["rows"].add(number)
            return row
        return None

    def remember_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Store rows under their identities (point and seed); replace earlier rows."""
        texts = [(identity, json.dumps(dict(row))) for identity, row in rows.items()]
        with self._writing(), self.database.write() as database:
            database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", [
                (*each, checksum(*each)) for each in texts])

    def forget_rows(self, identities: Iterable[str]) -> None:
        """Remove rows: all of them or, after an error, none. Outcomes stay."""
        with self._writing(), self.database.write() as database:
            database.executemany("DELETE FROM rows WHERE identity = ?",
                                 [(identity,) for identity in identities])


def is_plain(name: str) -> bool:
    """Return whether a name can be that of a file in a folder, and does not lead elsewhere."""
    return isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\0"} & {*name}


def is_intact(*entry: Any) -> bool:
    """Return whether the last part of an entry is the checksum of the others."""
    return all(isinstance(part, str) for part in entry) and checksum(*entry[:-1]) == entry[-1]


def decoded(*entry: Any) -> tuple[dict[str, Any] | None, Outcome | None]:
    """Return specification and outcome of an entry of the database; both None if it is damaged."""
    if not is_intact(*entry):
        return None, None
    _, spec, text, _ = entry
    try:
        outcome = Outcome.from_json(json.loads(text))
        spec = json.loads(spec)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None, None
    if not (isinstance(spec, dict) and all(is_plain(name) for name in outcome.files)):
        return None, None
    return spec, outcome


def decoded_row(*entry: Any) -> dict[str, Any] | None:
    """Return the row of an entry of the database, or None if it is damaged."""
    if not is_intact(*entry):
        return None
    try:
        row = json.loads(entry[1])
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
