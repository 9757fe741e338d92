"""The columns of a row: names, types, units and meanings.

This is the one place that says what a row holds. Blank rows, files of rows, tables, medians,
``montgomery list`` and notebooks derive from it. A new column is one more entry of :data:`COLUMNS`.
A stage that brings a column of its own gives it to :func:`register`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

from .outcome import Status

__all__ = ["COLUMNS", "MOST_INTEGER", "MOST_NUMBER", "Column", "Type", "blank_row", "check_value",
           "columns", "known_columns", "measured_names", "of_stage", "register", "shown"]

#: No count and no quantity of a core comes near these; what is beyond them is a mistake, and would
#: overflow where figures are multiplied.
MOST_INTEGER = 10**18
MOST_NUMBER = 1e15
_LEAST_POSITIVE = 1e-12
_LONGEST_NAME = 200
_LONGEST_TEXT = 1_000_000
_MOST_ENTRIES = 100
_DEEPEST = 8


class Type(enum.StrEnum):
    """What a column holds."""

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
        As in a row, and for ``--columns``.
    type : Type
        What it holds, if it is not null.
    meaning : str
        What it is, in a few words.
    unit : str
        Unit of its values, as ``MHz``; empty if there is none.
    spread : bool
        Whether it depends on the placement. Tables show the smallest and the largest value of the
        seeds beside the median.
    stage : str
        The stage of the measurement that finds it out; empty if none does.
    required : bool
        Whether a row must have it.
    title : str
        The header of tables; the name without underscores if empty.
    measured : bool
        Whether it is a quantity that is measured, so that points have its median over the seeds;
        what has a spread is one in any case.
    minimum : int, float or None
        The smallest value that is allowed, or None if negative values are.
    positive : bool
        Whether values must be above 0.
    name_like : bool
        Whether it is a name: one line of printable characters.
    choices : callable or None
        Returns the values that are allowed.
    lists : bool
        Whether the values of a mapping are lists of text.
    derived : bool
        Whether it is computed from other columns when a row is made.
    incidental : bool
        Whether it tells when, where and how fast something was measured, and so may differ where
        everything else is the same.
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

    def check(self, value: Any) -> None:
        """Check a value of this column.

        Raises
        ------
        ValueError
            If it is not allowed; the message is one line with the rule and the value.
        """
        if value is None:
            if self.required:
                raise ValueError(f"{self.name} must be {self._rule()}, but is missing")
        elif self.type == Type.MAPPING:
            self._check_mapping(value)
        elif not self._allows(value):
            raise ValueError(f"{self.name} must be {self._rule()}, not {shown(value)}")

    def _rule(self) -> str:
        if self.choices is not None:
            return f"one of {', '.join(self.choices())}"
        match self.type:
            case Type.TEXT if self.name_like:
                return f"a name: one printable line of 1 to {_LONGEST_NAME} characters"
            case Type.TEXT:
                return f"text of at most {_LONGEST_TEXT:,} characters"
            case Type.INTEGER | Type.NUMBER:
                what = "an integer" if self.type == Type.INTEGER else "a number"
                if self.positive:
                    return f"{what} above 0 (from {_LEAST_POSITIVE:g} to {MOST_NUMBER:g})"
                most = MOST_INTEGER if self.type == Type.INTEGER else MOST_NUMBER
                least = -most if self.minimum is None else self.minimum
                return f"{what} from {least:g} to {most:g}"
            case Type.BOOLEAN:
                return "true or false"
        return "a mapping of names to values"

    def _allows(self, value: Any) -> bool:
        match self.type:
            case Type.TEXT:
                if self.choices is not None:
                    return isinstance(value, str) and value in self.choices()
                return _is_name(value) if self.name_like else _is_text(value)
            case Type.INTEGER:
                return (isinstance(value, int) and not isinstance(value, bool)
                        and (-MOST_INTEGER if self.minimum is None else self.minimum)
                        <= value <= MOST_INTEGER)
            case Type.NUMBER:
                if not isinstance(value, int | float) or isinstance(value, bool):
                    return False
                least = _LEAST_POSITIVE if self.positive else (
                    -MOST_NUMBER if self.minimum is None else self.minimum)
                return least <= value <= MOST_NUMBER
        return isinstance(value, bool)

    def _check_mapping(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{self.name} must be {self._rule()}, not {shown(value)}")
        if len(value) > _MOST_ENTRIES:
            raise ValueError(f"{self.name} must have {_MOST_ENTRIES} entries or fewer, not "
                             f"{len(value)}")
        for key, entry in value.items():
            if not _is_name(key):
                raise ValueError(f"{self.name} must have names of 1 to {_LONGEST_NAME} printable "
                                 f"characters, not {shown(key)}")
            if self.lists:
                if not isinstance(entry, list) or not all(map(_is_text, entry)):
                    raise ValueError(f"{self.name} must have a list of texts for each name, not "
                                     f"{shown(entry)} for {shown(key)}")
            elif not _is_scalar(entry):
                raise ValueError(f"{self.name} must have one printable text, number or boolean "
                                 f"for each name, not {shown(entry)} for {shown(key)}")


def _is_text(value: Any) -> bool:
    # What has half of a surrogate pair can be written to no file.
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT and (
        value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and value.isprintable()


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return not value or _is_name(value)
    if isinstance(value, float):
        return abs(value) <= MOST_NUMBER
    return value is None or (isinstance(value, int) and abs(value) <= MOST_INTEGER)


def shown(value: Any) -> str:
    """Return a value as messages show it: on one line, and not all of a long one."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else f"{value:g}"
    if isinstance(value, Mapping | list):
        return f"a {'mapping' if isinstance(value, Mapping) else 'list'} of {len(value)}"
    if isinstance(value, int) and abs(value) > MOST_INTEGER:
        return "an integer of many digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def check_value(name: str, value: Any) -> None:
    """Check a value of a column that is not known here: anything that JSON can say in measure.

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

    if not _is_name(name):
        raise ValueError(f"A column must have a name of 1 to {_LONGEST_NAME} printable characters, "
                         f"not {shown(name)}")
    if name.startswith(("param_", "option_")):
        raise ValueError(f"{name} must stand in params or options, not be a column of its own")
    if not allowed(value, _DEEPEST):
        raise ValueError(f"{name} must be finite numbers and texts, nested at most {_DEEPEST} "
                         f"deep, not {shown(value)}")


def _kinds() -> Collection[str]:
    from montgomery import KINDS

    return KINDS


def _statuses() -> Collection[str]:
    return [*map(str, Status), "on_board"]


def _text(name: str, meaning: str, **more: Any) -> Column:
    return Column(name, Type.TEXT, meaning, **more)


def _count(name: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, Type.INTEGER, meaning, unit, **{"minimum": 0, "measured": True, **more})


def _quantity(name: str, meaning: str, unit: str, **more: Any) -> Column:
    return Column(name, Type.NUMBER, meaning, unit, **{"positive": True, "measured": True,
                                                       "spread": True, "stage": "place", **more})


#: The columns of every row, in order.
COLUMNS = (
    _text("arch", "core, by its name among those of its kind", title="Architecture",
          required=True, name_like=True),
    _text("kind", "multiplier, exponentiator, or decryption, which is RSA with CRT",
          choices=_kinds),
    _count("width", "largest modulus", "bits", required=True, minimum=1, measured=False),
    Column("params", Type.MAPPING, "parameters of the core, other than the width"),
    _text("target", "FPGA, or board for status on_board", required=True, name_like=True),
    Column("options", Type.MAPPING, "options of yosys and nextpnr"),
    _count("seed", "of placement; a row each", required=True, minimum=1, measured=False),
    _text("status", f"{', '.join(Status)}, or on_board", required=True, choices=_statuses),
    Column("constant_time", Type.BOOLEAN,
           "whether all operations of the same lengths took the same clocks", stage="verify"),
    _count("lut", "LUT4, LUT6 or ALUT, by family, of the core alone", "LUT", title="LUT",
           stage="synth"),
    _count("ff", "registers of the core alone", "FF", title="FF", stage="synth"),
    _count("ff_skew", "of these, those that only bring operands to their place", "FF",
           title="FF for skew", stage="synth", derived=True),
    _count("dsp", "multiplier blocks", "blocks", title="DSP", stage="synth"),
    _count("bram", "block RAMs", "blocks", title="Block RAM", stage="synth"),
    _count("copies", "cores that the device holds, by what is short first",
           title="Copies that the device holds", stage="synth", derived=True),
    _quantity("fmax_mhz", "what nextpnr reached", "MHz", title="Fmax"),
    _quantity("fmax_usable_mhz", "the least of that and of the data sheet's limits", "MHz",
              title="Usable clock", derived=True),
    _quantity("constraint_mhz", "what nextpnr was asked for", "MHz", title="Constraint",
              measured=False, spread=False, derived=True),
    _count("cycles_load", "from the first operand word to the last", "clocks", title="Load",
           stage="verify"),
    _count("cycles_compute", "from the last operand word to the first result word", "clocks",
           title="Compute", stage="verify"),
    _count("cycles_unload", "from the first result word to the last", "clocks", title="Unload",
           stage="verify"),
    _count("cycles_interval", "between dependent operations", "clocks", title="Interval",
           stage="verify"),
    _count("cycles_initiation", "between independent operations", "clocks", title="Initiation",
           stage="verify"),
    _quantity("latency_us", "cycles_compute at the usable clock", "µs", title="Latency",
              derived=True),
    _quantity("throughput_mbps", "of dependent operations", "Mbit/s", title="Throughput",
              derived=True),
    _quantity("throughput_pipelined_mbps", "of independent operations", "Mbit/s",
              title="Throughput of independent products", derived=True),
    _quantity("lut_us", "lut times latency_us", "LUT·µs", title="Area·time", positive=False,
              minimum=0, derived=True),
    _text("design", "hash of the core's RTLIL, as it was synthesised"),
    _text("key", "of the last stage in the store"),
    Column("recipe", Type.MAPPING, "from each stage to the hash of the specification that led to "
                                   "it"),
    _text("seal", "SHA-256 over what was measured, so that a figure changed by hand shows",
          incidental=True),
    _text("log", "last lines of what failed"),
    _text("critical_path", "the slowest path, by nextpnr", stage="place"),
    _quantity("seconds_synth", "time that yosys took", "s", title="Synthesis", stage="synth",
              positive=False, minimum=0, spread=False, incidental=True),
    _quantity("seconds_place", "time that nextpnr took", "s", title="Place and route",
              positive=False, minimum=0, incidental=True),
    Column("versions", Type.MAPPING, "of all programs"),
    Column("arguments", Type.MAPPING, "of all programs", lists=True),
    _text("host", "where it was measured", incidental=True),
    _text("date", "when it was measured", incidental=True),
)

_registered: dict[str, Column] = {}


def register(column: Column) -> None:
    """Add the column of a stage to all rows, behind those that are always there.

    The same column may be given again.

    Raises
    ------
    ValueError
        If another column has its name.
    """
    there = known_columns().get(column.name)
    if there is not None and there != column:
        raise ValueError(f"A column must have a name of its own, but there is another "
                         f"'{column.name}'; choose another name")
    if there is None:
        check_value(column.name, None)
        _registered[column.name] = column
        known_columns.cache_clear()


def columns() -> tuple[Column, ...]:
    """Return all columns of a row: :data:`COLUMNS`, and what stages registered."""
    return (*COLUMNS, *_registered.values())


@functools.cache
def known_columns() -> Mapping[str, Column]:
    """Return all columns of a row by name."""
    return types.MappingProxyType({column.name: column for column in columns()})


def measured_names() -> list[str]:
    """Return the names of the columns that have a median and a range over the seeds."""
    return [column.name for column in columns() if column.measured or column.spread]


def blank_row() -> dict[str, Any]:
    """Return a row of which nothing is known but its columns."""
    return {name: {} if column.type == Type.MAPPING else None
            for name, column in known_columns().items()}


def of_stage(stage: str) -> tuple[Column, ...]:
    """Return the columns of :data:`COLUMNS` that a stage finds out."""
    return tuple(column for column in COLUMNS if column.stage == stage and not column.derived)
