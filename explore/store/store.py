"""The interface of the store: outcomes of stages, versions of tools, and rows."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..outcome import Outcome, StageFailed
from .folder import is_plain, is_real, remove, subfolder
from .locks import KeyLock
from .opened import Opened
from .tables import (
    COLUMNS,
    decoded,
    decoded_row,
    is_intact,
    outcome_entry,
    row_entry,
    with_checksum,
)

__all__ = ["Store"]

#: Number of outcomes of a stage that are recent.
_RECENT = 1000


class Store(Opened):
    """A store, which is a context manager.

    Parameters
    ----------
    path : path or None
        Folder of the store; :func:`default_path` if None. It is not touched before :meth:`open`.
    """

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
        found = self.database.read(f"SELECT {COLUMNS['outcomes']} FROM outcomes WHERE key = ?", key)
        if not found:
            return None
        outcome = decoded(*found[0]) if found[0][0] == key else None
        if outcome is None:
            self._damaged["outcomes"].add(key)
            return None
        files = [name for name in outcome.files if needed is None or name in needed]
        return outcome if all(is_real(self._own_files(key) / name) for name in files) else None

    def recent_seconds(self, stage: str) -> list[float]:
        """Return the times in seconds of the recent computations of a stage."""
        return [seconds for seconds, in self.database.read(
            "SELECT seconds FROM outcomes WHERE stage = ? ORDER BY rowid DESC LIMIT ?", stage,
            _RECENT)]

    def files(self, key: str) -> Path:
        """Return the folder of an outcome's files."""
        return self._own_files(key)

    def _own_files(self, key: str) -> Path:
        return self.path / "artefacts" / key[:2] / key

    def workspace(self, key: str) -> Path:
        """Return a new empty folder for a stage to run in.

        The caller must hold the :meth:`lock` of the key. Workspaces that killed processes left are
        removed.
        """
        with self._writing():
            parent = subfolder(self.path, "artefacts", key[:2])
            # Not glob(), which takes ten times as long in a folder of hundreds of outcomes.
            for name in os.listdir(parent):
                if name.startswith(f".{key}."):
                    remove(parent / name)
            path = self._beside(key)
            path.mkdir()
            return path

    def _beside(self, key: str) -> Path:
        """Return an unused path, whose name shows that it is a leftover if it stays."""
        return self._own_files(key).with_name(f".{key}.{secrets.token_hex(8)}")

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
        with self._writing():
            for path in workspace.iterdir():
                if path.name not in outcome.files:
                    remove(path)
            self._remove_files(key)
            if outcome.files:
                os.replace(workspace, self._own_files(key))
            else:
                workspace.rmdir()
            self._insert("outcomes", outcome_entry(key, spec, outcome))

    def forget(self, key: str) -> None:
        """Remove an outcome and its files, so that it is computed again when it is needed."""
        with self._writing():
            with self.database.write() as database:
                database.execute("DELETE FROM outcomes WHERE key = ?", (key,))
            self._remove_files(key)

    def _remove_files(self, key: str) -> None:
        path = self._own_files(key)
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

    def rows(self) -> list[dict[str, Any]]:
        """Return the latest row of every point and seed that was ever measured.

        A row that is damaged is left out, which :meth:`remarks` counts.
        """
        return [*self.identified_rows().values()]

    def identified_rows(self) -> dict[str, dict[str, Any]]:
        """Return a dictionary from the identity of each row of :meth:`rows` to the row."""
        found = {}
        for entry in self.database.read(f"SELECT {COLUMNS['rows']} FROM rows ORDER BY rowid"):
            row = decoded_row(*entry)
            if row is None:
                self._damaged["rows"].add(entry[0])
            else:
                found[entry[0]] = row
        return found

    def row(self, identity: str) -> dict[str, Any] | None:
        """Return the latest row of one point and seed; None if there is none, or it is damaged."""
        for entry in self.database.read(f"SELECT {COLUMNS['rows']} FROM rows WHERE identity = ?",
                                        identity):
            row = decoded_row(*entry) if entry[0] == identity else None
            if row is None:
                self._damaged["rows"].add(identity)
            return row
        return None

    def remember_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Store rows under their identities (point and seed); replace earlier rows."""
        self._insert("rows", *(row_entry(*each) for each in rows.items()))

    def forget_rows(self, identities: Iterable[str]) -> None:
        """Remove rows: all of them or, after an error, none. Outcomes stay."""
        with self._writing(), self.database.write() as database:
            database.executemany("DELETE FROM rows WHERE identity = ?",
                                 [(identity,) for identity in identities])
