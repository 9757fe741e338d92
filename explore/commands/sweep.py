"""``montgomery sweep``: measure many points."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from montgomery import KINDS

from ..atomic import atomic_write
from ..data.labels import duration
from ..data.objectives import objectives as parsed
from ..data.rows import save
from ..errors import Refusal
from ..pipeline import search
from ..pipeline.run import Stopped, plan, run
from ..pipeline.search import Found, Plan, points_of
from ..plots._search import write
from ..plots._style import keep_cache_in
from ..points.spec import SweepSpec, presets
from ..store import Store
from ..store.folder import check
from ._answer import SCHEMA, print_json
from ._catalogue import tell_rejected
from ._options import limits, refuse_others, settings
from ._progress import progress
from ._sweeps import NamedSweep, exit_status, named_spec, named_sweep, report, tell_stopped

__all__ = ["sweep"]

#: The parameters that only a sweep takes, and those that only a search takes.
_OF_SWEEP = {"until", "measured", "dry_run"}
_OF_SEARCH = {"objectives", "placements", "hours", "limits_", "constant_time"}


def sweep(source: Path | str | None, until: str | None, measured: bool, store_path: Path | None,
          output: Path | None, dry_run: bool, objectives: str | None, placements: int | None,
          hours: float | None, limits_: tuple[str, ...], constant_time: bool, as_json: bool,
          **given: Any) -> int | None:
    """Measure all combinations of the given values, or search for the best of them."""
    check(Store(store_path).path)
    searches = objectives is not None
    refuse_others(*(("A search", _OF_SEARCH) if searches else
                    ("A sweep without --objectives", _OF_SWEEP)), _OF_SWEEP | _OF_SEARCH)
    changes = settings(given) | ({} if until is None else {"until": until})
    spec, folder = named_spec(source, SweepSpec() if searches else presets()["quick"], changes)
    output = output or folder
    tell_rejected()
    work: Callable[..., int | None]
    if searches:
        plan = _planned(spec, objectives, limits(limits_), constant_time=constant_time,
                       placements=placements, hours=hours)
        work = functools.partial(_search, plan, spec.jobs, scheduler=given["scheduler"],
                                 output=output, as_json=as_json)
    else:
        sweep = named_sweep(spec, source, output)
        sweep.check()
        if measured:
            sweep = sweep.measured()
        work = functools.partial(_plan, sweep, as_json=as_json) if dry_run else functools.partial(
            _run, sweep, scheduler=given["scheduler"], as_json=as_json)
    with Store(store_path) as store:
        try:
            return work(store=store)
        except KeyboardInterrupt:
            return tell_stopped(store.path)


def _plan(named: NamedSweep, *, store: Store, as_json: bool) -> None:
    """Say what is to be done."""
    with progress() as show:
        planned = plan(named.sweep, store=store, jobs=named.jobs, on_event=show)
    labels, due = (list(dict.fromkeys(point.label for point in points))
                   for points in (named.sweep.points, planned.due))
    forecast = planned.forecast
    if as_json:
        print_json({"schema": SCHEMA, "points": labels, "due": due, "rows": planned.rows,
                    "stored": planned.known, "to_run": planned.to_run,
                    "forecast": dataclasses.asdict(forecast)})
        return
    click.echo(str(forecast))
    for label in due:
        click.echo(f"  {label}")
    click.echo(f"{len(labels)} points, {planned.rows} rows; stages to run, and stored:")
    for stage, number in planned.to_run.items():
        click.echo(f"  {stage:14}{number:6}{planned.known[stage]:6}")


def _run(named: NamedSweep, *, store: Store, scheduler: str | None, as_json: bool) -> int:
    with progress() as show:
        try:
            rows = run(
                named.sweep, store=store, jobs=named.jobs, scheduler=scheduler, on_event=show)
        except Stopped as stopped:
            if stopped.rows and named.output is not None:
                named.output.mkdir(parents=True, exist_ok=True)
                with atomic_write(named.output / "rows.jsonl") as partial:
                    save(named.beside(stopped.rows), partial)
                click.echo(f"{named.output / 'rows.jsonl'}: {len(stopped.rows)} rows measured so "
                           "far", err=True)
            raise
    keep_cache_in(store.path)
    report(list(map(dict, named.beside(rows))), named.output or store.path / "reports",
           to_stderr=as_json)
    if as_json:
        print_json({"schema": SCHEMA, "rows": rows})
    return exit_status(rows)


def _planned(spec: SweepSpec, objectives: str, limits: Mapping[str, float], *, constant_time: bool,
            placements: int | None, hours: float | None) -> Plan:
    """Return the plan of a search, and say how many points it looks at."""
    wanted = parsed(objectives)
    points, impossible = points_of(spec)
    for point in points:
        if not KINDS[point.kind].formula:
            raise Refusal(f"A search weighs times of operations, and {point.name} is a design, "
                          "which has none; leave --objectives out")
    count = "1 point, which is" if len(points) == 1 else f"{len(points)} points, of which all are"
    more = f"; {impossible} cannot be on their devices" if impossible else ""
    click.echo(f"{count} looked at{more}", err=True)
    return Plan(points=points, objectives=wanted, limits=limits, seeds=spec.seeds,
                constant_time=constant_time, placements=placements, hours=hours,
                timeout_minutes=spec.timeout_minutes)


def _search(plan: Plan, jobs: int | None, *, store: Store, scheduler: str | None,
           output: Path | None, as_json: bool) -> int:
    """Search, print the front, and write the table and plots of what was placed."""
    with progress() as show:
        found = search.search(plan, store=store, jobs=jobs, scheduler=scheduler, on_event=show)
    keep_cache_in(store.path)
    folder = output or store.path / "search"
    if found.rows:
        report(found.rows, folder, to_stderr=as_json)
    if found.points:
        folder.mkdir(parents=True, exist_ok=True)
        for path in write(found, [each.name for each in plan.objectives], folder):
            click.echo(path, err=as_json)
    if as_json:
        print_json({"schema": SCHEMA, **found.to_json(), "rows": found.rows})
    else:
        for line in _lines(found):
            click.echo(line)
    return exit_status(found.rows) if found.front else 1


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _lines(found: Found) -> list[str]:
    """Return the front, and what was saved, in words."""
    if found.front:
        lines = [f"Front of {_points(len(found.front))}:"]
    elif found.left:
        lines = ["The budget was spent before a placement kept the limits; "
                 "raise --placements or --hours"]
    else:
        lines = ["No core keeps the limits, or none could be placed"]
    for point, values in found.front.items():
        figures = ", ".join(f"{name} {value:.4g}" for name, value in values.items())
        lines.append(f"  {point.label}: {figures}")
    count, whole = found.searcher.placements, len(found.points)
    spent = found.steps[-1].seconds if found.steps else 0.0
    lines.append(f"{count} placements for {_points(whole)}; {duration(spent)} of placement, and "
                 f"about {duration(found.seconds_grid)} for one of each point")
    skipped = len(found.skipped)
    lines.append(f"Skipped with a reason, which the column log of each row has: {_points(skipped)}"
                 if skipped else "No point was skipped")
    lines.append(f"The front is not complete: {_points(found.left)} may still join it; a larger "
                 "budget would tell" if found.left else
                 "No other point can be on the front, as far as each was placed with one seed")
    return lines
