"""From measured rows to a :class:`~explore.table.Table`: which columns, which order, what caption.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .names import known
from .results import medians
from .settings import plain_name, present, split_settings
from .table import Cell, Column, Range, Table, text
from .targets import targets

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "tabulate"]

#: Quantities a table can show, by the name that ``--columns`` takes.
COLUMNS = {column.name: column for column in (
    Column(name="status", title="Status", numeric=False),
    Column(name="constant_time", title="Constant time", numeric=False),
    Column(name="lut", title="LUT"),
    Column(name="ff", title="FF"),
    Column(name="ff_skew", title="FF for skew"),
    Column(name="dsp", title="DSP"),
    Column(name="bram", title="Block RAM"),
    Column(name="copies", title="Copies that the device holds"),
    Column(name="fmax_mhz", title="Fmax", unit="MHz"),
    Column(name="fmax_usable_mhz", title="Usable clock", unit="MHz"),
    Column(name="constraint_mhz", title="Constraint", unit="MHz"),
    Column(name="cycles_load", title="Load", unit="clocks"),
    Column(name="cycles_compute", title="Compute", unit="clocks"),
    Column(name="cycles_unload", title="Unload", unit="clocks"),
    Column(name="cycles_interval", title="Interval", unit="clocks"),
    Column(name="cycles_initiation", title="Initiation", unit="clocks"),
    Column(name="latency_us", title="Latency", unit="µs"),
    Column(name="throughput_mbps", title="Throughput", unit="Mbit/s"),
    Column(name="throughput_pipelined_mbps", title="Throughput of independent products",
           unit="Mbit/s"),
    Column(name="lut_us", title="Area·time", unit="LUT·µs"),
    Column(name="best_usable_mhz", title="Usable clock of the best seed", unit="MHz"),
    Column(name="seconds_synth", title="Synthesis", unit="s"),
    Column(name="seconds_place", title="Place and route", unit="s"),
)}

_USUAL = ("status", "lut", "ff", "ff_skew", "dsp", "bram", "fmax_usable_mhz", "cycles_compute",
          "latency_us", "throughput_mbps", "throughput_pipelined_mbps", "lut_us")
#: Shown by default only where they say something: are not this, or not what another column says.
_OMIT = {"status": "ok", "ff_skew": None, "dsp": 0, "bram": 0, "fmax_usable_mhz": None,
         "latency_us": None, "throughput_mbps": None, "lut_us": None}
_OMIT_LIKE = {"throughput_pipelined_mbps": "throughput_mbps"}

_SETTINGS = {column.name: column for column in (
    Column(name="kind", title="Kind", numeric=False),
    Column(name="arch", title="Architecture", numeric=False),
    Column(name="target", title="Target", numeric=False),
    Column(name="width", title="Width", unit="bits"),
    Column(name="seed", title="Seed"),
)}
#: Quantities that placement decides, and so differ between seeds.
_SPREAD = frozenset({"fmax_mhz", "fmax_usable_mhz", "latency_us", "throughput_mbps",
                     "throughput_pipelined_mbps", "lut_us", "seconds_place"})


def _order(settings: Sequence[str], point: dict[str, Any]) -> list[tuple[bool, str, float]]:
    """Return the key of a row in sorting: by target first, absent values first, numbers by value.
    """
    ranked = [point["target"], *(point[name] for name in settings)]
    return [(present(value), "", value) if isinstance(value, int | float) and present(value)
            else (present(value), str(value), 0) for value in ranked]


def _usual(rows: pandas.DataFrame) -> list[str]:
    def tells(name: str) -> bool:
        if name in _OMIT_LIKE:
            omitted = list(rows[_OMIT_LIKE[name]])
        elif name in _OMIT:
            omitted = [_OMIT[name]] * len(rows)
        else:
            return True
        return any(present(value) and value != other
                   for value, other in zip(rows[name], omitted, strict=True))

    return [name for name in _USUAL if tells(name)]


def _cell(name: str, record: dict[str, Any], per_seed: bool) -> Cell:
    if name == "best_usable_mhz":
        name = "fmax_usable_mhz_max"
    elif name == "status" and not per_seed and 0 < record["seeds_ok"] < record["seeds"]:
        return f"ok for {record['seeds_ok']} of {record['seeds']}"
    value = record.get(name)
    if not present(value):
        return None
    if name in _SPREAD and not per_seed:
        return Range(value, record[f"{name}_min"], record[f"{name}_max"])
    return value


def _caption(common: dict[str, Any], points: Sequence[dict[str, Any]], per_seed: bool) -> str:
    seeds = [point["seeds"] for point in points
             if not per_seed and point["status"] != "no_fmax"]
    if per_seed:
        what = "Each seed by itself"
    elif not seeds:
        what = "Area, nothing placed"
    else:
        few, many = min(seeds), max(seeds)
        what = "One seed" if many == 1 else (
            f"Median of {many if few == many else f'{few} to {many}'} seeds "
            "(smallest\N{EN DASH}largest)")
    shared = [f"{plain_name(name)} {text(value)}" for name, value in common.items()
              if name != "arch" and (name, value) != ("kind", "multiplier")]
    for_all = f"; for all rows: {', '.join(shared)}" if shared else ""
    return f"{what}{for_all}.{_kinds_of_lut({point['target'] for point in points})}"


def _kinds_of_lut(names: set[str]) -> str:
    """Return a sentence that says what a LUT is, unless it is a LUT4 everywhere."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(names & set(targets())):
        kinds.setdefault(targets()[name].lut_name, []).append(name)
    if set(kinds) <= {"LUT4"}:
        return ""
    listed = "; ".join(f"{kind} on {', '.join(on)}" for kind, on in kinds.items())
    return f" LUT is {listed}."


def tabulate(rows: pandas.DataFrame, *, columns: Sequence[str] = (),
             per_seed: bool = False) -> Table:
    """Return the table of ``rows``, a frame as :func:`explore.results.load` returns.

    One row a point, sorted by target, architecture, settings and width. Settings that differ take
    a column each; those all points share are in the caption. A point that failed keeps what was
    measured of it, and its status.

    Parameters
    ----------
    columns : sequence of str
        Quantities from :data:`COLUMNS`; by default the usual ones, without the status if all is
        well and without DSP blocks and block RAMs if there are none.
    per_seed : bool
        One row a seed, with no medians.

    Raises
    ------
    ValueError
        For an unknown column, and if there are no rows.
    """
    for name in columns:
        known("column", name, COLUMNS)
    if per_seed and "best_usable_mhz" in columns:
        raise ValueError("Column best_usable_mhz is of several seeds; leave it out, or --per-seed")
    if rows.empty:
        raise ValueError("There are no measurements to show; 'montgomery sweep' makes some")
    differing, common = split_settings(rows)
    settings = ["arch", *(name for name in differing if name != "arch"), "width"]
    settings += ["seed"] if per_seed else []
    points = (rows if per_seed else medians(rows)).to_dict("records")
    points.sort(key=lambda point: _order(settings, point))
    quantities = list(columns) or _usual(rows)
    body = [[*(point[name] if present(point[name]) else None for name in settings),
             *(_cell(name, point, per_seed) for name in quantities)] for point in points]
    heads = [_SETTINGS.get(name) or Column(name=plain_name(name), title=plain_name(name),
                                           numeric=False) for name in settings]
    return Table(caption=_caption(common, points, per_seed), rows=body,
                 columns=[*heads, *(COLUMNS[name] for name in quantities)])
