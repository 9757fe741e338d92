"""Some rows of a file or a store, column by column."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .columns import transposed

__all__ = ["Part"]

#: Stands where a row does not have a column that another one has.
_ABSENT = object()


@dataclasses.dataclass(frozen=True)
class Part:
    """Some rows as columns.

    Attributes
    ----------
    columns : dict
        From the name of each column to its values in all rows.
    count : int
        Number of rows.
    whole : bool
        Whether each row has each of the columns.
    """

    columns: dict[str, Sequence[Any]]
    count: int
    whole: bool = True

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Part:
        """Return the part that consists of ``rows``."""
        columns = transposed(rows, missing=lambda _: _ABSENT)
        return cls(columns, len(rows), all(len(row) == len(columns) for row in rows))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows."""
        names = tuple(self.columns)
        rows = [dict(zip(names, values, strict=True))
                for values in zip(*self.columns.values(), strict=True)]
        if self.whole:
            return rows
        return [{name: value for name, value in row.items() if value is not _ABSENT}
                for row in rows]

    def filled(self, missing: Callable[[str], Any] = lambda _: None) -> dict[str, Sequence[Any]]:
        """Return the columns; ``missing`` returns the value for rows that lack a column."""
        if self.whole:
            return self.columns
        return {name: [default if value is _ABSENT else value for value in values]
                for name, values in self.columns.items() for default in (missing(name),)}
