"""The sweeps that a command line names: by a file, a folder of files or a preset, and options."""

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

__all__ = ["NamedSweep", "named_sweeps"]


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

    def measured(self) -> NamedSweep | None:
        """Return the sweep of those points and seeds alone that the folder has rows of, if any."""
        from ..points.point import Point

        seeds: dict[Point, set[int]] = {}
        for row in self.sweep.before:
            with contextlib.suppress(UnknownName):
                seeds.setdefault(Point.from_row(row), set()).add(row["seed"])
        points = {point: sorted(seeds[point]) for point in self.sweep.points if point in seeds}
        return dataclasses.replace(self, sweep=dataclasses.replace(self.sweep, points=points)
                                   ) if points else None

    def check_others(self) -> None:
        """Refuse a folder with rows that the sweep would drop; no store may have them.

        Raises
        ------
        click.UsageError
        """
        from ..points.point import Point

        seeds = {point.key: number for point, number in self.sweep.points.items()}

        def is_other(row: Mapping[str, Any]) -> bool:
            try:
                return row["seed"] > seeds.get(Point.from_row(row).key, 0)
            except UnknownName:
                return True

        if others := sum(map(is_other, self.sweep.before)):
            raise click.UsageError(
                f"{self.output / 'rows.jsonl'} holds {others} rows of other points, which this "
                "sweep would drop; name another folder with --output, or drop them with --replace")


def named_sweeps(file: Path | None, preset: str | None, output: Path | None,
                 changes: Mapping[str, Any]) -> list[NamedSweep]:
    """Return the sweeps that a file, the files of a folder, or a preset describes.

    Parameters
    ----------
    file : Path or None
        A file or a folder; None for a preset.
    preset : str or None
        Name of a preset; None for a file, or for the preset ``quick``.
    output : Path or None
        The folder for the results; None for the folder of the files, if there is one.
    changes : dict
        Changes each sweep; see :meth:`explore.points.spec.SweepSpec.changed`.

    Raises
    ------
    click.UsageError
        If a folder holds no sweep, or if there is a file as well as a preset.
    ValueError
        If a sweep is not as it must be.
    """
    if file is not None and preset is not None:
        raise click.UsageError("Give a file or --preset, not both; a file may name a preset itself")
    if file is None or not file.is_dir():
        return [_named(file, preset or "quick", output, changes)]
    found = sorted(file.glob("sweep*.toml"))
    if not found:
        raise click.UsageError(f"{file} holds no file sweep*.toml; name a folder that does, or a "
                               "file")
    return [_named(path, "", (output or file) / path.stem.removeprefix("sweep").lstrip("_"),
                   changes) for path in found]


def _named(file: Path | None, preset: str, output: Path | None,
           changes: Mapping[str, Any]) -> NamedSweep:
    """Return the sweep of a file or preset; what is wrong with its points names the file."""
    from ..data.frame import earlier
    from ..pipeline.corefile import CoreFile
    from ..pipeline.run import Sweep
    from ..points.point import PointError
    from ..points.spec import SweepSpec, presets

    spec = SweepSpec.from_toml(file) if file is not None else presets()[preset]
    spec = spec.changed(changes)
    try:
        points = spec.points()
    except PointError as error:
        raise PointError(f"{file}: {error}" if file else str(error)) from None
    return NamedSweep(output=output, jobs=spec.jobs, sweep=Sweep(
        points=points, timeout_minutes=spec.timeout_minutes, until=spec.until,
        before=earlier(output / "rows.jsonl") if output else (),
        cores=CoreFile(output) if output else None))
