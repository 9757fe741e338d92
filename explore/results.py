"""Measurements as tables, from a store or from a file, and files of measurements."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .store import Store

if TYPE_CHECKING:
    import pandas

__all__ = ["MEASURED", "ResultsError", "earlier", "load", "medians", "save", "tidy"]

#: Columns that differ between the seeds of a point, or are measured at all.
MEASURED = ("lut", "ff", "ff_skew", "dsp", "bram", "copies", "fmax_mhz", "fmax_usable_mhz",
            "cycles_load", "cycles_compute", "cycles_unload", "cycles_interval",
            "cycles_initiation", "latency_us", "throughput_mbps", "throughput_pipelined_mbps",
            "lut_us", "seconds_synth", "seconds_place")
_POINT = ("kind", "arch", "width", "target")


class ResultsError(ValueError):
    """A file that holds no measurements."""


def save(rows: list[dict[str, Any]], path: str | os.PathLike) -> None:
    """Write rows to a file that :func:`load` reads: JSON lines, or CSV if so named."""
    path = Path(path)
    if path.suffix == ".csv":
        flat = [{name: json.dumps(value) if isinstance(value, dict) else value
                 for name, value in row.items()} for row in rows]
        import pandas

        text = pandas.DataFrame(flat, dtype=object).to_csv(index=False, lineterminator="\n")
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text)


def load(path: str | os.PathLike | None = None) -> pandas.DataFrame:
    """Return measurements as :func:`tidy` does.

    Parameters
    ----------
    path : path or None
        A store's folder; a file that :func:`save` or ``sweep --json`` wrote; a folder with files
        ``rows.jsonl`` in it or below, which are read together; the default store if None.

    Raises
    ------
    StoreError, ResultsError
        If there are none.
    """
    if path is not None and Path(path).is_file():
        return tidy(_read(Path(path)))
    if path is not None and not Store(path).exists:
        files = sorted(Path(path).rglob("rows.jsonl"))
        if files:
            return tidy(_once(row for file in files for row in _read(file)))
    with Store(path).open(create=False, writable=False) as store:
        return tidy(store.rows())


def earlier(path: Path) -> list[dict[str, Any]]:
    """Return the rows that :func:`save` wrote to a file, as they are; none if there is no file.

    Raises
    ------
    ResultsError
        If it holds something else.
    """
    return _read(path) if path.exists() else []


def _once(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows, the last one alone where several are of the same point and seed."""
    names = (*_POINT, "params", "options", "seed")
    found = {json.dumps([row.get(name) for name in names], sort_keys=True): row for row in rows}
    return list(found.values())


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text()
        if path.suffix == ".csv":
            rows = _read_csv(text)
        elif text.lstrip().startswith('{"schema"'):
            rows = json.loads(text)["rows"]
        else:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        for row in rows:
            # What everything else leans on; the other columns may be missing.
            row["arch"], row["width"], row["target"], row["seed"], row["status"]
    except (ValueError, LookupError, TypeError) as error:
        raise ResultsError(f"{path} must be CSV, JSON lines or a JSON document of measurements, "
                           f"but {type(error).__name__}: {error}") from None
    return rows


def _read_csv(text: str) -> list[dict[str, Any]]:
    import csv

    def value(cell: str) -> Any:
        if cell in ("", "True", "False"):
            return {"": None, "True": True, "False": False}[cell]
        try:
            return json.loads(cell)
        except ValueError:
            return cell

    texts = ("key", "host", "date", "log", "critical_path", "arch", "kind", "target", "status")
    return [{name: cell or None if name in texts else value(cell) for name, cell in row.items()}
            for row in csv.DictReader(text.splitlines(keepends=True))]


def tidy(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    """Return rows as a table: a row a point and seed, failed ones among them.

    Its columns are those of a row, and beside ``params`` and ``options`` one column for each
    parameter and option, ``param_*`` and ``option_*``. What was not measured is missing (NaN), as
    is what rows of an earlier version do not know.
    """
    import pandas

    flat = [{**row, **{f"param_{name}": value for name, value in row["params"].items()},
             **{f"option_{name}": value for name, value in row["options"].items()}}
            for row in rows]
    table = pandas.DataFrame(flat)
    if not table.empty:
        table = table.reindex(columns=list(dict.fromkeys([*table.columns, *MEASURED])))
    for name in MEASURED:
        if name in table:
            table[name] = pandas.to_numeric(table[name])
    return table


def medians(table: pandas.DataFrame) -> pandas.DataFrame:
    """Return a row a point, from a table as :func:`tidy` returns.

    Each column of :data:`MEASURED` becomes the median of the seeds with status ``ok``, its
    smallest and largest value being ``*_min`` and ``*_max``; area is known of other seeds too.
    ``seeds`` counts all seeds, ``seeds_ok`` those with status ``ok``; ``status`` is ``ok`` if any
    seed's is, else the first seed's. Other columns are those of the first seed.
    """
    import pandas

    if table.empty:
        return table.copy()
    frozen = [table[name].map(lambda value: json.dumps(value, sort_keys=True))
              for name in ("params", "options")]
    keys = [table[name] for name in _POINT if name in table] + frozen
    found = []
    for _, group in table.groupby(keys, sort=False):
        ok = group[group["status"] == "ok"]
        result = (ok if len(ok) else group).iloc[0].drop("seed").to_dict()
        for name in (name for name in MEASURED if name in group):
            values = (ok if len(ok) else group)[name]
            result |= {name: values.median(), f"{name}_min": values.min(),
                       f"{name}_max": values.max()}
        found.append({**result, "seeds": len(group), "seeds_ok": len(ok)})
    return pandas.DataFrame(found)
