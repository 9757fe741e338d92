"""Rows of a store that are fit for use: a store that was made elsewhere may hold anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .row import checked

if TYPE_CHECKING:
    from ..store import Store

__all__ = ["stored_row", "stored_rows"]


def stored_rows(store: Store) -> list[dict[str, Any]]:
    """Return the valid rows of an open store; the others count as damaged there."""
    found = (_valid(store, *entry) for entry in store.identified_rows().items())
    return [row for row in found if row is not None]


def stored_row(store: Store, identity: str) -> dict[str, Any] | None:
    """Return the latest row of one point and seed; None if there is no valid one."""
    row = store.row(identity)
    return None if row is None else _valid(store, identity, row)


def _valid(store: Store, identity: str, row: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return checked(row)
    except ValueError:
        store.leave_out(identity)
        return None
