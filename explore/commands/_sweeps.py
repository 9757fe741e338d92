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
    """A sweep that a command line names.

    Attributes
    ----------
    sweep : Sweep
        With the rows that an earlier sweep left in the folder for the results.
    jobs : int or None
        Number of jobs, if one is named.
    output : Path or None
        The folder for the results, if one is named.
    """

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
        """Return the sweep of those points and seeds alone that the folder has rows of.

        Raises
        ------
        click.UsageError
            If there are none.
        """
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
        """Return the rows of the folder that the sweep does not measure: of cores from outside.

        Raises
        ------
        click.UsageError
            If there are others, which the sweep would drop; no store may have them.
        """
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

        These are all of other points if the sweep was stopped. If it ends before the last stage,
        points of which a row was measured in part, but of which the folder has whole ones, keep
        the latter.
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

    Parameters
    ----------
    source : Path, str or None
        A file or a folder, or the name of a preset.
    usual : SweepSpec
        The sweep if there is no source.
    changes : dict
        Changes the sweep; see :meth:`explore.points.spec.SweepSpec.changed`.

    Raises
    ------
    click.UsageError
        If a folder holds no sweep.
    ValueError
        If the sweep is not as it must be.
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

    Raises
    ------
    ValueError
        If the points are not as they must be.
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
