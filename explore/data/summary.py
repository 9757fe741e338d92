"""From measured rows to a :class:`~explore.table.Table`: which columns, which order, what caption.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..lookup import known
from ..outcome import Status
from ..table import Cell, Column, Range, Table, text
from .columns import Column as Quantity
from .columns import Type, known_columns
from .frame import medians
from .labels import plain_name, present, split_settings

if TYPE_CHECKING:
    import pandas

__all__ = ["quantities", "tabulate"]

#: Columns of a row that a table shows as settings: on the left, or in the caption.
_SETTINGS = ("kind", "arch", "target", "width", "seed")
_BEST = Quantity("best_usable_mhz", Type.NUMBER, "the highest usable clock of all seeds", "MHz",
                 title="Usable clock of the best seed")


def quantities() -> dict[str, Quantity]:
    """Return what a table can show, by the name that ``--columns`` takes."""
    found = {name: column for name, column in known_columns().items()
             if column.type != Type.MAPPING and name not in _SETTINGS}
    return {**found, _BEST.name: _BEST}


def _head(column: Quantity) -> Column:
    """Return how a column of rows is shown."""
    numeric = column.type in (Type.INTEGER, Type.NUMBER)
    # What is counted stands in the title already.
    unit = "" if column.unit in ("LUT", "FF", "blocks") else column.unit
    return Column(name=column.name, title=column.header, unit=unit, numeric=numeric)


_USUAL = ("status", "lut", "ff", "ff_skew", "dsp", "bram", "fmax_usable_mhz", "cycles_compute",
          "latency_us", "throughput_mbps", "throughput_pipelined_mbps", "lut_us")
#: Shown by default only where they say something: are not this, or not what another column says.
_OMIT = {"status": "ok", "ff_skew": None, "dsp": 0, "bram": 0, "fmax_usable_mhz": None,
         "latency_us": None, "throughput_mbps": None, "lut_us": None}
_OMIT_LIKE = {"throughput_pipelined_mbps": "throughput_mbps"}


def _rank(value: Any) -> tuple[str, float]:
    """Return a key that sorts a column: numbers by value, then texts."""
    return ("", value) if isinstance(value, int | float) else (str(value), 0)


def _order(points: pandas.DataFrame, names: Sequence[str]) -> list[int]:
    """Return the places of the points, sorted by columns; absent values come first."""
    import numpy
    import pandas

    ranks = []
    for name in names:
        codes, values = pandas.factorize(points[name])
        keys = list(map(_rank, values.tolist()))
        places = {key: place for place, key in enumerate(sorted(set(keys)))}
        # The code of an absent value is -1.
        ranks.append(numpy.array([*(places[key] for key in keys), -1])[codes])
    return numpy.lexsort(ranks[::-1]).tolist()


def _usual(rows: pandas.DataFrame) -> list[str]:
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
    return [value if present(value) else None for value in values]


def _cells(quantity: Quantity, points: pandas.DataFrame, per_seed: bool) -> list[Cell]:
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
        return [Range(*each) if present(each[0]) else None
                for each in zip(values, *ends, strict=True)]
    return _settings(values)


def _caption(common: dict[str, Any], points: pandas.DataFrame, per_seed: bool) -> str:
    if per_seed:
        what = "Each seed by itself"
    elif (placed := points[points["status"] != str(Status.AREA_ONLY)]).empty:
        what = "Area, nothing placed"
    else:
        seeds = placed["seeds"]
        few, many = seeds.min(), seeds.max()
        what = "One seed" if many == 1 else (
            f"Median of {many if few == many else f'{few} to {many}'} seeds "
            "(smallest\N{EN DASH}largest)")
    shared = [f"{plain_name(name)} {text(value)}" for name, value in common.items()
              if name != "arch" and (name, value) != ("kind", "multiplier")]
    for_all = f"; for all rows: {', '.join(shared)}" if shared else ""
    return f"{what}{for_all}.{_kinds_of_lut(set(points['target']))}"


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
    """Return the table of ``rows``, a frame as :func:`explore.data.frame.load` returns.

    One row a point, sorted by target, architecture, settings and width. Settings that differ take
    a column each; those all points share are in the caption. A point that failed keeps what was
    measured of it, and its status.

    Parameters
    ----------
    columns : sequence of str
        Quantities from :func:`quantities`; by default the usual ones, without the status if all is
        well and without DSP blocks and block RAMs if there are none.
    per_seed : bool
        One row a seed, with no medians.

    Raises
    ------
    ValueError
        For an unknown column, and if there are no rows.
    """
    possible = quantities()
    for name in columns:
        known("column", name, possible)
    if per_seed and "best_usable_mhz" in columns:
        raise ValueError("Column best_usable_mhz needs several seeds; leave it out, or --per-seed")
    if rows.empty:
        raise ValueError("There are no measurements to show; 'montgomery sweep' makes some")
    differing, common = split_settings(rows)
    settings = ["arch", *(name for name in differing if name != "arch"), "width"]
    settings += ["seed"] if per_seed else []
    points = rows if per_seed else medians(rows)
    chosen = [possible[name] for name in columns or _usual(rows)]
    order = _order(points, ("target", *settings))
    cells = [*(_settings(points[name].tolist()) for name in settings),
             *(_cells(quantity, points, per_seed) for quantity in chosen)]
    body = [list(row) for row in zip(*([column[index] for index in order] for column in cells),
                                     strict=True)]
    heads = [_head(known_columns()[name]) if name in _SETTINGS else
             Column(name=plain_name(name), title=plain_name(name), numeric=False)
             for name in settings]
    return Table(caption=_caption(common, points, per_seed), rows=body,
                 columns=[*heads, *map(_head, chosen)])
