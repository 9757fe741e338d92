"""What a row must be, and how a row of an earlier version is understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..devices import targets
from ..outcome import Status
from ..points.point import completed
from .column import Type, check_value, shown
from .columns import known_columns, transposed

__all__ = ["FORMS", "checked", "checked_all", "modern", "modern_all"]

#: What a file of rows may be.
FORMS = "CSV, JSON lines or a JSON document of measurements"


def checked(row: Any) -> dict[str, Any]:
    """Return a row whose columns were checked, with defaults for what a row must have.

    Raises
    ------
    ValueError
        If something is wrong with it; the message is one line.
    """
    if not isinstance(row, dict):
        raise ValueError(f"a row must be a JSON object, not {shown(row)}; a file must be {FORMS}")
    known = known_columns()
    for name, value in row.items():
        if name in known:
            known[name].check(value)
        else:
            check_value(name, value)
    for name, column in known.items():
        if column.required and name not in row:
            column.check(None)
    return _whole(row, _mappings())


def checked_all(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows as :func:`checked` returns each of them, faster.

    Raises
    ------
    ValueError
        If something is wrong with one of them; :func:`checked` says what.
    """
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("a row must be a JSON object")
    known = known_columns()
    columns = transposed(rows)
    for name, values in columns.items():
        if name not in known:
            for value in values:
                check_value(name, value)
        elif not known[name].allows_all(values):
            raise ValueError(f"{name} must be as the others are")
    for name, column in known.items():
        if column.required and name not in columns and rows:
            column.check(None)
    mappings = _mappings()
    return [_whole(row, mappings) for row in rows]


def _mappings() -> list[str]:
    return [name for name, column in known_columns().items() if column.type == Type.MAPPING]


def _whole(row: dict[str, Any], mappings: Sequence[str]) -> dict[str, Any]:
    """Return a row with defaults for what a row must have."""
    found = {"params": {}, "options": {}, **row}
    for name in mappings:
        if found.get(name, {}) is None:
            found[name] = {}
    if not found.get("kind"):
        found["kind"] = "multiplier"
    return found


def modern(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as it would be made today.

    An area on a device that nothing places was ``no_fmax`` once, and is ``area_only``. A parameter
    or option that there was not yet has its default.
    """
    return modern_all([row])[0]


def modern_all(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as :func:`modern` returns each of them."""
    usual: dict[tuple, tuple[dict[str, Any], dict[str, Any]]] = {}
    found = []
    for row in rows:
        core = row["kind"], row["arch"], row["target"]
        if core not in usual:
            usual[core] = (completed({**row, "params": {}, "options": {}})
                           if row["target"] in targets() else ({}, {}))
        params, options = usual[core]
        if not (params.keys() <= row["params"].keys() and options.keys() <= row["options"].keys()):
            row = {**row, "params": {**params, **row["params"]},
                   "options": {**options, **row["options"]}}
        if (row["status"] == Status.NO_FMAX and row.get("fmax_mhz") is None
                and "nextpnr" not in (row.get("versions") or {})):
            row = {**row, "status": str(Status.AREA_ONLY)}
        found.append(row)
    return found
