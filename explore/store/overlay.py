"""Two stores that are used as one: new entries go to the upper store, the lower is only read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..outcome import Outcome
from .locks import KeyLock
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

    writable = True

    def __init__(self, upper: Store, lower: Store | None) -> None:
        self._upper, self._lower = upper, lower
        self._forgotten: set[str] = set()

    @property
    def path(self) -> Path:
        return self._upper.path

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

    def leave_out(self, identity: str) -> None:
        self._upper.leave_out(identity)

    def forget(self, key: str) -> None:
        self._forgotten.add(key)
        self._upper.forget(key)

    def lock(self, key: str) -> KeyLock | None:
        return self._upper.lock(key)

    def workspace(self, key: str) -> Path:
        return self._upper.workspace(key)

    def discard(self, workspace: Path) -> None:
        self._upper.discard(workspace)

    def commit(self, key: str, spec: Mapping[str, Any], outcome: Outcome, workspace: Path) -> None:
        self._upper.commit(key, spec, outcome, workspace)

    def tool_version(self, identity: str) -> str | None:
        found = self._upper.tool_version(identity)
        return self._lower.tool_version(identity) if found is None and self._lower else found

    def remember_tool(self, identity: str, version: str) -> None:
        self._upper.remember_tool(identity, version)

    def remember_rows(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        self._upper.remember_rows(rows)
