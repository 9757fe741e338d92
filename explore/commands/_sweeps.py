"""The sweep that a command line names: by a file, a folder or a preset, and options."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..lookup import UnknownName

if TYPE_CHECKING:
    from ..pipeline.run import Sweep
    from ..points.spec import SweepSpec

__all__ = ["NamedSweep", "named_spec", "named_sweep"]

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

    def measured(self) -> NamedSweep:
        """Return the sweep of those points and seeds alone that the folder has rows of.

        Raises
        ------
        click.UsageError
            If there are none.
        """
        from ..points.point import Point

        seeds: dict[Point, set[int]] = {}
        for row in self.sweep.before:
            with contextlib.suppress(UnknownName):
                seeds.setdefault(Point.from_row(row), set()).add(row["seed"])
        points = {point: sorted(seeds[point]) for point in self.sweep.points if point in seeds}
        if not points:
            raise click.UsageError("--measured brings rows up to date, but the folder of --output "
                                   "has none of these points; name another one, or leave out "
                                   "--measured")
        return dataclasses.replace(self, sweep=dataclasses.replace(self.sweep, points=points))

    @property
    def _others(self) -> list[Mapping[str, Any]]:
        """Rows of the folder that are of no point and seed of the sweep."""
        from ..points.point import Point

        seeds = {point.key: number for point, number in self.sweep.points.items()}

        def is_other(row: Mapping[str, Any]) -> bool:
            try:
                return row["seed"] > seeds.get(Point.from_row(row).key, 0)
            except UnknownName:
                return True

        return list(filter(is_other, self.sweep.before))

    @property
    def staying(self) -> list[Mapping[str, Any]]:
        """Rows of the folder that the sweep neither measures nor drops: of cores from outside."""
        return [row for row in self._others if "origin" in row["versions"]]

    def check_others(self) -> None:
        """Refuse a folder with rows that the sweep would drop; no store may have them.

        Raises
        ------
        click.UsageError
        """
        if others := len(self._others) - len(self.staying):
            raise click.UsageError(
                f"{self.output / 'rows.jsonl'} holds {others} rows of other points, which this "
                "sweep would drop; name another folder with --output, or drop them with --replace")


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
    from ..pipeline.corefile import CoreFile
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
