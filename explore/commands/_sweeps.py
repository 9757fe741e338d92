"""The sweeps that a command line names: by a file, a folder of files or a preset, and options."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import Refusal
from ..lookup import UnknownName

if TYPE_CHECKING:
    from ..pipeline.corefile import CoreFile
    from ..points.point import Point
    from ..points.spec import SweepSpec

__all__ = ["NamedSweep", "named_sweeps"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class NamedSweep:
    """A sweep that a command line names.

    Attributes
    ----------
    spec : SweepSpec
    points : dict from Point to int or sequence of int
        The points, each with its number of seeds, or with its seeds.
    output : Path or None
        The folder for the results, if one is named.
    """

    spec: SweepSpec
    points: Mapping[Point, int | Sequence[int]]
    output: Path | None

    @property
    def before(self) -> list[dict[str, Any]]:
        """The rows that an earlier sweep left in the folder."""
        from ..data.frame import earlier

        return earlier(self.output / "rows.jsonl") if self.output else []

    @property
    def cores(self) -> CoreFile | None:
        """What is known of the cores of these rows."""
        from ..pipeline.corefile import CoreFile

        return CoreFile(self.output) if self.output else None

    def measured(self) -> NamedSweep | None:
        """Return the sweep of those points and seeds alone that the folder has rows of, if any."""
        from ..points.point import Point

        seeds: dict[Point, set[int]] = {}
        for row in self.before:
            with contextlib.suppress(UnknownName):
                seeds.setdefault(Point.from_row(row), set()).add(row["seed"])
        points = {point: sorted(seeds[point]) for point in self.points if point in seeds}
        return dataclasses.replace(self, points=points) if points else None

    def check_others(self) -> None:
        """Refuse a folder with rows that the sweep would drop; no store may have them.

        Raises
        ------
        click.UsageError
        """
        from ..points.point import Point

        seeds = {point.key: number for point, number in self.points.items()}

        def is_other(row: Mapping[str, Any]) -> bool:
            try:
                return row["seed"] > seeds.get(Point.from_row(row).key, 0)
            except UnknownName:
                return True

        if others := sum(map(is_other, self.before)):
            raise click.UsageError(
                f"{self.output / 'rows.jsonl'} holds {others} rows of other points, which this "
                "sweep would drop; name another folder with --output, or drop them with --replace")


def named_sweeps(file: Path | None, preset: str | None, output: Path | None,
                 **given: Any) -> list[NamedSweep]:
    """Return the sweeps that a file, the files of a folder, or a preset describes.

    Parameters
    ----------
    file : Path or None
        A file or a folder; None for a preset.
    preset : str or None
        Name of a preset; None for a file, or for the preset ``quick``.
    output : Path or None
        The folder for the results; None for the folder of the files, if there is one.
    given
        Options that change each sweep; see :meth:`explore.points.spec.SweepSpec.changed`. An option
        that is None or empty changes nothing.

    Raises
    ------
    click.UsageError
        If a folder holds no sweep, or if there is a file as well as a preset.
    ValueError
        If a sweep is not as it must be, or its file has a bad name.
    """
    specs = [(_spec(part, preset, **given), part, folder) for part, folder in _files(file, output)]
    return [NamedSweep(spec=spec, points=_points(spec, part), output=folder)
            for spec, part, folder in specs]


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
        raise Refusal(f"The name of a sweep must not begin or end with a dot, unlike {path}; "
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
