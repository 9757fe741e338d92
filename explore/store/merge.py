"""Takes what other stores hold into one store, for sites that cannot reach one another."""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ..outcome import Outcome, Retry
from .artefacts import Damaged, digest
from .examine import KEPT, Damage, entries, is_key, moment
from .folder import StoreError, is_real
from .locks import KeyLock
from .store import Entry, Store, decoded, decoded_row, disk_full
from .tables import SCHEMA

__all__ = ["Merged", "merge"]

#: Outcomes that one transaction stores; the store is locked for each of them meanwhile.
_TOGETHER = 100
_TOGETHER_BYTES = 1 << 26
_ROWS_TOGETHER = 1000
#: How often an outcome is read that its sweep replaces meanwhile.
_ATTEMPTS = 3
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_WRONG_ENTRY = "its entry in the database is not what was stored"

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
        Entries that were left out.
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
    busy: list[str] = dataclasses.field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out."""
        return not (self.damaged or self.busy)


def merge(path: Path, sources: Sequence[Path], *, is_sound: Callable[[_Row], bool],
          dry_run: bool = False,
          on_progress: Callable[[int, int], None] = lambda done, total: None) -> list[Merged]:
    """Take the outcomes and rows of other stores into the store in ``path``.

    An outcome that the store has stays there. It is replaced if large files of it were pruned that
    the other store has, or if it is a failure that a sweep would try again and the other one is
    not. Of two rows of one point and seed, a sound one replaces one that is not, and otherwise the
    later one stays. What the stores know of tools is not taken, since it describes the files of one
    machine.

    The other stores are only read, and may be in use.

    Parameters
    ----------
    is_sound : callable
        Returns whether a row is as this program wrote it.
    dry_run : bool
        Count only, and change nothing; contents of files are not checked.
    on_progress : callable
        Called with the number of outcomes that were looked at, and that of all.

    Raises
    ------
    StoreError
        If one of them is no store, or of an earlier version, or the same as another; if the store
        cannot be written.
    DiskFull
        If there is no more room. What was taken until then is in the store.
    """
    _check_different(path, sources)
    with ExitStack() as stack:
        opened = [stack.enter_context(_opened(source)) for source in sources]
        target = Store(path) if not dry_run or Store(path).exists else None
        if target is not None:
            stack.enter_context(target.open(create=not dry_run, writable=not dry_run))
        total = sum(map(_count, opened))
        work = _Merging(target, is_sound, dry_run, lambda done: on_progress(done, max(done, total)))
        return [work.take(source) for source in opened]


def _check_different(path: Path, sources: Sequence[Path]) -> None:
    for index, source in enumerate(sources):
        for other in (path, *sources[:index]):
            with suppress(OSError):
                if os.path.samefile(source, other):
                    raise StoreError(f"The stores of a merge must differ, but {source} and {other} "
                                     "are one store; name it once")


def _opened(path: Path) -> Store:
    """Return a store that is merged, opened to be read."""
    store = Store(path)
    if not store.exists:
        raise StoreError(f"A store to merge must be a folder that 'montgomery sweep' made, and "
                         f"{path} is none; name the folder that --store names there")
    try:
        store.open(create=False, writable=False)
    except StoreError as error:
        raise StoreError(str(error).replace("name another store with --store", "leave it out")
                         ) from None
    version = store.database.version
    if 0 < version < SCHEMA:
        store.close()
        raise StoreError(f"A store to merge must be of version {SCHEMA}, but {path} is of version "
                         f"{version}; 'montgomery store prune --store {path}' makes it one of "
                         f"version {SCHEMA}")
    return store


def _count(store: Store) -> int:
    (count,), = store.database.read("SELECT count(*) FROM outcomes")
    return count


class _Merging:
    """Takes outcomes and rows into one store; ``target`` is None if there is none yet."""

    def __init__(self, target: Store | None, is_sound: Callable[[_Row], bool],
                 dry_run: bool, tell: Callable[[int], None]) -> None:
        self._target, self._is_sound, self._dry_run = target, is_sound, dry_run
        self._tell, self._done = tell, 0
        # What a dry run would have taken by now; of an outcome, whether all its files are there.
        self._would_outcomes: dict[str, tuple[Outcome, bool]] = {}
        self._would_rows: dict[str, _Row] = {}
        self._batch: list[tuple[Entry, KeyLock, int, int]] = []

    def take(self, source: Store) -> Merged:
        """Take what the target does not have, and report on it."""
        report = Merged(path=source.path)
        try:
            for _, *entry in entries(source, "outcomes"):
                self._outcome(source, entry, report)
                if (len(self._batch) >= _TOGETHER
                        or sum(size for *_, size, _ in self._batch) > _TOGETHER_BYTES):
                    self._store_batch(report)
                self._done += 1
                if self._done % _TOGETHER == 0:
                    self._tell(self._done)
            self._store_batch(report)
        finally:
            self._drop_batch()
        self._rows(source, report)
        self._tell(self._done)
        return report

    # Outcomes

    def _outcome(self, source: Store, entry: Sequence[Any], report: Merged) -> None:
        for _ in range(_ATTEMPTS):
            try:
                self._take_outcome(source, entry, report)
                return
            except Damaged as error:
                wrong = str(error)
            # A sweep may have replaced or forgotten it meanwhile.
            found = source.database.read(
                "SELECT key, spec, outcome, checksum FROM outcomes WHERE key = ?", entry[0])
            if not found:
                return
            if list(found[0]) == list(entry):
                break
            entry = found[0]
        name = " ".join(str(entry[0]).split())[:60]
        report.damaged.append(Damage(table="outcomes", name=name, reason=wrong))

    def _take_outcome(self, source: Store, entry: Sequence[Any], report: Merged) -> None:
        key, spec, text, _ = entry
        _, outcome = decoded(*entry)
        if outcome is None or not is_key(key):
            raise Damaged(_WRONG_ENTRY)
        folder = source.files(key)
        there = [name for name in outcome.files if is_real(folder / name)]
        whole = len(there) == len(outcome.files)
        if not whole:
            self._check_pruned(source, key, outcome, there)
        if not self._is_wanted(key, outcome, whole):
            report.outcomes_there += 1
            return
        if self._dry_run:
            self._would_outcomes[key] = outcome, whole
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
                    sizes += [_place(folder / name, workspace / name, outcome.files[name], status)
                              for name in there]
        except BaseException:
            if workspace is not None:
                self._target.discard(workspace)
            lock.release()
            raise
        if wanted:
            made = Entry(key=key, spec=spec, outcome=text, workspace=workspace, pruned=not whole)
            self._batch.append((made, lock, *map(sum, zip(*sizes, strict=True))))
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
        own, own_whole = self._would_outcomes.get(key, (None, False))
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
        self._target.commit_together([entry for entry, *_ in self._batch])
        for _, _, size, linked in self._batch:
            report.outcomes += 1
            report.bytes += size
            report.linked_bytes += linked
        self._drop_batch()

    def _drop_batch(self) -> None:
        for entry, lock, *_ in self._batch:
            if entry.workspace is not None:
                self._target.discard(entry.workspace)
            lock.release()
        self._batch.clear()

    # Rows

    def _rows(self, source: Store, report: Merged) -> None:
        chunk: list[Sequence[Any]] = []
        for rowid, *entry in entries(source, "rows"):
            if decoded_row(*entry) is None:
                name = " ".join(str(entry[0]).split())[:60]
                report.damaged.append(Damage(table="rows", name=name, reason=_WRONG_ENTRY,
                                             rowid=rowid))
                continue
            chunk.append(entry)
            if len(chunk) == _ROWS_TOGETHER:
                self._take_rows(chunk, report)
                chunk.clear()
        self._take_rows(chunk, report)

    def _take_rows(self, chunk: Sequence[Sequence[Any]], report: Merged) -> None:
        if self._dry_run:
            wanted = [entry for entry in chunk if self._is_later(entry, self._own_row(entry[0]))]
            self._would_rows |= {entry[0]: decoded_row(*entry) for entry in wanted}
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
        if identity in self._would_rows or self._target is None:
            return self._would_rows.get(identity)
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


def _rank(outcome: Outcome) -> tuple[int, float]:
    """Return how much of the work an outcome settles: a larger one spares more attempts."""
    failure = outcome.failure
    if failure is None or failure.retry == Retry.NEVER:
        return 2, 0.0
    if failure.retry == Retry.LONGER:
        return 1, float("inf") if failure.limit_s is None else failure.limit_s
    return 0, 0.0


def _place(source: Path, path: Path, stored: str, folder: os.stat_result) -> tuple[int, int]:
    """Make a new file that holds what a stored one does, and check its contents.

    It is a hard link if owner, group and permissions are those of a new file in the folder.

    Returns
    -------
    tuple of int
        Its size, and the part of it that is a hard link.

    Raises
    ------
    Damaged
        If the file is not the one that was stored.
    """
    linked = _link(source, path, folder)
    try:
        # Of a link, since the name may be that of another file by now.
        descriptor = os.open(path if linked else source, _READ)
        with open(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = file.read() if regular else b""
    except OSError as error:
        raise Damaged(f"{source} cannot be read ({error.strerror})") from None
    if not regular or digest(data) != stored:
        raise Damaged(f"{source} is not the file that was stored")
    if not linked:
        with path.open("xb") as file:
            file.write(data)
    return len(data), len(data) if linked else 0


def _link(source: Path, path: Path, folder: os.stat_result) -> bool:
    """Make a hard link, if it is as a new file in the folder would be; return whether."""
    with suppress(OSError, NotImplementedError):
        status = source.lstat()
        if _owned(status) == _owned(folder) and status.st_dev == folder.st_dev:
            os.link(source, path, follow_symlinks=False)
            return True
    return False


def _owned(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_uid, status.st_gid, status.st_mode & 0o666
