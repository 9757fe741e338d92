"""The folder of a store and its database, opened and closed, and what is said of damage."""

from __future__ import annotations

import contextlib
import logging
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from ..errors import going_on
from .database import Database
from .folder import DATABASE, StoreError, default_path, mark

__all__ = ["Opened", "disk_full"]

#: What to do about damage.
_MEND = "'montgomery store check' lists what is damaged, and a sweep makes it again"
#: What an entry of each table is called, one of them and several.
_NOUNS = (("rows", "row", "rows"), ("outcomes", "outcome of a stage", "outcomes of stages"))
_log = logging.getLogger(__name__)


def disk_full(path: Path) -> contextlib.AbstractContextManager[None]:
    """Turn every error that means that there is no room to go on into :exc:`DiskFull`."""
    return going_on(f"cannot write in {path}")


class Opened:
    """A folder with a database, as a context manager; what it holds is up to a subclass.

    Parameters
    ----------
    path : path or None
        Folder of the store; :func:`default_path` if None. It is not touched before :meth:`open`.
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._database: Database | None = None
        #: Names of the damaged entries that were met, by table.
        self._damaged: defaultdict[str, set[Any]] = defaultdict(set)

    @property
    def exists(self) -> bool:
        """Whether the folder has a database that :meth:`open` could read."""
        return os.path.isfile(self.path / DATABASE)

    @property
    def writable(self) -> bool:
        """Whether the store is open for writing."""
        return self._database is not None and self._database.writable

    def open(self, *, create: bool = True, writable: bool = True) -> Self:
        """Open the store; make it and its folder if there is none.

        Parameters
        ----------
        create : bool
            Whether a store may be made.
        writable : bool
            Whether the store will be written. If false, it is neither made nor changed.

        Raises
        ------
        StoreError
            If the folder holds other files, a store of another version, or a damaged store; if
            there is no store and none may be made; or if the store cannot be used as asked.
        DiskFull
            If the disk has no room for a new store.
        """
        if not self.exists and not (create and writable):
            raise self._nothing()
        with self._writing():
            if writable:
                mark(self.path)
            self._database = Database(self.path, writable=writable)
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
        found = [f"{len(names)} {several if len(names) != 1 else one} of the store {self.path} "
                 f"{'are' if len(names) != 1 else 'is'} damaged and left out; {_MEND}"
                 for table, one, several in _NOUNS if (names := self._damaged[table])]
        self._damaged.clear()
        return found

    def leave_out(self, identity: str) -> None:
        """Count a row as damaged, since it is none of this program's."""
        self._damaged["rows"].add(identity)

    def close(self) -> None:
        for remark in self.remarks():
            _log.warning(remark)
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

    def _insert(self, table: str, *entries: tuple[Any, ...]) -> None:
        """Store entries in place of those of the same keys: all or, after an error, none."""
        if entries:
            marks = ", ".join("?" * len(entries[0]))
            with self._writing(), self.database.write() as database:
                database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", entries)
