"""The columns of a row: names, types, units and meanings.

This is the one place that says what a row holds. Blank rows, files of rows, tables, medians,
``montgomery list`` and notebooks derive from it. A new column is one more entry of :data:`COLUMNS`.
A stage that brings a column of its own gives it to :func:`register`.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..outcome import Status
from .column import Column, Type, check_value

__all__ = ["COLUMNS", "Column", "Type", "blank_row", "columns", "known_columns", "measured_names",
           "of_stage", "register", "transposed"]


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
    _count("bram", "block RAMs", "blocks", title="BRAM", stage="synth"),
    _count("copies", "cores that the device holds, by what is short first",
           title="Copies on the device", stage="synth", derived=True),
    _quantity("fmax_mhz", "what nextpnr reached", "MHz", title="Fmax"),
    _quantity("fmax_usable_mhz", "the least of that and of the data sheet's limits", "MHz",
              title="Usable Fmax", derived=True),
    _quantity("constraint_mhz", "what nextpnr was asked for", "MHz", title="Constraint",
              measured=False, spread=False, derived=True),
    _count("cycles_load", "from the first operand word to the last", "cycles", title="Load",
           stage="verify"),
    _count("cycles_compute", "from the last operand word to the first result word", "cycles",
           title="Compute", stage="verify"),
    _count("cycles_unload", "from the first result word to the last", "cycles", title="Unload",
           stage="verify"),
    _count("cycles_interval", "between dependent operations", "cycles", title="Interval",
           stage="verify"),
    _count("cycles_initiation", "between independent operations", "cycles",
           title="Initiation interval", stage="verify"),
    _quantity("latency_us", "cycles_compute at the usable clock", "µs", title="Latency",
              derived=True),
    _quantity("throughput_mbps", "of dependent operations", "Mbit/s", title="Throughput",
              derived=True),
    _quantity("throughput_pipelined_mbps", "of independent operations", "Mbit/s",
              title="Pipelined throughput", derived=True),
    _quantity("lut_us", "lut times latency_us", "LUT·µs", title="Area-time product", positive=False,
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


def transposed(rows: Sequence[Mapping[str, Any]], *,
               missing: Callable[[str], Any] = lambda _: None) -> dict[str, Sequence[Any]]:
    """Return the values of each column that one of ``rows`` has.

    ``missing`` returns the value of a column for the rows that have it not.
    """
    if len(shapes := set(map(tuple, rows))) == 1:
        return dict(zip(shapes.pop(), zip(*(row.values() for row in rows), strict=True),
                        strict=True))
    # Many rows may be one object.
    distinct = {id(row): row for row in rows}
    names = dict.fromkeys(itertools.chain.from_iterable(distinct.values()))
    found = {}
    for name in names:
        default = missing(name)
        values = {key: row.get(name, default) for key, row in distinct.items()}
        found[name] = [values[id(row)] for row in rows]
    return found
