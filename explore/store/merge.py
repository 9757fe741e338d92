"""Takes what other stores hold into one store, for sites that cannot reach one another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from .folder import StoreError
from .merging import Merged, OutcomeMerging, RowMerging
from .store import Store
from .tables import SCHEMA

__all__ = ["Merged", "merge"]


def merge(path: Path, sources: Sequence[Path], *, is_key: Callable[[str, Mapping[str, Any]], bool],
          is_identity: Callable[[str, Mapping[str, Any]], bool],
          is_sound: Callable[[Mapping[str, Any]], bool], dry_run: bool = False,
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
    is_key : callable
        Returns whether a key is that of a specification. An outcome under another key is refused.
    is_identity : callable
        Returns whether an identity is that of a row. A row under another identity is refused.
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
        outcomes = OutcomeMerging(target, is_key, dry_run,
                                  lambda done: on_progress(done, max(done, total)))
        rows = RowMerging(target, is_identity, is_sound, dry_run)
        reports = []
        for source in opened:
            reports.append(Merged(path=source.path))
            outcomes.take(source, reports[-1])
            rows.take(source, reports[-1])
        return reports


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
