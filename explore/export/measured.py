"""What was measured of a core that is exported."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from montgomery.core import about

from ..data.dataset import DATASET
from ..data.rowfiles import read
from ..data.stored import stored_rows
from ..data.versions import EARLIER
from ..devices import target, targets
from ..points.point import Point
from ..store import Store, StoreError

if TYPE_CHECKING:
    from ..devices.model import Target

__all__ = ["measured"]

#: Columns of figures, with what they count.
_COUNTED = {"ff": "registers", "dsp": "DSP", "bram": "block RAM"}


def measured(point: Point, *, generic: bool) -> list[str]:
    """Return a line for each device on which what is exported was measured, and each set of options.

    A core with blocks of its device is the same on all devices that have these blocks; as plain
    Verilog it was not measured. Any other core is the same everywhere.
    """
    from ..data.frame import is_measured, medians, tidy

    if generic and about(point.parameters()).uses_blocks:
        return []
    own = _technology(point)
    rows = [row for row in _rows() if _like(row, point) and (
        generic or _technology(Point.from_row(row)) == own)]
    if not rows:
        return []
    points = medians(tidy(rows))
    return [_line(row) for row in points[is_measured(points)].to_dict("records")]


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


def _line(row: dict[str, Any]) -> str:
    device: Target = target(row["target"])
    counts = [f"{row[name]:,.0f} {noun}" for name, noun in _COUNTED.items() if row[name] > 0]
    seeds = f"median of {row['seeds_ok']} seeds" if row["seeds_ok"] > 1 else "one seed"
    note = f" {EARLIER} with an earlier version of the core" if row["earlier"] else ""
    settings = [f"-o {name}={value}" for name, value in Point.from_row(row).unusual_options]
    return (f"{' '.join([row['target'], *settings])}: {row['lut']:,.0f} {device.lut_name}, {', '.join(counts)}, "
            f"{row['fmax_usable_mhz']:.0f} MHz, {seeds}{note}")
