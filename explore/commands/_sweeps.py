"""The sweep that a command line names, by a file, a folder or a preset, and what it leaves."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ..data.frame import earlier, load, save
from ..data.summary import written as table_of
from ..devices import targets
from ..outcome import Status
from ..pipeline.knowledge import CoreFile
from ..pipeline.run import Sweep
from ..plots._drawing import files_of, plots_of, write
from ..points.point import Point, PointError
from ..points.spec import SweepSpec, presets
from ..table import markdown_text
from ._progress import meter
from ._rows import of_one_kind
from ._types import written
from ._verified import differences

__all__ = ["NamedSweep", "exit_status", "named_spec", "named_sweep", "report", "tell_stopped"]

_Row = Mapping[str, Any]
#: The file of a folder that describes its sweep.
_FILE = "sweep.toml"


@dataclasses.dataclass(frozen=True, kw_only=True)
class NamedSweep:
    """A sweep that a command line names, with the rows that are in the folder for its results."""

    sweep: Sweep
    jobs: int | None
    output: Path | None

    @functools.cached_property
    def _points(self) -> list[Point | None]:
        """The point of each row of the folder; None on a device that there is no more."""
        return [Point.from_row(row) if row["target"] in targets() else None
                for row in self.sweep.before]

    def measured(self) -> NamedSweep:
        """Return the sweep of those points and seeds alone that the folder has rows of."""
        seeds: dict[Point | None, set[int]] = {}
        for point, row in zip(self._points, self.sweep.before, strict=True):
            seeds.setdefault(point, set()).add(row["seed"])
        points = {point: sorted(seeds[point]) for point in self.sweep.points if point in seeds}
        if not points:
            raise click.UsageError("--measured brings rows up to date, but the folder of --output "
                                   "has none of these points; name another one, or leave out "
                                   "--measured")
        return dataclasses.replace(self, sweep=dataclasses.replace(self.sweep, points=points))

    def check(self) -> None:
        """Refuse to drop rows of the folder that are of other points; cores from outside may stay.
        """
        seeds = {point.key: number for point, number in self.sweep.points.items()}
        dropped = [row for point, row in zip(self._points, self.sweep.before, strict=True)
                   if (point is None or row["seed"] > seeds.get(point.key, 0))
                   and "origin" not in row["versions"]]
        if dropped:
            raise click.UsageError(
                f"{self.output / 'rows.jsonl'} holds {len(dropped)} rows of other points, which "
                "this sweep would drop; name another folder with --output, or delete their lines")

    def beside(self, rows: Sequence[_Row]) -> list[_Row]:
        """Return new rows, and those of the folder whose place they do not take.

        Points that have whole rows keep them where the new ones are partial, since the sweep ended
        before the last stage.
        """
        before = list(zip(self._points, self.sweep.before, strict=True))
        whole = {point.key for point, row in before if point and row["status"] != Status.PARTIAL}
        new = {(key, row["seed"]): row for row in rows for key in (Point.from_row(row).key,)
               if row["status"] != Status.PARTIAL or key not in whole}
        return [*new.values(), *(row for point, row in before
                                 if point is None or (point.key, row["seed"]) not in new)]


def named_spec(source: Path | str | None, usual: SweepSpec, changes: Mapping[str, Any]
               ) -> tuple[SweepSpec, Path | None]:
    """Return the sweep that a preset, a file or a folder describes, and the folder if it is one."""
    folder = None
    if isinstance(source, Path) and source.is_dir():
        folder, source = source, source / _FILE
        if not source.exists():
            raise click.UsageError(f"{folder} holds no {_FILE}; name a folder that does, or a file")
    spec = (usual if source is None else presets()[source] if isinstance(source, str) else
            SweepSpec.from_toml(source))
    return spec.changed(changes), folder


def named_sweep(spec: SweepSpec, source: Path | str | None, output: Path | None) -> NamedSweep:
    """Return a sweep with what is known in the folder for its results."""
    try:
        points = spec.points()
    except PointError as error:
        raise PointError(f"{source}: {error}" if isinstance(source, Path) else str(error)) from None
    return NamedSweep(output=output, jobs=spec.jobs, sweep=Sweep(
        points=points, timeout_minutes=spec.timeout_minutes, until=spec.until,
        before=earlier(output / "rows.jsonl") if output else (),
        cores=CoreFile(output) if output else None))


# What it leaves

def report(rows: Sequence[dict[str, Any]], folder: Path, *, to_stderr: bool) -> None:
    """Print the table; write it, the rows and the plots to ``folder``; print where they are.

    Plots of the same rows stay as they are, unless the program is another one since.
    """
    failures = list(_failures(rows))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rows.jsonl", folder / "table.md", folder / "table.csv"]
    before = paths[0].read_bytes() if paths[0].is_file() else None
    with atomic_write(paths[0]) as partial:
        save(rows, partial)
    # The folder knows which sources make the same hardware as before.
    measured = load(paths[0])
    for path, format in zip(paths[1:], ("markdown", "csv"), strict=True):
        with atomic_write(path) as partial:
            reasons = [f"- {markdown_text(each)}\n" for each in failures if format == "markdown"]
            text = "".join([table_of(measured, format), *"\n"[:len(reasons)], *reasons])
            partial.write_text(text, encoding="utf-8")
    click.echo(table_of(measured, "terminal"), err=to_stderr)
    for line in failures:
        click.echo(f"montgomery: {line}", err=True)
    shown = of_one_kind(measured)
    names = plots_of(shown)
    drawn = files_of(names, folder)
    if before != paths[0].read_bytes() or not drawn:
        with meter("drawing the plots"):
            drawn = write(names, shown, folder)
    paths += drawn
    for path in paths:
        click.echo(path, err=to_stderr)
    if todo := list(_next(rows, folder)):
        click.echo("\n".join(["", "What to do next:", *todo]), err=to_stderr)


def _next(rows: Sequence[dict[str, Any]], folder: Path) -> Iterator[str]:
    """Yield commands that go on from what was measured; none if no core has a time."""
    timed = [row for row in rows if row["status"] == Status.OK and row["latency_us"]]
    if not timed:
        return
    best = min(timed, key=lambda row: row["latency_us"])
    point = Point.from_row(best)
    export = [written(word) if before == "-a" else word
              for before, word in itertools.pairwise(["", *point.command("export")])]
    for words in (["montgomery", "recommend", "--kind", best["kind"], "-n", str(best["width"]),
                   "-t", best["target"]],
                  export, ["montgomery", "report", "--from", str(folder / "rows.jsonl")]):
        yield f"  {shlex.join(words)}"


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each way in which a point failed that its status alone does not explain."""
    seen = set()
    for row in rows:
        status, label = Status(row["status"]), Point.from_row(row).label
        # A design that was synthesised, and is too large, has its area in the table.
        explained = status.is_success or (status == Status.NO_FIT and row["lut"] is not None)
        if explained or not row["log"] or (label, status) in seen:
            continue
        seen.add((label, status))
        reason = differences(row["log"].partition("\n")[0])
        # The outcome of a stage has the name of the option alone.
        reason = reason.replace("say so: multipliers=logic", "-o multipliers=logic")
        if status == Status.TIMEOUT:
            reason += "; --timeout MIN sets another limit"
        yield f"{label}: {status}: {reason}"


def exit_status(rows: Sequence[dict[str, Any]]) -> int:
    """Return 1 if a core failed verification, or if nothing of any point was measured.

    The area of a design that does not fit, or is not placed in time, is something.
    """
    statuses = {Status(row["status"]) for row in rows}
    found = any(status.is_success for status in statuses) or any(
        row["lut"] is not None and Status(row["status"]).is_result for row in rows)
    return 0 if found and Status.UNVERIFIED not in statuses else 1


def tell_stopped(store: Path) -> int:
    """Say what Ctrl-C leaves, and return the exit status."""
    click.echo(f"montgomery: stopped; the store in {store} is whole, and the same command goes on "
               "from there", err=True)
    return 130
