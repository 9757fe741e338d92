"""What was measured of a core that is exported."""

from __future__ import annotations

import contextlib
from typing import Any

from montgomery.core import about

from ..data.frame import is_measured, medians, tidy
from ..data.rows import DATASET, modern, read, stored_rows
from ..data.shells import Shell, lines_of_shell, shares
from ..data.versions import EARLIER
from ..devices import target, targets
from ..points.point import Point
from ..store import Store, StoreError

__all__ = ["measured"]

#: Columns of figures, with what they count.
_COUNTED = {"ff": "registers", "dsp": "DSP", "bram": "block RAM"}


def measured(point: Point, *, generic: bool, shell: Shell | None = None) -> list[str]:
    """Return a line for each device on which what is exported was measured, with each option.

    A core with blocks of its device is the same on all devices that have these blocks; as plain
    Verilog it was not measured. Any other core is the same everywhere. Behind a ``shell`` of
    registers there is what they add, and the share of the device.
    """
    blocks, own = about(point.parameters()).uses_blocks, _technology(point)
    if generic and blocks:
        return []
    rows: dict[str, dict[str, Any]] = {}
    for row in modern([row for row in _rows() if _like(row, point)]):
        of = Point.from_row(row)
        if not blocks or _technology(of) == own:
            rows[of.identity(row["seed"])] = row
    if not rows:
        return []
    points = medians(tidy([*rows.values()]))
    return [_line(row, shell) for row in points[is_measured(points)].to_dict("records")]


def _technology(point: Point) -> Any:
    return target(point.target).technology_for(dict(point.options))


def _rows() -> list[dict[str, Any]]:
    """Return the rows that come with the program, and those of the usual store."""
    found = read(DATASET) if DATASET.exists() else []
    with contextlib.suppress(StoreError), Store(None).open(create=False, writable=False) as store:
        found += stored_rows(store)
    return found


def _like(row: dict[str, Any], point: Point) -> bool:
    """Return whether a row is of the same core."""
    return ((row["kind"], row["arch"], row["width"]) == (point.kind, point.arch, point.width)
            and row["target"] in targets() and Point.from_row(row).params == point.params)


def _line(row: dict[str, Any], shell: Shell | None) -> str:
    name = row["target"]
    device = " ".join([name, *(f"-o {name}={value}" for name, value
                               in Point.from_row(row).unusual_options)])
    counts = [f"{row['lut']:,.0f} {target(name).lut_name}",
              *(f"{row[column]:,.0f} {noun}" for column, noun in _COUNTED.items()
                if row[column] > 0)]
    seeds = f"median of {row['seeds_ok']} seeds" if row["seeds_ok"] > 1 else "one seed"
    note = f" {EARLIER} with an earlier version of the core" if row["earlier"] else ""
    mhz = row["fmax_usable_mhz"]
    line = f"{device}: {', '.join(counts)}, {mhz:.0f} MHz, {seeds}{note}"
    if shell is None:
        return line
    whole = shell.around(row)
    told = shell.told({**row, **whole}, mhz, mhz)
    if told is None:
        return f"{line}; what the registers take was not measured there"
    return "; ".join([line, *lines_of_shell(told, "beside these"), *shares(whole, name)])
