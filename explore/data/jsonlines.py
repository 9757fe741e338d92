"""Rows out of JSON: a text at a time, or very many lines column by column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from .column import Type, shown
from .columns import known_columns
from .part import Part
from .rowcheck import FORMS

__all__ = ["HOOKS", "Lines", "parsed"]


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


#: How :func:`json.loads` is to read what a file holds.
HOOKS = {"object_pairs_hook": _unique, "parse_int": _integer}


def parsed(text: str) -> Any:
    """Return what a text of JSON stands for.

    Raises
    ------
    ValueError
        With one line that says what is wrong.
    """
    try:
        return json.loads(text, **HOOKS)
    except json.JSONDecodeError as error:
        raise ValueError(f"a row must be a JSON object, but {error.msg} at character "
                         f"{error.pos + 1}; a file must be {FORMS}") from None
    except RecursionError:
        raise ValueError("a row must be nested less deeply than this") from None


_split = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_values = msgspec.json.Decoder(list).decode


def _template(names: Sequence[str]) -> bytes:
    """Return the line that ``save`` writes of a row with these columns, ``%b`` being values."""
    quoted = (json.dumps(name).encode().replace(b"%", b"%%") for name in names)
    return b"{%b}" % b", ".join(b"%b: %%b" % name for name in quoted)


class Lines:
    """Reads lines as ``save`` writes them, column by column.

    What is no plain value is read once, and stands in all the rows that have it in common.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, Any] = {}

    def read(self, lines: Sequence[bytes]) -> Part | list[dict[str, Any]]:
        """Return the rows that lines stand for; a part if all of them have the same columns.

        They are those that :func:`parsed` reads, wherever their columns have the right types.

        Raises
        ------
        ValueError, RecursionError
            If a line is another one than ``save`` writes; :func:`parsed` may read it.
        """
        rows = [_split(line) for line in lines]
        shapes: dict[tuple[str, ...], list[int]] = {}
        for place, row in enumerate(rows):
            shapes.setdefault(tuple(row), []).append(place)
        if len(shapes) == 1:
            return self._part(lines, rows)
        found: list[dict[str, Any]] = [{}] * len(rows)
        for places in shapes.values():
            part = self._part([lines[place] for place in places], [rows[place] for place in places])
            for place, row in zip(places, part.rows(), strict=True):
                found[place] = row
        return found

    def _part(self, lines: Sequence[bytes], rows: Sequence[dict[str, msgspec.Raw]]) -> Part:
        names = tuple(rows[0])
        template = _template(names)
        # A name that a line gives twice is in its row once.
        if any(template % tuple(row.values()) != line.rstrip()
               for line, row in zip(lines, rows, strict=True)):
            raise ValueError("a line must be as it is written here")
        texts = zip(*map(dict.values, rows), strict=True)
        return Part({name: self._column(name, raws)
                     for name, raws in zip(names, texts, strict=True)}, len(rows))

    def _column(self, name: str, raws: Sequence[msgspec.Raw]) -> list[Any]:
        column = known_columns().get(name)
        if column is not None and column.type != Type.MAPPING:
            return _values(b"[%b]" % b",".join(raws))
        texts = list(map(bytes, raws))
        for text in set(texts).difference(self._known):
            self._known[text] = parsed(text.decode())
        return [self._known[text] for text in texts]
