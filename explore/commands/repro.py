"""``montgomery repro``: measure a row again, and compare."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._command import Command
from ._options import json_option, load_rows, print_json, store_option
from ._rows import named_rows
from ._types import Integer, Number

if TYPE_CHECKING:
    from ..pipeline.repeat import Repetition
    from ..store import Store

__all__ = ["command"]

_SCHEMA = 1


@click.command(cls=Command, short_help="Measure a row again, and say whether the figures agree.")
@click.argument("row", metavar="ROW")
@click.option("--its-tools", is_flag=True,
              help="Use YoWASP's yosys and nextpnr in the versions of the row, which pip installs.")
@click.option("--at", "revision", metavar="REVISION",
              help="Use the sources of this revision of the project's git.")
@click.option("--again", is_flag=True,
              help="Run everything again, in an empty store that is deleted afterwards.")
@click.option("-j", "--jobs", type=Integer(1), metavar="N",
              help="Number of tools that run at one time.  [default: number of processors]")
@click.option("--timeout", default=60.0, show_default=True, type=Number(0.01), metavar="MIN",
              help="Time limit of each run of a tool, in minutes.")
@store_option
@json_option
def command(row: str, its_tools: bool, revision: str | None, again: bool, jobs: int | None,
            timeout: float, store_path: Path | None, as_json: bool) -> int:
    """Measure a row again from what it carries, and compare all figures.

    ROW is FILE:LINE, FILE for all rows of a file, or the first digits of the seals of rows in the
    store. A row carries core, parameters, target, tool options and seed, a hash of the hardware,
    and the versions and arguments of the programs. If figures differ, what else differs is named:
    that is the cause, or part of it. Placement is repeatable: the same programs give the same
    figures on any machine.

    \b
    montgomery repro results/rows.jsonl:3 --again
    montgomery repro results/rows.jsonl:3 --its-tools
    montgomery repro results/rows.jsonl:3 --at v1.0

    Stages whose outcomes the store has do not run, unless --again is given. The exit status is 1 if
    a figure differs.
    """
    from ..pipeline.repeat import repetition
    from ..store import Store

    rows = named_rows(row, lambda: load_rows(store_path, ()).to_dict("records"))
    with contextlib.ExitStack() as stack:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory(
            prefix="montgomery-repro-"))) / "store" if again else store_path
        store = stack.enter_context(Store(path))
        new = _measured(rows, store, jobs, timeout, its_tools, revision)
    found = [repetition(old, again_) for old, again_ in zip(rows, new, strict=True)]
    if as_json:
        print_json({"schema": _SCHEMA, "same": all(each.is_same for each in found),
                    "rows": [{"same": each.is_same, **dataclasses.asdict(each)}
                             for each in found]})
    else:
        for each in found:
            click.echo("\n".join(_lines(each)))
        if len(found) > 1:
            click.echo(f"{sum(each.is_same for each in found)} of {len(found)} rows are repeated")
    return 0 if all(each.is_same for each in found) else 1


def _measured(rows: list[Mapping[str, Any]], store: Store, jobs: int | None, timeout: float,
              its_tools: bool, revision: str | None) -> list[Mapping[str, Any]]:
    """Return new rows in the order of the old ones."""
    from ..pipeline.elsewhere import Elsewhere
    from ..pipeline.repeat import packages_of, repeat
    from ..points.expand import check_known
    from ..points.point import Point
    from ._progress import progress

    if not its_tools and revision is None:
        with progress() as show:
            return repeat(rows, store=store, jobs=jobs, timeout_minutes=timeout, on_event=show)
    if revision is None:
        # An earlier revision may have cores that are gone.
        for row in rows:
            check_known(Point.from_row(row))
    new = []
    for row in rows:
        packages = tuple(packages_of(row)) if its_tools else ()
        seeds = Elsewhere.of(revision, {}, packages).rows(
            Point.from_row(row), int(row["seed"]), store=store.path, jobs=jobs,
            timeout_minutes=timeout, announce=lambda text: click.echo(f"{text} …", err=True))
        new.append(next(each for each in seeds if each["seed"] == row["seed"]))
    return new


def _lines(found: Repetition) -> Iterator[str]:
    yield f"{found.label}: {'the same' if found.is_same else 'not the same'}"
    for name, (before, after) in {**found.figures, **found.causes}.items():
        yield f"  {name}: {_short(before)}, and now {_short(after)}"
    if "design" in found.causes:
        yield "  The hardware is another: its sources changed; --at names an earlier revision"
    elif found.figures and found.causes:
        yield "  --its-tools repeats it with the programs of the row"


def _short(value: Any) -> str:
    shown = str(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
