"""The columns of a row: names, types, units and meanings.

This is the one place that says what a row holds. Blank rows, files of rows, tables, medians,
``montgomery list`` and notebooks derive from it. A new column is one more entry of :data:`COLUMNS`,
those of a stage included, so that every process knows them. Other packages add theirs by
:func:`extensions`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib.metadata
import types
from collections.abc import Callable, Collection, Mapping
from types import GenericAlias, ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..errors import Refusal
from ..outcome import Status

if TYPE_CHECKING:
    from montgomery.kinds import KnownKind

__all__ = ["COLUMNS", "GROUP", "LONGEST_NAME", "Column", "Type", "blank_row", "extensions",
           "known_columns", "measured_names", "of_stage"]


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

    Its name is that in rows and for ``--columns``, and its meaning a few words that define the
    quantity. Values are of the type, or null unless it is required. They are at least the minimum,
    or above 0 if ``positive``; a ``name_like`` one is one line of printable characters; ``choices``
    returns the legal ones; ``lists`` says that those of a mapping are lists of text.

    A measured column has a median over the seeds, and one with a ``spread``, which depends on the
    placement, the smallest and the largest value beside it. ``stage`` is the one that finds it out,
    unless it is ``derived`` from other columns when a row is made. An ``incidental`` column tells
    the time, place and speed of a measurement, and so may differ between equal measurements.
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
        name = limited(str, min_length=1, max_length=LONGEST_NAME)
        found: Any
        match self.type:
            case Type.TEXT if self.choices is not None:
                found = Literal[tuple(self.choices())]
            case Type.TEXT:
                found = limited(str, min_length=1, max_length=LONGEST_NAME,
                                pattern=_PRINTABLE) if self.name_like else text
            case Type.INTEGER:
                found = limited(int, ge=self._least, le=_MOST_INTEGER)
            case Type.NUMBER:
                found = limited(float, ge=self._least, le=_MOST_NUMBER)
            case Type.BOOLEAN:
                found = bool
            case Type.MAPPING:
                scalar = (limited(str, max_length=LONGEST_NAME) | bool | None
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


#: The group of entry points, each of which is a module.
GROUP = "montgomery.stages"


@functools.cache
def extensions() -> tuple[ModuleType, ...]:
    """Return the modules that installed packages declare, by the names of their entry points.

    A module has ``STAGES``, as those of :mod:`explore.pipeline.stages`, or ``COLUMNS``, further
    columns of a row, or both.
    """
    found = []
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda each: each.name):
        try:
            found.append(entry.load())
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise Refusal(f"{entry.value}, an entry point of the group {GROUP}, cannot be "
                          f"imported: {text}; mend or uninstall its package") from error
    return tuple(found)


def _kinds() -> Mapping[str, KnownKind]:
    from montgomery import KINDS

    return KINDS


def _text(name: str, meaning: str, **more: Any) -> Column:
    return Column(name, Type.TEXT, meaning, **more)


def _count(name: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, Type.INTEGER, meaning, unit, **{"minimum": 0, "measured": True, **more})


def _quantity(name: str, meaning: str, unit: str, **more: Any) -> Column:
    return Column(name, Type.NUMBER, meaning, unit, **{"positive": True, "measured": True,
                                                       "spread": True, "stage": "place", **more})


#: The columns of every row, in order.
COLUMNS = (
    _text("arch", "name of the core among the cores of its kind", title="Architecture",
          required=True, name_like=True),
    _text("kind", "kind of the core, such as multiplier, rsa_crt (RSA with CRT), "
          "scalar_multiplication (elliptic curves), or design (of any sort)", choices=_kinds),
    _count("width", "length of the largest modulus or coordinate, or of a hash core's longest "
           "message; 0 for a design without a width", "bits", required=True, measured=False),
    Column("params", Type.MAPPING, "parameters of the core, except the width"),
    _text("target", "the FPGA, or the board for the status on_board", required=True,
          name_like=True),
    Column("options", Type.MAPPING, "options of yosys and nextpnr"),
    _count("seed", "seed of the placement; each seed has a row", required=True, minimum=1,
           measured=False),
    _text("status", f"outcome: {', '.join(Status)}, or on_board", required=True,
          choices=lambda: [*map(str, Status), "on_board"]),
    _text("verified", "yes if the core was compared with its model, in operations and clocks; no "
          "for a design, which has none", choices=lambda: ("yes", "no"), incidental=True),
    Column("constant_time", Type.BOOLEAN,
           "whether all operations of the same lengths took the same clocks", stage="verify"),
    _text("engine", "simulator that verified the core: verilator, cxxrtl or amaranth",
          stage="verify", incidental=True),
    _count("lut", "look-up tables of the core alone (LUT4, LUT6 or ALUT, by family)", "LUT",
           title="LUT", stage="synth"),
    _count("ff", "registers of the core alone", "FF", title="FF", stage="synth"),
    _count("ff_skew", "registers that only delay operands, included in ff", "FF",
           title="FF for skew", stage="synth", derived=True),
    _count("dsp", "multiplier blocks of the core", "blocks", title="DSP", stage="synth"),
    _count("bram", "block RAMs of the core", "blocks", title="BRAM", stage="synth"),
    _count("copies", "number of such cores that the device has room for",
           title="Copies on the device", stage="synth", derived=True),
    _quantity("fmax_mhz", "highest clock frequency, as nextpnr reports it", "MHz", title="Fmax"),
    _quantity("fmax_usable_mhz", "the smallest of fmax_mhz and the limits in the data sheet", "MHz",
              title="Usable Fmax", derived=True),
    _quantity("constraint_mhz", "clock frequency that nextpnr was asked for", "MHz",
              title="Constraint", measured=False, spread=False, derived=True),
    _count("cycles_load_key", "clocks from the first word of a key to the first operand word; none "
           "if the core keeps no key", "clocks", title="Load of a key", stage="verify"),
    _count("cycles_load", "clocks from the first operand word to the last", "clocks", title="Load",
           stage="verify"),
    _count("cycles_compute", "clocks from the last operand word to the first result word", "clocks",
           title="Compute", stage="verify"),
    _count("cycles_unload", "clocks from the first result word to the last", "clocks",
           title="Unload", stage="verify"),
    _count("cycles_interval", "clocks between dependent operations", "clocks", title="Interval",
           stage="verify"),
    _count("cycles_initiation", "clocks between independent operations", "clocks",
           title="Initiation interval", stage="verify"),
    _quantity("latency_us", "time of cycles_compute clocks at the usable clock", "µs",
              title="Latency", derived=True),
    _quantity("throughput_mbps", "throughput of dependent operations", "Mbit/s", title="Throughput",
              derived=True),
    _quantity("throughput_pipelined_mbps", "throughput of independent operations", "Mbit/s",
              title="Pipelined throughput", derived=True),
    _quantity("lut_us", "lut times latency_us", "LUT·µs", title="Area-time product", positive=False,
              minimum=0, derived=True),
    _text("design", "hash of the RTLIL that was synthesised"),
    _text("key", "key under which the store has the last stage"),
    Column("recipe", Type.MAPPING, "hash of the specification that led to each stage"),
    _text("seal", "SHA-256 of the row, which shows changes by hand",
          incidental=True),
    _text("log", "last lines of the log of a failed stage"),
    _text("critical_path", "the slowest path that nextpnr reports", stage="place"),
    _quantity("seconds_synth", "time that yosys took", "s", title="Synthesis", stage="synth",
              positive=False, minimum=0, spread=False, incidental=True),
    _quantity("seconds_place", "time that nextpnr took", "s", title="Place and route",
              positive=False, minimum=0, incidental=True),
    Column("versions", Type.MAPPING, "versions of all programs, and the origin of a core that is "
           "not of this package"),
    Column("arguments", Type.MAPPING, "arguments of all programs", lists=True),
    _text("host", "name of the machine that measured the row", incidental=True),
    _text("date", "date and time of the measurement", incidental=True),
    *(column for module in extensions() for column in getattr(module, "COLUMNS", ())),
)


@functools.cache
def known_columns() -> Mapping[str, Column]:
    """Return all columns of a row by name."""
    return types.MappingProxyType({column.name: column for column in COLUMNS})


def measured_names() -> list[str]:
    """Return the names of the columns that have a median and a range over the seeds."""
    return [column.name for column in COLUMNS if column.measured or column.spread]


def blank_row() -> dict[str, Any]:
    """Return a row of which nothing is known but its columns."""
    return {name: {} if column.type == Type.MAPPING else None
            for name, column in known_columns().items()}


def of_stage(stage: str) -> tuple[Column, ...]:
    """Return the columns of :data:`COLUMNS` that a stage finds out."""
    return tuple(column for column in COLUMNS if column.stage == stage and not column.derived)
