"""``montgomery sweep``: measure many points."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic import atomic_write
from ..data.labels import duration
from ..errors import Refusal
from ._catalogue import STAGE, tell_rejected
from ._command import SCHEMA, Command, grouped, json_option, print_json
from ._options import (
    grid_options,
    limit_options,
    limits,
    refuse_others,
    settings,
    store_option,
)
from ._progress import progress
from ._sweeps import (
    NamedSweep,
    exit_status,
    named_spec,
    named_sweep,
    report,
    tell_stopped,
)
from ._types import Integer, Number, OutputFolder, SweepSource

if TYPE_CHECKING:
    from ..pipeline.search.plan import Found, Plan
    from ..points.spec import SweepSpec
    from ..store import Store

__all__ = ["command"]

#: The parameters that only a sweep takes, and those that only a search takes.
_OF_SWEEP = {"until", "measured", "replace", "dry_run"}
_OF_SEARCH = {"objectives", "placements", "hours", "limits_", "constant_time"}


@click.command(cls=Command, section="Measurements",
               short_help="Measure area and clock of many cores on many targets.")
@click.argument("source", metavar="[PRESET|FILE.toml|DIR]", required=False, type=SweepSource())
@grid_options
@click.option("--until", metavar="STAGE", type=STAGE,
              help="Stop after a stage, such as verify or synth; 'montgomery list stages' names "
                   "them. Rows then have the status partial.  [default: all stages]")
@click.option("--measured", is_flag=True,
              help="Only bring up to date what the folder of --output has rows of, and measure no "
                   "other point or seed.")
@store_option
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for rows, table and plots, made if need be.  [default: the argument "
                   "DIR, or the folder 'reports' of the store, 'search' with --objectives]")
@click.option("--replace", is_flag=True,
              help="Drop rows of other points from the folder of --output.")
@click.option("--dry-run", is_flag=True,
              help="Say which points would be measured, and measure none. Cores that are "
                   "elaborated for it stay in the store.")
@grouped("Search",
         (["--objectives"], {
             "metavar": "NAME,...",
             "help": "Place only what may be among the best in these: latency, interval, area, "
                     "lut-us, throughput, blocks (DSP and RAM), clock, or an expression over "
                     "columns that is to be small, such as 'lut * interval_us' or 'lut + 100 * "
                     "dsp'."}),
         (["--placements"], {"type": Integer(1), "metavar": "N",
                             "help": "Place at most N times, those counted that are stored."}),
         (["--hours"], {"type": Number(0), "metavar": "H",
                        "help": "Begin nothing more after H hours."}))
@limit_options
@json_option
def command(source: Path | str | None, until: str | None, measured: bool, store_path: Path | None,
            output: Path | None, replace: bool, dry_run: bool, objectives: str | None,
            placements: int | None, hours: float | None, limits_: tuple[str, ...],
            constant_time: bool, as_json: bool, **given: Any) -> int | None:
    """Verify, synthesise, place and route all combinations of the given values, and compare them.

    A preset of 'montgomery list presets' or FILE.toml describes a sweep, and options change it.
    Without either, the preset 'quick' runs. The sweep writes the rows, a table and plots to the
    folder 'reports' of the store, or to the folder of --output. For a folder DIR, its file
    sweep.toml runs, and its rows are those of --output.

    Rows of cores that are not of this package stay in the folder of --output, even if the sweep
    does not measure these. Stages whose results are in the store do not run again. Rows in the
    folder of --output are kept as well if the core, the measuring code, the versions of the tools
    and their options are unchanged. With --measured, points that have no rows yet are left out.

    \b
    montgomery sweep
    montgomery sweep -a mmm_mx_1d -n 32-1024 -t ecp5-85k,ice40-hx8k
    montgomery sweep -n 256 -p word_width=16,32 -o placer_weight=10,30 --seeds 5
    montgomery sweep results
    montgomery sweep -n 256,512,1024 --scheduler tcp://host:8786

    After Ctrl-C or SIGTERM, what is measured so far is in rows.jsonl of the folder of --output.
    Combinations that a core does not allow are left out, with a note, if others are left.

    A point that does not fit the device, needs blocks that the device does not have, or takes too
    long is a result, too. For targets without a placer, such as xc7, the area alone is measured.

    With --objectives, the sweep is a search for the points that no other one beats in all of these,
    with few placements, of 5000 combinations or fewer. What needs no tool comes first: a point that
    breaks a limit at any clock frequency is left out. All others are verified and synthesised. Then
    the placement follows that is expected to gain the most, and the next one, until the budget is
    spent or nothing can join the front any more. Clocks and area are exact after synthesis, and no
    core runs above the limit of the clock network and of the blocks it uses. So a placed point that
    is at least as good as the bounds of another one proves that the other need not be placed. Each
    point that is skipped has such a reason in the column log of its row. Further seeds are placed
    on the front alone.

    \b
    montgomery sweep -n 64 -t ecp5-25k -p word_width=8,16 --objectives latency,area
    montgomery sweep -n 256 -t ecp5-85k --objectives interval,area,blocks --limit dsp=8 --hours 2
    montgomery sweep sweep.toml --objectives "lut * latency_us" --placements 20

    The exit status is 1 if a core disagrees with its model, if nothing of any point could be
    measured, not even its area, or if a search finds no point that keeps the limits.
    """
    from ..points.spec import SweepSpec, presets
    from ..store import Store
    from ..store.folder import check

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
        if replace and output is None:
            raise click.UsageError("--replace is for the folder of --output; name one, or leave it "
                                   "out")
        sweep = named_sweep(spec, source, output)
        staying = [] if replace else sweep.staying()
        if measured:
            sweep = sweep.measured()
        work = functools.partial(_plan, sweep, as_json=as_json) if dry_run else functools.partial(
            _run, sweep, scheduler=given["scheduler"], as_json=as_json, staying=staying)
    with Store(store_path) as store:
        try:
            return work(store=store)
        except KeyboardInterrupt:
            return tell_stopped(store.path)


def _plan(named: NamedSweep, *, store: Store, as_json: bool) -> None:
    """Say what is to be done."""
    from ..pipeline.run import plan

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


def _run(named: NamedSweep, *, store: Store, scheduler: str | None, as_json: bool,
         staying: Sequence[Mapping[str, Any]]) -> int:
    from ..data.rows import save
    from ..pipeline.run import Stopped, run
    from ..plots._style import keep_cache_in

    with progress() as show:
        try:
            rows = run(
                named.sweep, store=store, jobs=named.jobs, scheduler=scheduler, on_event=show)
        except Stopped as stopped:
            if stopped.rows and named.output is not None:
                named.output.mkdir(parents=True, exist_ok=True)
                with atomic_write(named.output / "rows.jsonl") as partial:
                    save(named.beside(stopped.rows, stopped=True), partial)
                click.echo(f"{named.output / 'rows.jsonl'}: {len(stopped.rows)} rows measured so "
                           "far", err=True)
            raise
    keep_cache_in(store.path)
    kept = [*map(dict, named.beside(rows)), *map(dict, staying)]
    report(kept, named.output or store.path / "reports", to_stderr=as_json)
    if as_json:
        print_json({"schema": SCHEMA, "rows": rows})
    return exit_status(rows)


def _planned(spec: SweepSpec, objectives: str, limits: Mapping[str, float], *, constant_time: bool,
            placements: int | None, hours: float | None) -> Plan:
    """Return the plan of a search, and say how many points it looks at."""
    from montgomery import KINDS

    from ..data.objectives import objectives as parsed
    from ..pipeline.search.plan import Plan, points_of

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
    from ..pipeline.search import driver
    from ..plots._search import write
    from ..plots._style import keep_cache_in

    with progress() as show:
        found = driver.search(plan, store=store, jobs=jobs, scheduler=scheduler, on_event=show)
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
