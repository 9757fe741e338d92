"""``montgomery sweep``: measure many points."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ..atomic import atomic_write
from ..lookup import UnknownName
from ._activity import Activity
from ._command import Command
from ._former import tell_renamed_in
from ._names import CORES, OPTIONS, PARAMETERS, PRESET, TARGETS
from ._options import (
    assignments,
    check_jobs,
    json_option,
    names,
    print_json,
    scheduler_option,
    store_option,
    widths,
)
from ._outputs import OutputFolder
from ._rejected import tell_rejected
from ._types import Existing, Integer, Number

if TYPE_CHECKING:
    from ..pipeline.events import Event
    from ..pipeline.run import Sweep
    from ..points.point import Point
    from ..points.spec import SweepSpec
    from ..store import Store

__all__ = ["command"]

_SCHEMA = 1
#: What to measure, with what of it to do how, and the folder for the results, if one is named.
_Sweep = tuple["SweepSpec", "Mapping[Point, int]", "Path | None"]


@click.command(cls=Command, short_help="Measure area and clock of many cores on many targets.")
@click.argument("file", metavar="[FILE.toml|DIR]", required=False, type=Existing())
@click.option("-a", "--arch", "archs", metavar="NAME,...", multiple=True, type=CORES,
              help="The cores to measure, such as mmm_mx_1d or exponentiation.generic; 'montgomery "
                   "list' names them.  [default: all multipliers]")
@click.option("-n", "--width", "widths_", metavar="BITS,...", multiple=True,
              help="Bits of the largest modulus: 64,256, or a range. The range 32-1024 doubles: "
                   "32, 64, 128 … 1024. The range 32-128:16 goes in steps of 16.  [default: those "
                   "of the preset]")
@click.option("-p", "--param", "params", metavar="KEY=V1,V2", multiple=True, type=PARAMETERS,
              help="Values of a parameter of the cores, such as word_width=16,32; repeatable. "
                   "'montgomery list NAME' names the parameters of a core.  [default: the core's]")
@click.option("-o", "--option", "options", metavar="KEY=V1,V2", multiple=True, type=OPTIONS,
              help="Values of an option of yosys and nextpnr, such as placer_weight=10,30; "
                   "repeatable. 'montgomery list NAME' names the options of a target.  [default: "
                   "the target's]")
@click.option("-t", "--target", "targets", metavar="NAME,...", multiple=True, type=TARGETS,
              help="The FPGAs to measure on, such as ecp5-85k; 'montgomery list targets' names "
                   "them.  [default: those of the preset]")
@click.option("--seeds", type=Integer(1), metavar="N",
              help="Number of placements per point, with the seeds 1 to N.  [default: that of the "
                   "preset]")
@click.option("-j", "--jobs", type=Integer(1), metavar="N",
              help="Number of tools that run at one time.  [default: number of processors]")
@scheduler_option("Compute")
@click.option("--timeout", type=Number(), metavar="MIN",
              help="Time limit of each run of a tool and of each verification, in minutes.  "
                   "[default: that of the preset]")
@click.option("--preset", metavar="NAME", type=PRESET,
              help="The sweep that the other options change; 'montgomery list presets' describes "
                   "the presets.  [default: quick, unless FILE.toml is given]")
@store_option
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for rows, table and plots, made if need be.  [default: the folder "
                   "'reports' of the store, or the argument DIR]")
@click.option("--replace", is_flag=True,
              help="Drop rows of other points from the folder of --output.")
@click.option("--dry-run", is_flag=True, help="Say what would be run, and run nothing.")
@json_option
def command(file: Path | None, archs: tuple[str, ...], widths_: tuple[str, ...],
            params: tuple[str, ...], options: tuple[str, ...], targets: tuple[str, ...],
            seeds: int | None, jobs: int | None, scheduler: str | None, timeout: float | None,
            preset: str | None, store_path: Path | None, output: Path | None, replace: bool,
            dry_run: bool, as_json: bool) -> int | None:
    """Verify, synthesise, place and route all combinations of the given values, and compare them.

    FILE.toml or a preset describes a sweep, and options change it. Without any, the preset 'quick'
    runs. The sweep writes the rows, a table and plots to the folder 'reports' of the store, or to
    the folder of --output.

    Stages whose results are in the store do not run again. Rows in the folder of --output are kept
    as well if the core, the measuring code, the versions of the tools and their options are
    unchanged.

    For a folder DIR, every file sweep*.toml in it runs. The results of sweep.toml go to the folder
    itself, and those of sweep_2d.toml to its subfolder 2d.

    \b
    montgomery sweep
    montgomery sweep -a mmm_mx_1d -n 32-1024 -t ecp5-85k,ice40-hx8k
    montgomery sweep -n 256 -p word_width=16,32 -o placer_weight=10,30 --seeds 5
    montgomery sweep results
    montgomery sweep -n 256,512,1024 --scheduler tcp://host:8786

    A point that does not fit the device or takes too long is a result, too. For targets without a
    placer, such as xc7, the area alone is measured. The exit status is 1 if a core disagrees with
    its model, or if no point could be measured.
    """
    from ..store import Store

    check_jobs(jobs, scheduler)
    given = {"archs": tuple(names(archs)), "widths": tuple(widths(widths_)),
             "params": assignments("-p", params), "options": assignments("-o", options),
             "targets": tuple(names(targets)), "seeds": seeds, "jobs": jobs,
             "timeout_minutes": timeout}
    sweeps = [(_spec(part, preset, **given), part, folder)
              for part, folder in _files(file, output)]
    if replace and not any(folder for *_, folder in sweeps):
        raise click.UsageError("--replace is for the folder of --output; name one, or leave it out")
    every = [(spec, _points(spec, part), folder) for spec, part, folder in sweeps]
    tell_rejected()
    for spec, *_ in every:
        tell_renamed_in(spec)
    if not replace:
        for _, points, folder in every:
            _check_others(points, folder)
    if dry_run:
        _dry_run(every, Store(store_path), as_json)
        return None
    with Store(store_path) as store:
        try:
            return _run(every, store, scheduler, as_json)
        except KeyboardInterrupt:
            click.echo(f"montgomery: stopped; the store in {store.path} is whole, and the same "
                       "command goes on from there", err=True)
            return 130


def _files(file: Path | None, output: Path | None) -> list[tuple[Path | None, Path | None]]:
    """Return each file that describes a sweep, with the folder for its results."""
    if file is None or not file.is_dir():
        return [(file, output)]
    found = sorted(file.glob("sweep*.toml"))
    if not found:
        raise click.UsageError(f"{file} holds no file sweep*.toml; name a folder that does, or a "
                               "file")
    base = output or file
    return [(path, base / _folder_of(path)) for path in found]


def _folder_of(path: Path) -> str:
    """Return the name of the folder for the results of a file; empty for the one it lies in."""
    name = path.stem.removeprefix("sweep").lstrip("_")
    if name.strip(".") != name:
        raise ValueError(f"The name of a sweep must not begin or end with a dot, unlike {path}; "
                         "rename the file")
    return name


def _spec(file: Path | None, preset: str | None, **given: Any) -> SweepSpec:
    """Return the sweep of a file or preset, changed by the options that were given."""
    from ..points.spec import SweepSpec, presets

    if file is not None and preset is not None:
        raise click.UsageError("Give a file or --preset, not both; a file may name a preset itself")
    spec = SweepSpec.from_toml(file) if file is not None else presets()[preset or "quick"]
    return spec.changed({name: value for name, value in given.items()
                         if value not in (None, (), {})})


def _points(spec: SweepSpec, file: Path | None) -> dict[Point, int]:
    """Return the points of a sweep; what is wrong with them names the file they come from."""
    from ..points.point import PointError

    try:
        return spec.points()
    except PointError as error:
        raise PointError(f"{file}: {error}" if file else str(error)) from None


def _together(sweeps: Sequence[_Sweep]) -> list[Sweep]:
    from ..pipeline.run import Sweep

    return [Sweep(points=points, timeout_minutes=spec.timeout_minutes, before=_before(output))
            for spec, points, output in sweeps]


def _jobs(sweeps: Sequence[_Sweep]) -> int | None:
    """Return the largest number of jobs that any of the sweeps names."""
    return max((spec.jobs for spec, _, _ in sweeps if spec.jobs), default=None)


def _dry_run(sweeps: Sequence[_Sweep], store: Store, as_json: bool) -> None:
    from ..pipeline.run import plan_together
    from ..store.folder import check
    from ._progress import progress

    check(store.path)
    reading = store.open(create=False, writable=False) if store.exists else None
    with reading or contextlib.nullcontext() as opened, progress() as show:
        planned = plan_together(_together(sweeps), store=opened, jobs=_jobs(sweeps), on_event=show)
    labels = list(dict.fromkeys(point.label for _, points, _ in sweeps for point in points))
    forecast = planned.forecast
    if as_json:
        print_json({"schema": _SCHEMA, "points": labels, "rows": planned.rows,
                    "stored": planned.known, "to_run": planned.to_run,
                    "forecast": dataclasses.asdict(forecast)})
        return
    click.echo(str(forecast))
    for label in labels:
        click.echo(f"  {label}")
    click.echo(f"{len(labels)} points, {planned.rows} rows; stages to run, and stored:")
    for stage, number in planned.to_run.items():
        click.echo(f"  {stage:10}{number:6}{planned.known[stage]:6}")


def _before(output: Path | None) -> list[dict[str, Any]]:
    """Return the rows that an earlier sweep left in a folder."""
    from ..data.frame import earlier

    return earlier(output / "rows.jsonl") if output else []


def _check_others(points: Mapping[Point, int], output: Path | None) -> None:
    """Refuse a folder with rows that the sweep would drop; no store may have them."""
    from ..points.point import Point

    seeds = {point.key: number for point, number in points.items()}

    def is_other(row: Mapping[str, Any]) -> bool:
        try:
            return row["seed"] > seeds.get(Point.from_row(row).key, 0)
        except UnknownName:
            return True

    if others := sum(map(is_other, _before(output))):
        raise click.UsageError(
            f"{output / 'rows.jsonl'} holds {others} rows of other points, which this sweep would "
            "drop; name another folder with --output, or drop them with --replace")


def _run(sweeps: Sequence[_Sweep], store: Store, scheduler: str | None, as_json: bool) -> int:
    from ..pipeline.run import run_together
    from ..plots._style import keep_cache_in
    from ._announced import Announcement
    from ._progress import progress

    words = ["montgomery", *sys.argv[1:]]
    with (_ended_as_by_ctrl_c(), Announcement(store.path, words) as announce,
          progress() as show):
        def tell(event: Event) -> None:
            show(event)
            announce(event)

        parts = run_together(_together(sweeps), store=store, jobs=_jobs(sweeps),
                             scheduler=scheduler, on_event=tell)
    keep_cache_in(store.path)
    for (_, _, output), rows in zip(sweeps, parts, strict=True):
        _report(rows, output or store.path / "reports", store.path / "drawn", to_stderr=as_json)
    every = [row for rows in parts for row in rows]
    if as_json:
        print_json({"schema": _SCHEMA, "rows": every})
    return _exit_status(every)


def _exit_status(rows: Sequence[dict[str, Any]]) -> int:
    """Return 1 if a core failed verification, or no point of those to be placed was measured.

    Or, of those that are not placed anywhere, none.
    """
    from ..devices import target
    from ..outcome import Status

    measured: dict[bool, bool] = {}
    for row in rows:
        placed = target(row["target"]).placer is not None
        measured[placed] = measured.get(placed, False) or Status(row["status"]).is_measured
    wrong = any(row["status"] == Status.UNVERIFIED for row in rows)
    return 0 if all(measured.values()) and not wrong else 1


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Have a terminal that is closed, and a polite kill, end a sweep as Ctrl-C does.

    Tools are in process groups of their own, so that they would outlive it otherwise.
    """
    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt)
              for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(rows: Sequence[dict[str, Any]], folder: Path, memory: Path, *,
            to_stderr: bool) -> None:
    """Print the table; write it, the rows and the plots to ``folder``; print where they are.

    ``memory`` is a folder with notes of what was drawn.
    """
    from ..data.frame import save, tidy
    from ..data.summary import written
    from ..plots._drawing import plots_of, write
    from ..plots._kept import drawn

    measured = tidy(rows)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rows.jsonl", folder / "table.md", folder / "table.csv"]
    with atomic_write(paths[0]) as partial:
        save(rows, partial)
    for path, format in zip(paths[1:], ("markdown", "csv"), strict=True):
        with atomic_write(path) as partial:
            partial.write_text(written(measured, format), encoding="utf-8")
    click.echo(written(measured, "terminal"), err=to_stderr)
    for line in _failures(rows):
        click.echo(line, err=True)
    with Activity() as activity, activity.during("drawing the plots"):
        paths += drawn(rows, folder, memory, lambda: write(plots_of(measured), measured, folder))
    for path in paths:
        click.echo(path, err=to_stderr)


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each way in which a point failed that its status alone does not explain."""
    seen = set()
    for row in rows:
        where = (row["arch"], row["width"], row["target"], row["status"])
        if row["status"] not in ("ok", "no_fit") and row["log"] and where not in seen:
            seen.add(where)
            last = row["log"].strip().splitlines()[-1]
            yield (f"montgomery: {row['arch']}/{row['width']} on {row['target']}: "
                   f"{row['status']}: {last}")
