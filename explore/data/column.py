"""A column of a row: its type, its meaning, and the values that it may have."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Collection
from types import GenericAlias
from typing import Annotated, Any, Literal

__all__ = ["LONGEST_NAME", "Column", "Type"]

#: No count and no quantity of a core comes near these; what is beyond them is a mistake, and would
#: overflow where figures are multiplied.
_MOST_INTEGER = 10**18
_MOST_NUMBER = 1e15
_LEAST_POSITIVE = 1e-12
LONGEST_NAME = 200
_LONGEST_TEXT = 1_000_000
_MOST_ENTRIES = 100
#: What a terminal shows as it is.
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"


class Type(enum.StrEnum):
    """The type of the values of a column."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    #: A dictionary from names to values.
    MAPPING = "mapping"


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a row.

    Attributes
    ----------
    name : str
        Name in rows, and for ``--columns``.
    type : Type
        Type of its values, which may be null too.
    meaning : str
        A few words that define the quantity.
    unit : str
        Unit of its values, such as ``MHz``; empty if there is none.
    spread : bool
        Whether it depends on the placement. Tables show the smallest and the largest value of the
        seeds beside the median.
    stage : str
        The stage of the measurement that measures it; empty if none does.
    required : bool
        Whether a row must have it.
    title : str
        The header of tables; the name without underscores if empty.
    measured : bool
        Whether it is a measured quantity, so that points have its median over the seeds; a column
        with a spread always is.
    minimum : int, float or None
        The smallest legal value; None if negative values are legal.
    positive : bool
        Whether values must be above 0.
    name_like : bool
        Whether it is a name: one line of printable characters.
    choices : callable or None
        Returns the legal values.
    lists : bool
        Whether the values of a mapping are lists of text.
    derived : bool
        Whether it is computed from other columns when a row is made.
    incidental : bool
        Whether it describes the time, place and speed of a measurement, and so may differ between
        equal measurements.
    """

    name: str
    type: Type
    meaning: str
    unit: str = ""
    spread: bool = False
    stage: str = ""
    required: bool = False
    title: str = ""
    measured: bool = False
    minimum: float | None = None
    positive: bool = False
    name_like: bool = False
    choices: Callable[[], Collection[str]] | None = None
    lists: bool = False
    derived: bool = False
    incidental: bool = False

    @property
    def header(self) -> str:
        """The title, or what the name says."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def annotation(self) -> Any:
        """The type of its values, for :mod:`msgspec`."""
        import msgspec

        def limited(of: Any, **limits: Any) -> Any:
            return Annotated[of, msgspec.Meta(**limits)]

        text = limited(str, max_length=_LONGEST_TEXT)
        name = limited(str, min_length=1, max_length=LONGEST_NAME, pattern=_PRINTABLE)
        found: Any
        match self.type:
            case Type.TEXT if self.choices is not None:
                found = Literal[tuple(self.choices())]
            case Type.TEXT:
                found = name if self.name_like else text
            case Type.INTEGER:
                found = limited(int, ge=self._least, le=_MOST_INTEGER)
            case Type.NUMBER:
                found = limited(float, ge=self._least, le=_MOST_NUMBER)
            case Type.BOOLEAN:
                found = bool
            case Type.MAPPING:
                scalar = (limited(str, max_length=LONGEST_NAME, pattern=_PRINTABLE) | bool | None
                          | limited(int, ge=-_MOST_INTEGER, le=_MOST_INTEGER)
                          | limited(float, ge=-_MOST_NUMBER, le=_MOST_NUMBER))
                value = GenericAlias(list, text) if self.lists else scalar
                found = limited(GenericAlias(dict, (name, value)), max_length=_MOST_ENTRIES)
        return found if self.required else found | None

    @property
    def _least(self) -> float:
        if self.positive:
            return _LEAST_POSITIVE
        if self.minimum is not None:
            return self.minimum
        return -_MOST_INTEGER if self.type == Type.INTEGER else -_MOST_NUMBER
