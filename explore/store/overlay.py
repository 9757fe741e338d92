"""Two stores that are used as one: new entries go to the upper store, the lower is only read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..outcome import Outcome
from .store import Store

__all__ = ["Overlay"]


class Overlay:
    """Two open stores that are read as one; new entries go to the upper one.

    Parameters
    ----------
    upper : Store
        Store that gets new entries.
    lower : Store or None
        Store to read the entries from that ``upper`` does not have.
    """

    def __init__(self, upper: Store, lower: Store | None) -> None:
        self._upper, self._lower = upper, lower
        self._forgotten: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        # All that only the upper store is asked for.
        return getattr(self._upper, name)

    def _below(self, key: str) -> Store | None:
        return None if key in self._forgotten else self._lower

    def outcome(self, key: str, *, needed: Collection[str] | None = None) -> Outcome | None:
        found = self._upper.outcome(key, needed=needed)
        lower = self._below(key)
        return lower.outcome(key, needed=needed) if found is None and lower else found

    def files(self, key: str) -> Path:
        lower = self._below(key)
        own = self._upper.outcome(key, needed=()) is not None
        return lower.files(key) if lower and not own else self._upper.files(key)

    def row(self, identity: str) -> dict[str, Any] | None:
        # No row is written.
        return self._lower.row(identity) if self._lower else None

    def forget(self, key: str) -> None:
        self._forgotten.add(key)
        self._upper.forget(key)

    def tool_version(self, identity: str) -> str | None:
        found = self._upper.tool_version(identity)
        return self._lower.tool_version(identity) if found is None and self._lower else found
