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

__all__ = ["NamedSweep", "named_sweep"]

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


def named_sweep(file: Path | None, preset: str | None, output: Path | None,
                changes: Mapping[str, Any]) -> NamedSweep:
    """Return the sweep that a file, the file of a folder, or a preset describes.

    What is wrong with its points names the file.

    Parameters
    ----------
    file : Path or None
        A file or a folder; None for a preset.
    preset : str or None
        Name of a preset; None for a file, or for the preset ``quick``.
    output : Path or None
        The folder for the results; None for the folder of the file, if that was named.
    changes : dict
        Changes the sweep; see :meth:`explore.points.spec.SweepSpec.changed`.

    Raises
    ------
    click.UsageError
        If a folder holds no sweep, or if there is a file as well as a preset.
    ValueError
        If the sweep is not as it must be.
    """
    from ..data.frame import earlier
    from ..pipeline.corefile import CoreFile
    from ..pipeline.run import Sweep
    from ..points.point import PointError
    from ..points.spec import SweepSpec, presets

    if file is not None and preset is not None:
        raise click.UsageError("Give a file or --preset, not both; a file may name a preset itself")
    if file is not None and file.is_dir():
        output, folder, file = output or file, file, file / _FILE
        if not file.exists():
            raise click.UsageError(f"{folder} holds no {_FILE}; name a folder that does, or a file")
    spec = SweepSpec.from_toml(file) if file is not None else presets()[preset or "quick"]
    spec = spec.changed(changes)
    try:
        points = spec.points()
    except PointError as error:
        raise PointError(f"{file}: {error}" if file else str(error)) from None
    return NamedSweep(output=output, jobs=spec.jobs, sweep=Sweep(
        points=points, timeout_minutes=spec.timeout_minutes, until=spec.until,
        before=earlier(output / "rows.jsonl") if output else (),
        cores=CoreFile(output) if output else None))
