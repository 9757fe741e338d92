"""Reads measurements from a store or from files as frames, and computes their medians."""

from __future__ import annotations

import functools
import itertools
import json
import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Refusal
from ..outcome import Status
from ..store import Store
from .columns import blank_row, measured_names
from .rows import ResultsError, modern, read, read_each, save, stored_rows, verified
from .versions import are_earlier, designs

if TYPE_CHECKING:
    import pandas

__all__ = ["MEASURED", "POINT", "ResultsError", "earlier", "frame_of", "frozen_texts",
           "is_measured", "load", "marks", "medians", "notes", "of_earlier", "points_of",
           "rows_beside", "rows_of", "save", "tidy"]

#: Columns that, together with ``params`` and ``options``, identify a point.
POINT = ("kind", "arch", "width", "target")
#: Statuses of complete measurements.
MEASURED = tuple(str(status) for status in Status if status.is_measured)
#: Rows that say whether they are ``earlier``, and remarks on the others.
Loaded = tuple[list[dict[str, Any]], list[str]]


def load(*paths: str | os.PathLike | None) -> pandas.DataFrame:
    """Return measurements as :func:`tidy` does.

    A path is the folder of a store; a file that :func:`save` or ``sweep --json`` wrote; or a folder
    with a file ``rows.jsonl``, or, if it has none itself, with such files below it, which are read
    together. None stands for the default store, and so does no path at all.

    If several rows are of the same point and seed, the frame has only the last one of today's core
    and flow, or the last one if there is none. The column ``earlier`` says whether these have
    changed since a row was measured. :func:`notes` returns remarks on these, and on rows that this
    program did not write. :exc:`StoreError` or :exc:`ResultsError` is raised if there are no
    measurements.
    """
    return frame_of(*rows_of(*paths))


def frame_of(rows: Sequence[Mapping[str, Any]], remarks: Sequence[str] = ()) -> pandas.DataFrame:
    """Return the frame of what :func:`rows_of` or :func:`rows_beside` returns."""
    import pandas

    blank = {**blank_row(), "earlier": False}
    whole = pandas.DataFrame([{**blank, **row} for row in rows], columns=[*dict.fromkeys(
        itertools.chain(blank, *rows))])
    whole["verified"] = list(map(verified, whole["constant_time"], whole["status"]))
    settings = [pandas.DataFrame(whole[name].tolist(), whole.index).add_prefix(prefix)
                for prefix, name in (("param_", "params"), ("option_", "options"))]
    earlier = whole.pop("earlier")
    table = pandas.concat([whole, *settings, earlier], axis=1)
    # Rows of a frame have the columns of settings already.
    table = table.loc[:, ~table.columns.duplicated(keep="last")]
    for name in measured_names():
        table[name] = pandas.to_numeric(table[name])
    table.attrs["notes"] = list(remarks)
    return table


def rows_beside(own: str | os.PathLike, others: str | os.PathLike) -> Loaded:
    """Return the rows of the store ``own``, if there is one, and those of ``others`` of all other
    points.

    Of a point of which ``own`` has partial rows alone, those of the others count. The first remark
    says how many rows are whose.
    """
    from montgomery.core import plural

    mine: Loaded = rows_of(own) if Store(own).exists else ([], [])
    theirs = rows_of(others)
    whole = {mark for mark, row in zip(marks(mine[0]), mine[0], strict=True)
             if row["status"] != Status.PARTIAL}
    used = [row for mark, row in zip(marks(theirs[0]), theirs[0], strict=True)
            if mark not in whole]
    there = set(marks(used))
    kept = [row for mark, row in zip(marks(mine[0]), mine[0], strict=True) if mark not in there]
    said = (f"{plural(len(kept), 'row')} of your store, and {len(used)} that come with the program;"
            " --store DIR or --from program shows one of both alone" if kept else
            "rows that come with the program are used; --store and --from name others")
    return [*used, *kept], [said, *theirs[1], *mine[1]]


def rows_of(*paths: str | os.PathLike | None) -> Loaded:
    """Return the rows that :func:`load` makes a frame of, which of them are earlier, and remarks.
    """
    found, unsealed = [], []
    rows: list[dict[str, Any]] = []
    folders: list[Path] = []
    for path in paths or [None]:
        files = _files(path)
        folders += [file.parent for file in files]
        sources = [(file, list(read_each(file))) for file in files] if files else [
            _of_store(path)]
        for source, read_rows in sources:
            if wrong := sum(not sealed for _, sealed in read_rows):
                unsealed.append(f"{wrong} of {len(read_rows)} rows of {source}")
            rows += [row for row, _ in read_rows]
    rows = _last(modern(rows), lambda: set().union(
        *map(designs, dict.fromkeys(folders))))
    if unsealed:
        found.append(f"{', '.join(unsealed)} carry no valid seal: they were changed by hand or "
                     "made by an older version; measure them again")
    return rows, found


def notes(table: pandas.DataFrame) -> list[str]:
    """Return remarks on the rows of a frame of :func:`load`, such as on seals; each is one line."""
    return [*table.attrs.get("notes", ()), *of_earlier(table.get("earlier", ()))]


def of_earlier(are: Iterable[bool]) -> list[str]:
    """Return the remark on how many of some rows are of earlier versions; none if none are."""
    each = list(are)
    return [f"{sum(each)} of {len(each)} rows are of earlier versions of their cores or of the "
            "flow; 'montgomery sweep' measures them again, and --current leaves them out"
            ] if any(each) else []


def earlier(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that :func:`save` wrote; none if there is no file."""
    return read(path) if path.exists() else []


def _files(path: str | os.PathLike | None) -> list[Path]:
    """Return the files of rows that a path names; none if it names a store."""
    if path is None:
        return []
    if Path(path).is_file():
        return [Path(path)]
    if Store(path).exists:
        return []
    own = Path(path) / "rows.jsonl"
    return [own] if own.is_file() else sorted(Path(path).rglob("rows.jsonl"))


def _of_store(path: str | os.PathLike | None) -> tuple[Path, list[tuple[dict[str, Any], bool]]]:
    """Return a store's folder and rows, which are as they were stored."""
    with Store(path).open(create=False, writable=False) as store:
        return store.path, [(row, True) for row in stored_rows(store)]


def _last(rows: Sequence[dict[str, Any]], known: Callable[[], set[tuple[str, str]]]
          ) -> list[dict[str, Any]]:
    """Return, for each point and seed, the last row of today, or the last one if there is none."""
    found: dict[tuple, dict[str, Any]] = {}
    for mark, row, is_earlier in zip(marks(rows, (*POINT, "seed")), rows,
                                     are_earlier(rows, functools.cache(known)), strict=True):
        if not is_earlier or mark not in found or found[mark]["earlier"]:
            found[mark] = {**row, "earlier": is_earlier}
    return list(found.values())


def marks(rows: Sequence[Mapping[str, Any]], names: Sequence[str] = POINT
          ) -> list[tuple[Any, ...]]:
    """Return what tells the points of rows apart: the values of columns, and all settings."""
    return list(zip(*([row[name] for row in rows] for name in names),
                    *(frozen_texts(row[name] for row in rows) for name in ("params", "options")),
                    strict=True))


def frozen_texts(mappings: Iterable[Any]) -> list[str]:
    """Return a text for each mapping; equal mappings have equal texts."""
    return list(map(_text, mappings))


_text = json.JSONEncoder(sort_keys=True).encode


def tidy(rows: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """Return rows as a frame with one row per point and seed, failed ones included.

    The frame has the columns of a row, one column ``param_*`` for each parameter, one column
    ``option_*`` for each option, and ``earlier``. A value that was not measured is missing (NaN).
    So is the value of a column that a row does not have.
    """
    blank = blank_row()
    are = are_earlier({**blank, **row} for row in rows)
    return frame_of([{**row, "earlier": each} for row, each in zip(rows, are, strict=True)])


def is_measured(table: pandas.DataFrame) -> pandas.Series:
    """Return, for each row or point, whether its status is that of a complete measurement."""
    return table["status"].isin(MEASURED)


def medians(table: pandas.DataFrame) -> pandas.DataFrame:
    """Return what :func:`points_of` does, for a frame of :func:`load` or :func:`tidy`, faster.

    A frame without a column of :func:`tidy` is refused.
    """
    import pandas

    if table.empty:
        return table.copy()
    names = measured_names()
    needed = (*POINT, "params", "options", "seed", "status", *names)
    if missing := [name for name in needed if name not in table]:
        raise Refusal(f"A frame must have the columns of load(), but {missing[0]} is missing; "
                      "call medians() on what load() returns")
    table = table.reset_index(drop=True)
    frozen = [frozen_texts(table[name]) for name in ("params", "options")]
    point = table.groupby([*(table[name] for name in POINT), *frozen], sort=False,
                          dropna=False).ngroup()
    ok = is_measured(table)
    counts = pandas.DataFrame({"seeds": point.groupby(point).size(),
                               "seeds_ok": ok.groupby(point).sum()})
    # If no seed was measured, all seeds count: some may have an area.
    used = ok | ~ok.groupby(point).transform("any")
    here = table[used]
    groups = here[names].groupby(point[used])
    ends = {f"{name}_{end}": found[name] for end, found in (("min", groups.min()),
                                                            ("max", groups.max()))
            for name in names}
    middle = groups.median()
    first = here.assign(_point=point[used]).drop_duplicates("_point").set_index("_point")
    first = first.drop(columns=["seed", *(name for name in (*ends, *counts) if name in first)])
    for name in names:
        first[name] = middle[name]
    if "earlier" in here:
        first["earlier"] = here["earlier"].groupby(point[used]).any()
    order = [f"{name}_{end}" for name in names for end in ("min", "max")]
    return pandas.concat([first, pandas.DataFrame(ends)[order], counts], axis=1
                         ).reset_index(drop=True)


def points_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each point.

    A column of measured values becomes the median over the seeds of the point that were measured;
    ``*_min`` and ``*_max`` are its smallest and largest value. If no seed was measured, the medians
    are over all seeds, some of which may have an area. ``seeds`` is the number of all seeds, and
    ``seeds_ok`` the number of measured ones. All other columns, ``status`` included, have the value
    of the first measured seed, or of the first seed if none was measured.
    """
    kept = list(rows)
    seeds: defaultdict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for key, row in zip(marks(kept), kept, strict=True):
        seeds[key].append(row)
    found = []
    for own in seeds.values():
        ok = [row for row in own if row["status"] in MEASURED]
        point = {**(ok or own)[0], "seeds": len(own), "seeds_ok": len(ok),
                 "earlier": any(row.get("earlier") for row in own)}
        for name in measured_names():
            # Frames have NaN, which differs from itself, in place of what is missing.
            values = [row[name] for row in ok or own if row.get(name) == row.get(name) is not None]
            point |= {name: statistics.median(values) if values else None,
                      f"{name}_min": min(values, default=None),
                      f"{name}_max": max(values, default=None)}
        found.append(point)
    return found
