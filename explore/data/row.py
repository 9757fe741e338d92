"""A row: its structure, out of JSON, and as it would be made today."""

from __future__ import annotations

import functools
import json
from typing import Any

import msgspec

from ..devices import targets
from ..points.point import completed
from .column import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_INTEGER,
    MOST_NUMBER,
    Type,
    fitted,
    is_name,
    shown,
)
from .columns import COLUMNS, known_columns
from .seal import is_sealed

__all__ = ["FORMS", "checked", "from_json", "modern", "sealed_line"]

#: Of rows that were made when there were no others.
_KIND = "multiplier"
#: What a file of rows may be.
FORMS = "CSV, JSON lines or a JSON document of measurements"
_DEEPEST = 8

_MAPPINGS = [column for column in COLUMNS if column.type == Type.MAPPING]
_NAMED = [column for column in COLUMNS if column.name_like]


class _Digits:
    """An integer in a file that has too many digits to be one here."""

    def __init__(self, text: str) -> None:
        self._count = len(text)

    def __repr__(self) -> str:
        return f"an integer of {self._count} digits"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"each name must be given once, unlike {shown(twice)}")
    return found


def _integer(text: str) -> int | _Digits:
    return int(text) if len(text) < 100 else _Digits(text.removeprefix("-"))


_decode = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer).decode


def from_json(text: str) -> Any:
    """Return what a text of JSON stands for.

    Raises
    ------
    ValueError
        With one line that says what is wrong.
    """
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"a row must be a JSON object, but {error.msg} at character "
                         f"{error.pos + 1}; a file must be {FORMS}") from None
    except RecursionError:
        raise ValueError("a row must be nested less deeply than this") from None


def _choices() -> tuple[tuple[str, ...], ...]:
    """Return the values that columns with a choice may have, among which are the kinds of cores."""
    return tuple(tuple(column.choices()) for column in COLUMNS if column.choices)


@functools.cache
def _structure(choices: tuple[tuple[str, ...], ...], mapping: Any = None, **more: Any
               ) -> type[msgspec.Struct]:
    """Return the structure of a row: a field for each column, which is null if there is none."""
    return msgspec.defstruct("Row", [
        (column.name, mapping if mapping and column.type == Type.MAPPING else column.annotation,
         *(() if column.required else (None,)))
        for column in COLUMNS], kw_only=True, **more)


@functools.cache
def _decoder(choices: tuple[tuple[str, ...], ...]) -> msgspec.json.Decoder:
    """Return the decoder of lines; mappings stay texts, since many rows share one."""
    return msgspec.json.Decoder(_structure(choices, msgspec.Raw, forbid_unknown_fields=True))


@functools.lru_cache(10_000)
def _mapping(column: str, text: bytes) -> dict[str, Any]:
    found = from_json(text.decode())
    known_columns()[column].check(found)
    return found or {}


def sealed_line(line: bytes) -> dict[str, Any] | None:
    """Return the row of a line that holds its seal; None for another one, which may be a row too.

    Several rows may share a mapping, which the caller must not change.
    """
    try:
        found = msgspec.structs.asdict(_decoder(_choices()).decode(line))
        for column in _MAPPINGS:
            text = found[column.name]
            found[column.name] = {} if text is None else _mapping(column.name, bytes(text))
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return None
    found["kind"] = found["kind"] or _KIND
    legible = all(column.is_legible(found[column.name]) for column in _NAMED)
    return found if legible and is_sealed(found) else None


def checked(row: Any) -> dict[str, Any]:
    """Return a row with all columns, and with unknown ones behind them.

    Raises
    ------
    ValueError
        If something is wrong with it; the message is one line.
    """
    if not isinstance(row, dict):
        raise ValueError(f"a row must be a JSON object, not {shown(row)}; a file must be {FORMS}")
    try:
        found = msgspec.structs.asdict(fitted(row, _structure(_choices())))
    except ValueError:
        found = {}
    if not found or not all(column.is_legible(found[column.name])
                            for column in (*_NAMED, *_MAPPINGS)):
        _explain(row)
    for column in _MAPPINGS:
        found[column.name] = found[column.name] or {}
    found["kind"] = found["kind"] or _KIND
    for name, value in row.items():
        if name not in known_columns():
            _check_unknown(name, value)
            found[name] = value
    return found


def _explain(row: dict[str, Any]) -> None:
    """Raise the error of the first column that is wrong."""
    known = known_columns()
    for name in dict.fromkeys((*row, *known)):
        if name in known:
            known[name].check(row.get(name))
        else:
            _check_unknown(name, row[name])


def _check_unknown(name: str, value: Any) -> None:
    """Check a value of an unknown column, which may be any JSON value of moderate size.

    Raises
    ------
    ValueError
        If it is nested deeply, or has a number that is no finite one.
    """
    def allowed(value: Any, depth: int) -> bool:
        if isinstance(value, dict | list):
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            return depth > 0 and all(allowed(each, depth - 1) for each in inner)
        return _is_text(value) if isinstance(value, str) else _is_scalar(value)

    if not is_name(name):
        raise ValueError(f"A column must have a name of 1 to {LONGEST_NAME} printable characters, "
                         f"not {shown(name)}")
    if name.startswith(("param_", "option_")):
        raise ValueError(f"{name} must stand in params or options, not be a column of its own")
    if not allowed(value, _DEEPEST):
        raise ValueError(f"{name} must be finite numbers and texts, nested at most {_DEEPEST} "
                         f"deep, not {shown(value)}")


def _is_text(value: Any) -> bool:
    # What has half of a surrogate pair can be written to no file.
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and (
        value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value))


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return not value or is_name(value)
    if isinstance(value, float):
        return abs(value) <= MOST_NUMBER
    return value is None or (isinstance(value, int) and abs(value) <= MOST_INTEGER)


def modern(row: dict[str, Any]) -> dict[str, Any]:
    """Return a checked row as it would be made today.

    A parameter or option that did not exist yet gets its default.
    """
    if row["target"] not in targets():
        return row
    params, options = completed(row)
    if params == row["params"] and options == row["options"]:
        return row
    return {**row, "params": params, "options": options}
