"""Checks rows, and completes rows of earlier versions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..devices import targets
from ..points.point import completed
from .column import Type, check_value, shown
from .columns import known_columns, transposed
from .part import Part

__all__ = ["FORMS", "checked", "checked_all", "checked_part", "modern", "modern_part"]

#: Of rows that were made when there were no others.
_KIND = "multiplier"
#: What a file of rows may be.
FORMS = "CSV, JSON lines or a JSON document of measurements"


def checked(row: Any) -> dict[str, Any]:
    """Return a row whose columns were checked, with defaults for missing ones.

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
    if rows:
        _check_columns(transposed(rows))
    mappings = _mappings()
    return [_whole(row, mappings) for row in rows]


def checked_part(part: Part) -> Part:
    """Return a whole part with the rows that :func:`checked` returns for each of its own.

    Raises
    ------
    ValueError
        If something is wrong with one of them; :func:`checked` says what.
    """
    _check_columns(part.columns)
    empty: list[dict[str, Any]] = [{}] * part.count
    columns = {"params": empty, "options": empty, **part.columns}
    for name in _mappings():
        if None in columns.get(name, ()):
            columns[name] = [{} if value is None else value for value in columns[name]]
    columns["kind"] = [kind or _KIND for kind in columns.get("kind", [None] * part.count)]
    return Part(columns, part.count)


def _check_columns(columns: Mapping[str, Sequence[Any]]) -> None:
    known = known_columns()
    for name, values in columns.items():
        if name not in known:
            for value in values:
                check_value(name, value)
        elif not known[name].allows_all(values):
            raise ValueError(f"{name} must be as the others are")
    for name, column in known.items():
        if column.required and name not in columns:
            column.check(None)


def _mappings() -> list[str]:
    return [name for name, column in known_columns().items() if column.type == Type.MAPPING]


def _whole(row: dict[str, Any], mappings: Sequence[str]) -> dict[str, Any]:
    """Return a row with defaults for what a row must have."""
    found = {"params": {}, "options": {}, **row}
    for name in mappings:
        if found.get(name, {}) is None:
            found[name] = {}
    if not found.get("kind"):
        found["kind"] = _KIND
    return found


def modern(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as it would be made today.

    A parameter or option that did not exist yet gets its default.
    """
    return modern_part(Part.of([row])).rows()[0]


def modern_part(part: Part) -> Part:
    """Return a part with the rows that :func:`modern` returns for each of its own."""
    columns = dict(part.columns)
    kinds, archs, names, params, options = (
        columns[name] for name in ("kind", "arch", "target", "params", "options"))
    # Many rows share their parameters and options.
    keys = list(zip(kinds, archs, names, map(id, params), map(id, options), strict=True))
    places = {key: place for place, key in enumerate(keys)}
    usual = {key: _completed(*key[:3], params[place], options[place])
             for key, place in places.items()}
    columns["params"], columns["options"] = zip(*map(usual.__getitem__, keys), strict=True)
    return dataclasses.replace(part, columns=columns)


def _completed(kind: str, arch: str, target: str, params: dict[str, Any],
               options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters and options, with defaults for those that did not exist yet."""
    if target in targets():
        row = {"kind": kind, "arch": arch, "target": target, "params": {}, "options": {}}
        more_params, more_options = completed(row)
        if not (more_params.keys() <= params.keys() and more_options.keys() <= options.keys()):
            return {**more_params, **params}, {**more_options, **options}
    return params, options
