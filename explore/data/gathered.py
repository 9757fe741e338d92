"""Gathers rows column by column, which takes far less memory than one dictionary per row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .columns import blank_row, measured_names, transposed
from .part import Part

if TYPE_CHECKING:
    import pandas

__all__ = ["POINT", "Gathered", "frozen_texts"]

#: Columns that, together with ``params`` and ``options``, identify a point.
POINT = ("kind", "arch", "width", "target")


def frozen_texts(mappings: Iterable[Any]) -> list[str]:
    """Return a text for each mapping; equal mappings have equal texts."""
    texts: dict[int, str] = {}
    kept = list(mappings)
    for mapping in kept:
        # Many rows share one mapping.
        if id(mapping) not in texts:
            texts[id(mapping)] = json.dumps(mapping, sort_keys=True)
    return [texts[id(mapping)] for mapping in kept]


def _settings(params: Sequence[Mapping[str, Any]],
              options: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of the columns for parameters and options, in the order of the rows."""
    shapes = dict.fromkeys((tuple(one), tuple(other))
                           for one, other in zip(params, options, strict=True))
    for one, other in shapes:
        yield from (f"param_{name}" for name in one)
        yield from (f"option_{name}" for name in other)


class Gathered:
    """Rows as columns: the columns of a row, then ``param_*`` and ``option_*`` as they appear."""

    def __init__(self) -> None:
        self._blank = blank_row()
        self._columns: dict[str, list[Any]] = {name: [] for name in self._blank}
        self._count = 0

    def add(self, part: Part) -> None:
        """Add rows that are :func:`explore.data.rowcheck.checked`."""
        columns = part.filled(self._missing)
        params, options = columns["params"], columns["options"]
        for name in (*columns, *_settings(params, options)):
            if name not in self._columns:
                self._columns[name] = [math.nan] * self._count
        found = dict(columns)
        for prefix, mappings in (("param", params), ("option", options)):
            found |= {f"{prefix}_{name}": values for name, values
                      in transposed(mappings, missing=self._missing).items()}
        for name, column in self._columns.items():
            column += found[name] if name in found else [self._missing(name)] * part.count
        self._count += part.count

    def _missing(self, name: str) -> Any:
        # A missing value is None in a known column, and NaN in all other columns.
        return self._blank.get(name, math.nan)

    def keep_last(self) -> None:
        """Remove all but the last of the rows that have the same point and seed."""
        columns = self._columns
        frozen = [frozen_texts(columns[name]) for name in ("params", "options")]
        last = {identity: index for index, identity in enumerate(zip(
            *(columns[name] for name in (*POINT, "seed")), *frozen, strict=True))}
        if len(last) < self._count:
            for name, column in columns.items():
                columns[name] = [column[index] for index in last.values()]
            self._count = len(last)

    def frame(self) -> pandas.DataFrame:
        """Return the rows as :func:`explore.data.frame.tidy` does, and remove them from here."""
        import pandas

        if self._count:
            # Columns are moved one by one, so that memory never holds all of them twice.
            table = pandas.DataFrame({name: pandas.Series(self._columns.pop(name))
                                      for name in [*self._columns]})
        else:
            table = pandas.DataFrame(columns=[*self._blank])
        for name in measured_names():
            table[name] = pandas.to_numeric(table[name])
        return table
