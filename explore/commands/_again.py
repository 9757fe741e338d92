"""``montgomery compare`` of rows with what is measured now: whether the figures agree."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from montgomery.core import about
from montgomery.technology import GENERIC

from ..data.columns import known_columns
from ..data.labels import present
from ..devices import target
from ..errors import Refusal
from ..lookup import UnknownName
from ..netlist.origins import core_origins, hops
from ..pipeline.on_demand import UNVERIFIED, SingleStages
from ..pipeline.run import Sweep, run
from ..pipeline.stage import Job
from ..pipeline.stages import stages
from ..points.expand import check_known
from ..points.point import Point
from ..store import Store
from ..table import number, plain_table, render
from ._answer import SCHEMA, Answer
from ._progress import announce, progress
from ._rows import loaded, named_rows

__all__ = ["again"]

_Row = Mapping[str, Any]
#: Columns that say of what and how a row was measured, rather than what was found.
_BEFORE = ("arch", "kind", "width", "params", "target", "options", "seed")
#: Columns that depend on the code that measures, and may differ although all figures agree.
_CODE = ("recipe", "key", "log")
#: Lines of expressions that are shown of a signal on a path.
_MOST_LINES = 3
_CAUSES = ("design", "arguments", "versions")


def again(name: str, store_path: Path | None, *, path: bool, jobs: int | None,
          timeout: float) -> Answer:
    """Measure the rows of a name again, and compare all figures; show critical paths if asked."""
    rows = named_rows(name, lambda: loaded(
        [store_path] if store_path and store_path.exists() else [])[0])
    with Store(store_path) as store:
        new = _measured(rows, store, jobs, timeout)
        found = [_compared(old, now) for old, now in zip(rows, new, strict=True)]
        if path:
            for row, each in zip(rows, found, strict=True):
                each["path"] = _path_of(*_placement(row), store)
    same = all(each["same"] for each in found)
    return Answer({"schema": SCHEMA, "same": same, "rows": found}, _lines(found), int(not same))


def _measured(rows: Sequence[_Row], store: Store, jobs: int | None, timeout: float) -> list[_Row]:
    """Measure the points and seeds of rows; return their new rows in the same order."""
    asked: dict[Point, set[int]] = {}
    for row in rows:
        point, seed = _placement(row)
        try:
            check_known(point)
        except UnknownName as error:
            if "origin" in row["versions"]:
                raise Refusal(f"{point.name} is not of this package; name its file in "
                              f"MONTGOMERY_CORES ({error})") from None
            raise
        asked.setdefault(point, set()).add(seed)
    points = {point: sorted(seeds) for point, seeds in asked.items()}
    with progress() as show:
        found = run(Sweep(points=points, timeout_minutes=timeout), store=store, jobs=jobs,
                    on_event=show)
    new = {_placement(row): row for row in found}
    return [new[_placement(row)] for row in rows]


def _placement(row: _Row) -> tuple[Point, int]:
    """Return the point and the seed of a row; seeds do not differ where nothing is placed."""
    point = Point.from_row(row)
    return point, int(row["seed"]) if target(point.target).placer else 1


def _compared(old: _Row, new: _Row) -> dict[str, Any]:
    """Return in what two rows of one measurement differ: in figures, and in what causes them.

    Columns of which the old row has no value do not count.
    """
    figures, causes = {}, {}
    for name, column in known_columns().items():
        before, after = old.get(name), new.get(name)
        if (column.incidental or name in (*_BEFORE, *_CODE) or not present(before)
                or before in ({}, after)):
            continue
        if name in _CAUSES and isinstance(before, Mapping):
            after = after or {}
            causes |= {part if name == "versions" else f"{name} of {part}": (value, after.get(part))
                       for part, value in before.items() if value != after.get(part)}
        else:
            (causes if name in _CAUSES else figures)[name] = before, after
    return {"same": not figures, "label": f"{Point.from_row(old).label}, seed {old['seed']}",
            "figures": figures, "causes": causes}


def _lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in found:
        figures, causes = each["figures"], each["causes"]
        yield f"{each['label']}: {'the same' if each['same'] else 'not the same'}"
        for name, (before, after) in {**figures, **causes}.items():
            yield f"  {name}: {before!s:.60}, and now {after!s:.60}"
        if "design" in causes:
            yield "  The hardware is another: its sources changed"
        if "path" in each:
            yield from _path_lines(each["path"])
    if len(found) > 1:
        yield f"{sum(each['same'] for each in found)} of {len(found)} rows are repeated"


def _path_of(point: Point, seed: int, store: Store) -> dict[str, Any]:
    """Return the critical path of a point with a seed, from the report that nextpnr writes today.
    """
    device, options = target(point.target), dict(point.options)
    if device.placer is None:
        raise Refusal(f"{point.target} is not placed, so that there is no path; leave --path out")
    job = Job(params=point.parameters(), device=device, options=options, seed=seed, point=point)
    with tempfile.TemporaryDirectory(prefix="montgomery-paths-") as folder:
        with SingleStages(store, announce=announce) as computed:
            computed.obtain(stages()["place"], job, without=UNVERIFIED, into=Path(folder))
        report = json.loads(Path(folder, "report.json").read_bytes())
    technology = device.technology_for(options) if about(job.params).uses_blocks else None
    found = hops(report, core_origins(job.params, technology or GENERIC),
                 carries=device.family.carries)
    fmax = min((clock["achieved"] for clock in report["fmax"].values()), default=None)
    return {"fmax_mhz": fmax, "logic_ns": sum(hop.logic_ns for hop in found),
            "routing_ns": sum(hop.routing_ns for hop in found),
            "hops": [{**dataclasses.asdict(hop), "in_core": hop.in_core, "origin": hop.origin and {
                "signal": hop.origin.signal, "lines": list(hop.origin.lines)}} for hop in found]}


def _path_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show a path."""
    total = document["logic_ns"] + document["routing_ns"]
    if not document["hops"]:
        yield "nextpnr reports no path between registers"
        return
    yield (f"The critical path, {number(document['fmax_mhz'])} MHz: {total:.2f} ns, of which "
           f"{document['logic_ns']:.2f} are logic and {document['routing_ns']:.2f} "
           f"({100 * document['routing_ns'] / total:.0f} %) routing")
    body = []
    for hop in document["hops"]:
        origin = hop["origin"]
        lines = origin["lines"] if origin else []
        more = len(lines) - _MOST_LINES
        shown = ", ".join(lines[:_MOST_LINES]) + (f" and {more} more" if more > 0 else "")
        name = (origin["signal"] or "expression") if origin else (
            "unnamed" if hop["in_core"] else "chain around the core")
        if hop["cells"] > 1:
            name += f" ({hop['cells']} cells of a carry chain)"
        body.append([name, hop["routing_ns"], hop["logic_ns"], shown])
    yield render(plain_table("", {"At signal": "", "Routing to it": "ns", "Logic": "ns",
                                  "Source": ""}, body), "terminal").strip("\n")
