"""``montgomery sweep``: measure many points."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic import atomic_write
from ..lookup import UnknownName
from ._answer import SCHEMA, json_option, print_json
from ._catalogue import tell_rejected
from ._command import Command
from ._names import PRESET, STAGE
from ._options import grid_options, settings, store_option
from ._progress import progress
from ._reported import exit_status, report, tell_stopped
from ._sweeps import NamedSweep, named_sweep
from ._types import Existing, OutputFolder

if TYPE_CHECKING:
    from ..store import Store

__all__ = ["command"]


@click.command(cls=Command, short_help="Measure area and clock of many cores on many targets.")
@click.argument("file", metavar="[FILE.toml|DIR]", required=False, type=Existing())
@grid_options
@click.option("--until", metavar="STAGE", type=STAGE,
              help="Stop after a stage, such as verify or synth; 'montgomery list stages' names "
                   "them. Rows then have the status partial.  [default: all stages]")
@click.option("--measured", is_flag=True,
              help="Only bring up to date what the folder of --output has rows of, and measure no "
                   "other point or seed.")
@click.option("--preset", metavar="NAME", type=PRESET,
              help="The sweep that the other options change; 'montgomery list presets' describes "
                   "the presets.  [default: quick, unless FILE.toml is given]")
@store_option
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for rows, table and plots, made if need be.  [default: the folder "
                   "'reports' of the store, or the argument DIR]")
@click.option("--replace", is_flag=True,
              help="Drop rows of other points from the folder of --output.")
@click.option("--dry-run", is_flag=True,
              help="Say which points would be measured, and measure none.")
@json_option
def command(file: Path | None, until: str | None, measured: bool, preset: str | None,
            store_path: Path | None, output: Path | None, replace: bool, dry_run: bool,
            as_json: bool, **given: Any) -> int | None:
    """Verify, synthesise, place and route all combinations of the given values, and compare them.

    FILE.toml or a preset describes a sweep, and options change it. Without any, the preset 'quick'
    runs. The sweep writes the rows, a table and plots to the folder 'reports' of the store, or to
    the folder of --output.

    Rows of cores that are not of this package stay in the folder of --output, even if the sweep
    does not measure these.

    Stages whose results are in the store do not run again. Rows in the folder of --output are kept
    as well if the core, the measuring code, the versions of the tools and their options are
    unchanged.

    With --measured, points that have no rows yet are left out.

    For a folder DIR, its file sweep.toml runs, and its rows are those of --output.

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
    The exit status is 1 if a core disagrees with its model, or if nothing of any point could be
    measured, not even its area.
    """
    from ..store import Store
    from ..store.folder import check

    check(Store(store_path).path)
    changes = settings(given) | ({} if until is None else {"until": until})
    if replace and output is None and (file is None or not file.is_dir()):
        raise click.UsageError("--replace is for the folder of --output; name one, or leave it out")
    sweep = named_sweep(file, preset, output, changes)
    tell_rejected()
    staying: list[Mapping[str, Any]] = []
    if not replace:
        sweep.check_others()
        staying = sweep.staying
    if measured:
        sweep = sweep.measured()
    if dry_run:
        _dry_run(sweep, Store(store_path), as_json)
        return None
    with Store(store_path) as store:
        try:
            return _run(sweep, store, given["scheduler"], as_json, staying)
        except KeyboardInterrupt:
            return tell_stopped(store.path)


def _dry_run(named: NamedSweep, store: Store, as_json: bool) -> None:
    from ..pipeline.run import plan

    reading = store.open(create=False, writable=False) if store.exists else None
    with reading or contextlib.nullcontext() as opened, progress() as show:
        planned = plan(named.sweep, store=opened, jobs=named.jobs, on_event=show)
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


def _keep(rows: list[dict[str, Any]], named: NamedSweep) -> None:
    """Write what a sweep has measured to its folder, beside what was there of other points."""
    from ..data.frame import save
    from ..points.point import Point

    if not rows or named.output is None:
        return
    latest = {}
    for row in (*named.sweep.before, *rows):
        with contextlib.suppress(UnknownName):
            latest[Point.from_row(row).identity(row["seed"])] = row
    named.output.mkdir(parents=True, exist_ok=True)
    with atomic_write(named.output / "rows.jsonl") as partial:
        save(latest.values(), partial)
    click.echo(f"{named.output / 'rows.jsonl'}: {len(rows)} rows measured so far", err=True)


def _run(named: NamedSweep, store: Store, scheduler: str | None,
         as_json: bool, staying: Sequence[Mapping[str, Any]]) -> int:
    from ..pipeline.run import Stopped, run
    from ..plots._style import keep_cache_in

    with progress() as show:
        try:
            rows = run(
                named.sweep, store=store, jobs=named.jobs, scheduler=scheduler, on_event=show)
        except Stopped as stopped:
            _keep(stopped.rows, named)
            raise
    keep_cache_in(store.path)
    report([*rows, *map(dict, staying)], named.output or store.path / "reports",
           to_stderr=as_json)
    if as_json:
        print_json({"schema": SCHEMA, "rows": rows})
    return exit_status(rows)
