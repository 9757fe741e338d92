"""A row: its structure, out of JSON, and as it would be made today."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import msgspec

from ..devices import targets
from ..points.point import completed
from .column import LONGEST_NAME, Type, fitted, is_name, shown
from .columns import COLUMNS, known_columns

__all__ = ["checked", "choices", "from_json", "modern", "verified"]

#: Of rows that were made when there were no others.
_KIND = "multiplier"
#: What a file of rows may be.
FORMS = "JSON lines or a JSON document of measurements, in UTF-8"

_MAPPINGS = [column for column in COLUMNS if column.type == Type.MAPPING]
_NAMED = [column for column in COLUMNS if column.name_like]


def from_json(text: bytes) -> Any:
    """Return what a text of JSON stands for.

    Raises
    ------
    ValueError
        With one line that says what is wrong.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"a row must be a JSON object, but {error}; a file must be {FORMS}"
                         ) from None


def choices() -> tuple[tuple[str, ...], ...]:
    """Return the values that columns with a choice may have, among which are the kinds of cores."""
    return tuple(tuple(column.choices()) for column in COLUMNS if column.choices)


@functools.cache
def _structure(choices: tuple[tuple[str, ...], ...]) -> type[msgspec.Struct]:
    """Return the structure of a row: a field for each column, which is null if there is none."""
    return msgspec.defstruct("Row", [
        (column.name, column.annotation, *(() if column.required else (None,)))
        for column in COLUMNS], kw_only=True)


def _has_width(row: dict[str, Any]) -> bool:
    """Return whether a row has a width, if it is not of a design, which need not have one."""
    from montgomery import KINDS

    return row["width"] > 0 or not KINDS[row["kind"]].formula


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
        found = msgspec.structs.asdict(fitted(row, _structure(choices())))
    except ValueError:
        found = {}
    if not found or not all(column.is_legible(found[column.name])
                            for column in (*_NAMED, *_MAPPINGS)):
        _explain(row)
    for column in _MAPPINGS:
        found[column.name] = found[column.name] or {}
    found["kind"] = found["kind"] or _KIND
    if not _has_width(found):
        raise ValueError("width must be 1 or more, except of a design, not 0")
    for name, value in row.items():
        if name not in known_columns():
            _check_unknown(name)
            found[name] = value
    return found


def _explain(row: dict[str, Any]) -> None:
    """Raise the error of the first column that is wrong."""
    known = known_columns()
    for name in dict.fromkeys((*row, *known)):
        if name in known:
            known[name].check(row.get(name))
        else:
            _check_unknown(name)


def _check_unknown(name: str) -> None:
    """Refuse the name of an unknown column unless it stays apart from the others.

    Raises
    ------
    ValueError
        If it does not.
    """
    if not is_name(name):
        raise ValueError(f"A column must have a name of 1 to {LONGEST_NAME} printable characters, "
                         f"not {shown(name)}")
    if name.startswith(("param_", "option_")):
        raise ValueError(f"{name} must stand in params or options, not be a column of its own")


def modern(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return checked rows as they would be made today.

    A parameter or option that did not exist yet gets its default.
    """
    return [{**row, **_missing(row)} for row in rows]


def verified(constant_time: Any, status: str) -> str:
    """Return the column ``verified`` of a row with these columns, which it may lack."""
    compared = isinstance(constant_time, bool) or status == "on_board"
    return "yes" if compared else "no"


def _missing(row: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters and options of a row with their defaults; nothing if it has all."""
    if row["target"] not in targets():
        return {}
    params, options = completed(row)
    if params == row["params"] and options == row["options"]:
        return {}
    return {"params": params, "options": options}
