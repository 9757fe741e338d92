"""The sweep that a command line names: by a file, a folder or a preset, and options."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..outcome import Status

if TYPE_CHECKING:
    from ..pipeline.run import Sweep
    from ..points.point import Point
    from ..points.spec import SweepSpec

__all__ = ["NamedSweep", "named_spec", "named_sweep"]

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
        from ..devices import targets
        from ..points.point import Point

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

    def staying(self) -> list[_Row]:
        """Return the rows of the folder that the sweep does not measure: of cores from outside."""
        seeds = {point.key: number for point, number in self.sweep.points.items()}
        others = [row for point, row in zip(self._points, self.sweep.before, strict=True)
                  if point is None or row["seed"] > seeds.get(point.key, 0)]
        found = [row for row in others if "origin" in row["versions"]]
        if dropped := len(others) - len(found):
            raise click.UsageError(
                f"{self.output / 'rows.jsonl'} holds {dropped} rows of other points, which this "
                "sweep would drop; name another folder with --output, or drop them with --replace")
        return found

    def beside(self, rows: Sequence[_Row], *, stopped: bool = False) -> list[_Row]:
        """Return new rows, with those of the folder that stay beside them.

        These are all of other points if the sweep was stopped. Where rows are in part, since the
        sweep ends before the last stage, points keep whole ones of the folder.
        """
        from ..points.point import Point

        before: dict[str, list[_Row]] = {}
        for point, row in zip(self._points, self.sweep.before, strict=True):
            if point is not None and (stopped or row["status"] != Status.PARTIAL):
                before.setdefault(point.key, []).append(row)
        now: dict[str, list[_Row]] = {}
        for row in rows:
            now.setdefault(Point.from_row(row).key, []).append(row)
        if stopped:
            new = {(key, row["seed"]) for key, those in now.items() for row in those}
            return [*(row for key, those in before.items() for row in those
                      if (key, row["seed"]) not in new), *rows]
        return [row for key, those in now.items() for row in (
            before[key] if self.sweep.until and key in before
            and any(row["status"] == Status.PARTIAL for row in those) else those)]


def named_spec(source: Path | str | None, usual: SweepSpec, changes: Mapping[str, Any]
               ) -> tuple[SweepSpec, Path | None]:
    """Return the sweep that a preset, a file, or the file of a folder describes, and the folder.

    Without a source it is the usual one.
    """
    from ..points.spec import SweepSpec, presets

    folder = None
    if isinstance(source, Path) and source.is_dir():
        folder, source = source, source / _FILE
        if not source.exists():
            raise click.UsageError(f"{folder} holds no {_FILE}; name a folder that does, or a file")
    spec = (usual if source is None else presets()[source] if isinstance(source, str) else
            SweepSpec.from_toml(source))
    return spec.changed(changes), folder


def named_sweep(spec: SweepSpec, source: Path | str | None, output: Path | None) -> NamedSweep:
    """Return a sweep with what is known in the folder for its results.

    What is wrong with its points names the file.
    """
    from ..data.frame import earlier
    from ..pipeline.knowledge import CoreFile
    from ..pipeline.run import Sweep
    from ..points.point import PointError

    try:
        points = spec.points()
    except PointError as error:
        raise PointError(f"{source}: {error}" if isinstance(source, Path) else str(error)) from None
    return NamedSweep(output=output, jobs=spec.jobs, sweep=Sweep(
        points=points, timeout_minutes=spec.timeout_minutes, until=spec.until,
        before=earlier(output / "rows.jsonl") if output else (),
        cores=CoreFile(output) if output else None))
