"""A store over another one: new entries go to the store itself, the other is only read."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..outcome import Outcome
from .store import Store

__all__ = ["Overlay"]


class Overlay(Store):
    """A store that also has the entries of another one, which stays as it is.

    Parameters
    ----------
    path : path
        Folder of the store, which gets new entries.
    lower : Store or None
        An open store to read the entries from that this one does not have.
    """

    def __init__(self, path: str | os.PathLike, lower: Store | None) -> None:
        super().__init__(path)
        self._lower = lower
        self._forgotten: set[str] = set()

    def _below(self, key: str) -> Store | None:
        return None if key in self._forgotten else self._lower

    def outcome(self, key: str, *, needed: Collection[str] | None = None) -> Outcome | None:
        found = super().outcome(key, needed=needed)
        lower = self._below(key)
        return lower.outcome(key, needed=needed) if found is None and lower else found

    def files(self, key: str) -> Path:
        lower = self._below(key)
        own = super().outcome(key, needed=()) is not None
        return lower.files(key) if lower and not own else super().files(key)

    def row(self, identity: str) -> dict[str, Any] | None:
        # No row is written.
        return self._lower.row(identity) if self._lower else None

    def forget(self, key: str) -> None:
        self._forgotten.add(key)
        super().forget(key)

    def tool_version(self, identity: str) -> str | None:
        found = super().tool_version(identity)
        return self._lower.tool_version(identity) if found is None and self._lower else found
