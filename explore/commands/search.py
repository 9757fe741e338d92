"""``montgomery search``: the best cores of a space, by few placements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.labels import duration
from ..errors import Refusal
from ._answer import SCHEMA, json_option, print_json
from ._catalogue import tell_rejected
from ._command import Command, grouped
from ._options import grid_options, limit_options, limits, settings, store_option
from ._progress import progress
from ._reported import exit_status, report, tell_stopped
from ._types import Existing, Integer, Number, OutputFolder

if TYPE_CHECKING:
    from ..pipeline.search.plan import Found, Plan
    from ..store import Store

__all__ = ["command"]


@click.command(cls=Command, short_help="Find the best cores of many, by few placements.")
@click.argument("file", metavar="[FILE.toml]", required=False, type=Existing(dir_okay=False))
@grid_options
@click.option("--objectives", default="latency,area", show_default=True, metavar="NAME,...",
              help="What is to be good: latency, interval, area, lut-us, throughput, blocks (DSP "
                   "and RAM), clock, or an expression over columns that is to be small, such as "
                   "'lut * interval_us' or 'lut + 100 * dsp'.")
@limit_options
@grouped("Budget",
         (["--placements"], {"type": Integer(1), "metavar": "N",
                             "help": "Place at most N times, those counted that are stored."}),
         (["--hours"], {"type": Number(0), "metavar": "H",
                        "help": "Begin nothing more after H hours."}))
@store_option
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for rows, table and plots.  [default: the folder 'search' of the store]")
@json_option
def command(file: Path | None, objectives: str, constant_time: bool, placements: int | None,
            hours: float | None, store_path: Path | None, output: Path | None, as_json: bool,
            **given: Any) -> int:
    """Find the cores that no other one beats in all objectives, with few placements.

    The space is that of a sweep: all combinations of the given values, or those of FILE.toml. What
    needs no tool comes first: a core that breaks a limit at any clock frequency is left out. All
    others are verified and synthesised. Then the placement follows that is expected to gain the
    most, and the next one, until the budget is spent or nothing can join the front any more.

    Clocks and area are exact after synthesis, and no core runs above the limit of the clock network
    and of the blocks it uses. So a placed core that is at least as good as the bounds of another
    one proves that the other need not be placed. Each core that is skipped has such a reason in the
    column log of its row. Further seeds are placed on the front alone.

    A space has 5000 combinations or fewer. What the store has is not computed again, so that the
    same command goes on after an interruption.

    \b
    montgomery search -n 64 -t ecp5-25k -p word_width=8,16 -o placer_weight=10,30,100
    montgomery search -n 256 -t ecp5-85k --objectives interval,area,blocks --max-dsp 8 --hours 2
    montgomery search sweep.toml --objectives "lut * latency_us" --placements 20

    The exit status is 1 if a core disagrees with its model, or no core keeps the limits.
    """
    from montgomery import KINDS

    from ..data.objectives import objectives as parsed
    from ..pipeline.search.plan import Plan, points_of
    from ..points.spec import SweepSpec
    from ..store import Store

    spec = (SweepSpec.from_toml(file) if file is not None else SweepSpec()
            ).changed(settings(given))
    tell_rejected()
    wanted = parsed(objectives)
    points, impossible = points_of(spec)
    for point in points:
        if not KINDS[point.kind].formula:
            raise Refusal(f"search weighs times of operations, and {point.name} is a design, which "
                          "has none; 'montgomery sweep' measures it")
    count = "1 point, which is" if len(points) == 1 else f"{len(points)} points, of which all are"
    more = f"; {impossible} cannot be on their devices" if impossible else ""
    click.echo(f"{count} looked at{more}", err=True)
    plan = Plan(points=points, objectives=wanted, limits=limits(given), seeds=spec.seeds,
                constant_time=constant_time, placements=placements, hours=hours,
                timeout_minutes=spec.timeout_minutes)
    with Store(store_path) as store:
        try:
            return _run(plan, spec.jobs, store, given["scheduler"], output, as_json)
        except KeyboardInterrupt:
            return tell_stopped(store.path)


def _run(plan: Plan, jobs: int | None, store: Store, scheduler: str | None, output: Path | None,
         as_json: bool) -> int:
    from ..pipeline.search.driver import search
    from ..plots._search import write
    from ..plots._style import keep_cache_in

    with progress() as show:
        found = search(plan, store=store, jobs=jobs, scheduler=scheduler, on_event=show)
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
