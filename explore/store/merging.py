"""What a merge takes into a store: the outcomes and the rows of another one."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..outcome import Outcome, Retry
from .artefacts import Damaged
from .examine import KEPT, Damage, entries, is_key, moment
from .folder import is_real
from .locks import KeyLock
from .store import Entry, Store, decoded, decoded_row, disk_full
from .transfer import take_file

__all__ = ["Merged", "OutcomeMerging", "RowMerging"]

#: Outcomes that one transaction stores; the store is locked for each of them meanwhile.
_TOGETHER = 100
_TOGETHER_BYTES = 1 << 26
_ROWS_TOGETHER = 1000
#: How often an outcome is read that its sweep replaces meanwhile.
_ATTEMPTS = 3
_WRONG_ENTRY = "its entry in the database is not what was stored"
_WRONG_KEY = "its key is not the hash of its specification"
_WRONG_IDENTITY = "its identity is not that of its point and seed"

_Row = Mapping[str, Any]


@dataclasses.dataclass(kw_only=True)
class Merged:
    """The report on what came from one store.

    Attributes
    ----------
    outcomes, rows : int
        Number of those that were taken.
    outcomes_there, rows_there : int
        Number of those for which the store had as much already.
    bytes, linked_bytes : int
        Size of all files that were taken, and of those that are hard links.
    damaged : list of Damage
        Entries that were left out since they changed after they were stored.
    refused : list of Damage
        Entries that were left out since they are not what their keys say.
    busy : list of str
        Keys of outcomes that were left out, since another process computes them.
    """

    path: Path
    outcomes: int = 0
    outcomes_there: int = 0
    rows: int = 0
    rows_there: int = 0
    bytes: int = 0
    linked_bytes: int = 0
    damaged: list[Damage] = dataclasses.field(default_factory=list)
    refused: list[Damage] = dataclasses.field(default_factory=list)
    busy: list[str] = dataclasses.field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out."""
        return not (self.damaged or self.refused or self.busy)


class _Untrue(Damaged):
    """An entry is not what its key says."""


@dataclasses.dataclass(frozen=True)
class _Taken:
    """An outcome whose files were taken, and whose lock is held until it is stored."""

    entry: Entry
    lock: KeyLock
    bytes: int
    linked_bytes: int


class OutcomeMerging:
    """Takes outcomes of one store after the other into a store.

    Parameters
    ----------
    target : Store or None
        The store, opened; None if a dry run begins without one.
    is_key : callable
        Returns whether a key is that of a specification.
    dry_run : bool
    tell : callable
        Called now and then with the number of outcomes that were looked at.
    """

    def __init__(self, target: Store | None, is_key: Callable[[str, Mapping[str, Any]], bool],
                 dry_run: bool, tell: Callable[[int], None]) -> None:
        self._target, self._is_key, self._dry_run = target, is_key, dry_run
        self._tell, self._done = tell, 0
        #: What a dry run would have taken by now, and whether all its files are there.
        self._would: dict[str, tuple[Outcome, bool]] = {}
        self._batch: list[_Taken] = []

    def take(self, source: Store, report: Merged) -> None:
        """Take the outcomes that the target does not have, and report on them."""
        try:
            for _, *entry in entries(source, "outcomes"):
                self._outcome(source, entry, report)
                if (len(self._batch) >= _TOGETHER
                        or sum(taken.bytes for taken in self._batch) > _TOGETHER_BYTES):
                    self._store_batch(report)
                self._done += 1
                if self._done % _TOGETHER == 0:
                    self._tell(self._done)
            self._store_batch(report)
        finally:
            self._drop_batch()
        self._tell(self._done)

    def _outcome(self, source: Store, entry: Sequence[Any], report: Merged) -> None:
        for _ in range(_ATTEMPTS):
            try:
                self._take_outcome(source, entry, report)
                return
            except Damaged as error:
                wrong = error
            # A sweep may have replaced or forgotten it meanwhile.
            found = source.database.read(
                "SELECT key, spec, outcome, checksum FROM outcomes WHERE key = ?", entry[0])
            if not found:
                return
            if list(found[0]) == list(entry):
                break
            entry = found[0]
        left_out = report.refused if isinstance(wrong, _Untrue) else report.damaged
        left_out.append(_damage("outcomes", entry[0], str(wrong)))

    def _take_outcome(self, source: Store, entry: Sequence[Any], report: Merged) -> None:
        key, spec, text, _ = entry
        made_of, outcome = decoded(*entry)
        if outcome is None or not is_key(key):
            raise Damaged(_WRONG_ENTRY)
        if not self._is_key(key, made_of):
            raise _Untrue(_WRONG_KEY)
        folder = source.files(key)
        there = [name for name in outcome.files if is_real(folder / name)]
        whole = len(there) == len(outcome.files)
        if not whole:
            self._check_pruned(source, key, outcome, there)
        if not self._is_wanted(key, outcome, whole):
            report.outcomes_there += 1
            return
        if self._dry_run:
            self._would[key] = outcome, whole
            report.outcomes += 1
            report.bytes += sum((folder / name).lstat().st_size for name in there)
            return
        lock = self._target.lock(key)
        if lock is None:
            report.busy.append(key)
            return
        workspace = None
        try:
            # Another process may have had the lock before.
            wanted = self._is_wanted(key, outcome, whole)
            sizes = [(0, 0)]
            if wanted and there:
                workspace = self._target.workspace(key)
                status = workspace.stat()
                with disk_full(self._target.path):
                    sizes += [take_file(folder / name, workspace / name, outcome.files[name],
                                        status) for name in there]
        except BaseException:
            if workspace is not None:
                self._target.discard(workspace)
            lock.release()
            raise
        if wanted:
            made = Entry(key=key, spec=spec, outcome=text, workspace=workspace, pruned=not whole)
            self._batch.append(_Taken(made, lock, *map(sum, zip(*sizes, strict=True))))
        else:
            lock.release()
            report.outcomes_there += 1

    @staticmethod
    def _check_pruned(source: Store, key: str, outcome: Outcome, there: Sequence[str]) -> None:
        """Raise :exc:`Damaged` if files are missing that were not pruned."""
        pruned = source.database.read("SELECT 1 FROM pruned WHERE key = ?", key)
        for name in outcome.files:
            path = source.files(key) / name
            if name not in there and (not pruned or name in KEPT or os.path.lexists(path)):
                raise Damaged(f"{path} is missing")

    def _is_wanted(self, key: str, outcome: Outcome, whole: bool) -> bool:
        """Return whether the target lacks an outcome, or gains by it."""
        own, own_whole = self._would.get(key, (None, False))
        if own is None and self._target is not None:
            own = self._target.outcome(key, needed=KEPT)
            own_whole = own is not None and all(is_real(self._target.files(key) / name)
                                                for name in own.files)
        if own is None or _rank(outcome) > _rank(own):
            return True
        return whole and not own_whole and _rank(outcome) == _rank(own)

    def _store_batch(self, report: Merged) -> None:
        if not self._batch:
            return
        self._target.commit_together([taken.entry for taken in self._batch])
        report.outcomes += len(self._batch)
        report.bytes += sum(taken.bytes for taken in self._batch)
        report.linked_bytes += sum(taken.linked_bytes for taken in self._batch)
        self._drop_batch()

    def _drop_batch(self) -> None:
        for taken in self._batch:
            if taken.entry.workspace is not None:
                self._target.discard(taken.entry.workspace)
            taken.lock.release()
        self._batch.clear()


def _rank(outcome: Outcome) -> tuple[int, float]:
    """Return how much of the work an outcome settles: a larger one spares more attempts."""
    failure = outcome.failure
    if failure is None or failure.retry == Retry.NEVER:
        return 2, 0.0
    if failure.retry == Retry.LONGER:
        return 1, float("inf") if failure.limit_s is None else failure.limit_s
    return 0, 0.0


def _damage(table: str, key: Any, reason: str, rowid: int = 0) -> Damage:
    name = " ".join(str(key).split())[:60]
    return Damage(table=table, name=name, reason=reason, rowid=rowid)


class RowMerging:
    """Takes rows of one store after the other into a store.

    Parameters
    ----------
    target : Store or None
        The store, opened; None if a dry run begins without one.
    is_identity : callable
        Returns whether an identity is that of a row.
    is_sound : callable
        Returns whether a row is as this program wrote it.
    dry_run : bool
    """

    def __init__(self, target: Store | None, is_identity: Callable[[str, _Row], bool],
                 is_sound: Callable[[_Row], bool], dry_run: bool) -> None:
        self._target, self._dry_run = target, dry_run
        self._is_identity, self._is_sound = is_identity, is_sound
        #: What a dry run would have taken by now.
        self._would: dict[str, _Row] = {}

    def take(self, source: Store, report: Merged) -> None:
        """Take the rows that the target does not have, and report on them."""
        chunk: list[Sequence[Any]] = []
        for rowid, *entry in entries(source, "rows"):
            row = decoded_row(*entry)
            if row is None:
                report.damaged.append(_damage("rows", entry[0], _WRONG_ENTRY, rowid))
                continue
            if not self._is_identity(entry[0], row):
                report.refused.append(_damage("rows", entry[0], _WRONG_IDENTITY, rowid))
                continue
            chunk.append(entry)
            if len(chunk) == _ROWS_TOGETHER:
                self._take(chunk, report)
                chunk.clear()
        self._take(chunk, report)

    def _take(self, chunk: Sequence[Sequence[Any]], report: Merged) -> None:
        if self._dry_run:
            wanted = [entry for entry in chunk if self._is_later(entry, self._own_row(entry[0]))]
            self._would |= {entry[0]: decoded_row(*entry) for entry in wanted}
        elif chunk:
            # In one transaction, so that no sweep stores a later row after it was compared.
            with disk_full(self._target.path), self._target.database.write() as database:
                wanted = []
                for entry in chunk:
                    found = database.execute("SELECT identity, row, checksum FROM rows WHERE "
                                             "identity = ?", (entry[0],)).fetchall()
                    if self._is_later(entry, decoded_row(*found[0]) if found else None):
                        wanted.append(entry)
                database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", wanted)
        else:
            return
        report.rows += len(wanted)
        report.rows_there += len(chunk) - len(wanted)

    def _own_row(self, identity: str) -> _Row | None:
        if identity in self._would or self._target is None:
            return self._would.get(identity)
        return self._target.row(identity)

    def _is_later(self, entry: Sequence[Any], own: _Row | None) -> bool:
        """Return whether a row is to replace the target's own one."""
        if own is None:
            return True
        row = decoded_row(*entry)
        if row == own:
            return False
        sound, own_sound = self._is_sound(row), self._is_sound(own)
        if sound != own_sound:
            return sound
        date, own_date = moment(row.get("date")), moment(own.get("date"))
        return date is not None and (own_date is None or date > own_date)
