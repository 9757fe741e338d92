"""Turns measured rows into a :class:`~explore.table.Table` with columns, an order and a caption."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import Refusal
from ..lookup import known
from ..outcome import Status
from ..table import Cell, Head, Range, Table, render
from . import labels
from .columns import Column, Type, known_columns, measured_names
from .frame import medians
from .versions import EARLIER, has_earlier

if TYPE_CHECKING:
    import pandas

__all__ = ["head", "marked", "quantities", "separate", "tabulate", "usual", "written"]

#: Columns of a row that a table shows as settings, which stand on the left or in the caption.
_SETTINGS = ("kind", "arch", "target", "width", "seed")
_BEST = Column("best_usable_mhz", Type.NUMBER, "the highest usable clock of all seeds", "MHz",
               title="Usable Fmax of the best seed")


def quantities() -> dict[str, Column]:
    """Return the quantities that a table can show, by the names that ``--columns`` takes."""
    found = {name: column for name, column in known_columns().items()
             if column.type != Type.MAPPING and name not in _SETTINGS}
    return {**found, _BEST.name: _BEST}


def head(column: Column, lut: str = "LUT") -> Head:
    """Return the column of a table for a quantity; ``lut`` is the title of the area in LUTs."""
    numeric = column.type in (Type.INTEGER, Type.NUMBER)
    # The title of a count has the unit already.
    unit = "" if column.unit in ("LUT", "FF", "blocks") else column.unit
    return Head(name=column.name, title=lut if column.name == "lut" else column.header,
                unit=unit, numeric=numeric)


_USUAL = ("status", "verified", "lut", "ff", "ff_skew", "dsp", "bram", "fmax_usable_mhz",
          "cycles_compute", "latency_us", "throughput_mbps", "throughput_pipelined_mbps", "lut_us")
#: Columns that a narrow table leaves out, the last one first. All other columns stay.
_LESS_NEEDED = ("cycles_compute", "dsp", "bram", "lut_us", "throughput_mbps", "ff",
                "throughput_pipelined_mbps", "ff_skew")
#: A default table omits a column if all its values are missing or equal to the value given here,
#: or to the value of another column.
_OMIT = {"status": "ok", "verified": "yes", "cycles_compute": None, "ff_skew": None, "dsp": 0,
         "bram": 0, "fmax_usable_mhz": None, "latency_us": None, "throughput_mbps": None,
         "lut_us": None}
_OMIT_LIKE = {"throughput_pipelined_mbps": "throughput_mbps"}


def _rank(value: Any) -> tuple[bool, str, float]:
    """Return a key for sorting: missing values come first, then numbers, and then texts."""
    if not labels.present(value):
        return False, "", 0
    return (True, "", value) if isinstance(value, int | float) else (True, str(value), 0)


def usual(rows: pandas.DataFrame) -> list[str]:
    """Return the names of the quantities that a table shows unless it is asked for others."""
    def tells(name: str) -> bool:
        if name in _OMIT_LIKE:
            omitted = rows[_OMIT_LIKE[name]]
        elif name in _OMIT:
            omitted = _OMIT[name]
        else:
            return True
        return bool((rows[name].notna() & (rows[name] != omitted)).any())

    return [name for name in _USUAL if tells(name)]


def _settings(values: Sequence[Any]) -> list[Cell]:
    return [value if labels.present(value) else None for value in values]


def _cells(quantity: Column, points: pandas.DataFrame, per_seed: bool) -> list[Cell]:
    """Return the cells of a column."""
    name = "fmax_usable_mhz_max" if quantity.name == _BEST.name else quantity.name
    if name not in points:
        return [None] * len(points)
    values = points[name].tolist()
    if name == "status" and not per_seed:
        return [f"ok for {ok} of {seeds}" if 0 < ok < seeds else value for value, ok, seeds
                in zip(values, points["seeds_ok"], points["seeds"], strict=True)]
    if quantity.spread and not per_seed:
        ends = (points[f"{name}_{end}"].tolist() for end in ("min", "max"))
        return [Range(*each) if labels.present(each[0]) else None
                for each in zip(values, *ends, strict=True)]
    return _settings(values)


def marked(names: Sequence[Cell], points: pandas.DataFrame) -> list[Cell]:
    """Return names of cores with a sign after those that have changed since."""
    if not has_earlier(points):
        return list(names)
    return [f"{name} {EARLIER}" if earlier else name
            for name, earlier in zip(names, points["earlier"], strict=True)]


def _chosen(rows: pandas.DataFrame, columns: Sequence[str], per_seed: bool) -> list[Column]:
    """Return the quantities that a table is asked to show."""
    possible = quantities()
    for name in columns:
        known("column", name, possible)
    if per_seed and "best_usable_mhz" in columns:
        raise Refusal("Head best_usable_mhz needs several seeds; leave it out")
    if rows.empty:
        raise Refusal("There are no measurements to show; 'montgomery sweep' makes some")
    return [possible[name] for name in columns or usual(rows)]


def _varied(points: pandas.DataFrame) -> list[str]:
    """Return the columns of parameters and tool options that have several values."""
    return [name for name in points if name.startswith(("param_", "option_"))
            and points[name].nunique() > 1]


def _body(points: pandas.DataFrame, cells: Sequence[Sequence[Cell]], by: Sequence[str]
          ) -> list[list[Cell]]:
    """Return columns of cells as rows, sorted by the columns ``by`` of ``points``."""
    keys = [[_rank(value) for value in row] for row in points[list(by)].to_numpy(object).tolist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [[column[index] for column in cells] for index in order]


def tabulate(rows: pandas.DataFrame, *, columns: Sequence[str] = (),
             per_seed: bool = False) -> Table:
    """Return the table of ``rows``, a frame of :func:`explore.data.frame.load`, for readers.

    The table has one row per point, or per seed, sorted by target, core and width. The name of a
    core is followed by its parameters and tool options that differ from their defaults. A point
    that failed has its status and the quantities that were measured.

    ``columns`` are names from :func:`quantities`. If there are none, the table has the usual ones:
    it omits the status if all points are ok, and blocks if no point has any. Its columns have
    ranks, by which a narrow table leaves some out, and a point without a clock frequency shows its
    status in that column.
    """
    chosen = _chosen(rows, columns, per_seed)
    points = rows if per_seed else medians(rows)
    cores, sentences = labels.named_cores(points)
    points = points.assign(core=cores, full_name=labels.core_names(points))
    several = points["target"].nunique() > 1
    settings = ["core", *(["target"] if several else []), "width", *(["seed"] if per_seed else [])]
    heads = [Head(name="core", title="Core", numeric=False),
             *(dataclasses.replace(head(known_columns()[name]), heading=name == "target")
               for name in settings[1:])]
    lut, of_lut = labels.luts(set(points["target"]))
    heads += [dataclasses.replace(
        head(quantity, lut), rank=0 if columns or quantity.name not in _LESS_NEEDED
        else 1 + _LESS_NEEDED.index(quantity.name)) for quantity in chosen]
    found = {quantity.name: _cells(quantity, points, per_seed) for quantity in chosen}
    if not columns and _explains(found):
        found["fmax_usable_mhz"] = [status if clock is None else clock for clock, status in zip(
            found["fmax_usable_mhz"], found.pop("status"), strict=True)]
    heads = [head for head in heads if head.name in settings or head.name in found]
    cells = [marked(cores, points), *(_settings(points[name].tolist()) for name in settings[1:]),
             *found.values()]
    order = ("target", "full_name", *_varied(points), *settings[1:])
    where = "" if several else f" on {points['target'].iloc[0]}"
    names = set(points["target"])
    said = (f"{labels.what(points, per_seed)}{where}.{of_lut}{labels.doubts(names)} "
            f"Settings that are not named have their defaults. {sentences}{labels.earlier(points)}"
            f"{labels.outside(points)}")
    return Table(caption=said.strip(), columns=heads, rows=_body(points, cells, order))


def _explains(found: dict[str, list[Cell]]) -> bool:
    """Return whether exactly the points with status ok have a clock frequency."""
    return {"status", "fmax_usable_mhz"} <= found.keys() and all(
        (status == Status.OK) == (clock is not None) for status, clock in zip(
            found["status"], found["fmax_usable_mhz"], strict=True))


def separate(rows: pandas.DataFrame, *, columns: Sequence[str] = (),
             per_seed: bool = False) -> Table:
    """Return the table of ``rows`` for CSV, which can be joined with other tables.

    The columns do not depend on the rows. They are the columns that identify a point, the number of
    seeds and of measured seeds, the status, and ``columns`` or all measured quantities. Parameters
    and tool options, defaults included, are JSON objects with sorted names.
    """
    chosen = _chosen(rows, columns, per_seed)
    points = rows if per_seed else medians(rows)
    mappings = {name: [json.dumps(value, sort_keys=True) for value in points[name]]
                for name in ("params", "options")}
    points = points.assign(**mappings)
    points = points if "earlier" in points else points.assign(earlier=False)
    keys = ["kind", "arch", "width", "params", "target", "options", "earlier",
            *(["seed"] if per_seed else ["seeds", "seeds_ok"]), "status"]
    if not columns:
        measured = {"constant_time", *measured_names()}
        chosen = [column for name, column in quantities().items()
                  if name in measured and not column.incidental]
    chosen = [column for column in chosen if column.name != "status"]
    heads = [Head(name=name, title=name) for name in keys]
    heads += [dataclasses.replace(head(quantity), spread=quantity.spread and not per_seed)
              for quantity in chosen]
    cells = [*(_settings(points[name].tolist()) for name in keys),
             *(_cells(quantity, points, per_seed) for quantity in chosen)]
    order = ["target", "kind", "arch", *_varied(points), "width",
             *(["seed"] if per_seed else [])]
    return Table(caption="", columns=heads, rows=_body(points, cells, order))


def written(rows: pandas.DataFrame, format: str, *, columns: Sequence[str] = (),
            per_seed: bool = False, width: int | None = None) -> str:
    """Return the table of ``rows`` in one of :data:`explore.table.FORMATS`; see :func:`tabulate`.

    ``width`` is that of the terminal; see :func:`explore.table.render`.
    """
    layout = separate if format == "csv" else tabulate
    table = layout(rows, columns=columns, per_seed=per_seed)
    return render(table, format, width=width)
