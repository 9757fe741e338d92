"""Specifications of whole sweeps, from files and presets."""

from __future__ import annotations

import dataclasses
import functools
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..lookup import known
from .expand import QUICK_WIDTH, expand
from .point import Point, PointError

__all__ = ["SweepSpec", "presets"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class SweepSpec:
    """A whole sweep, as a preset or a TOML file gives it.

    ``archs``, ``widths``, ``params``, ``targets`` and ``options`` are those of
    :func:`explore.points.expand.expand`. Each point has the seeds 1, 2… up to ``seeds``. ``jobs``
    tools run at one time, as many as there are processors if None; the time limit is that of each
    run of a tool, and of each verification. ``until`` is the last stage, and ``preset`` the one
    that the sweep is based on. If there are parts, the sweep consists of these, but with its own
    ``jobs``, ``timeout_minutes`` and ``until``.
    """

    archs: tuple[str, ...] = ()
    widths: tuple[int | str, ...] = ()
    params: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    targets: tuple[str, ...] = ()
    options: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    seeds: int = 3
    jobs: int | None = None
    timeout_minutes: float = 60.0
    until: str | None = None
    preset: str | None = None
    parts: tuple[SweepSpec, ...] = ()

    def __post_init__(self) -> None:
        for name, value, most in (("Seeds", self.seeds, _MOST_SEEDS),
                                  ("Jobs", self.jobs, _MOST_JOBS)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)
                                      or not 1 <= value <= most):
                raise PointError(f"{name} must be an integer from 1 to {most}, not {value!r}")
        limit = self.timeout_minutes
        if (isinstance(limit, bool) or not isinstance(limit, int | float)
                or not 0 < limit <= _MOST_MINUTES):
            raise PointError("Timeout must be a number of minutes above 0 and up to "
                             f"{_MOST_MINUTES} (a year), not {limit!r}")

    def points(self) -> dict[Point, int]:
        """Return a dictionary from each point to its number of seeds."""
        if not self.parts:
            found = expand(self.archs, self.widths, self.params, self.targets, self.options)
            return dict.fromkeys(found, self.seeds)
        together: dict[Point, int] = {}
        for part in self.parts:
            for point, seeds in part.points().items():
                together[point] = max(seeds, together.get(point, 0))
        return together

    def changed(self, changes: Mapping[str, Any]) -> SweepSpec:
        """Return the sweep with other values of attributes, also in each of its parts.

        A change of ``params`` or ``options`` only replaces the names that it gives.
        """
        merged: dict[str, Any] = {
            name: {**getattr(self, name), **value} if name in _MERGED else value
            for name, value in changes.items()}
        return dataclasses.replace(self, **merged,
                                   parts=tuple(part.changed(changes) for part in self.parts))

    @classmethod
    def from_toml(cls, path: str | os.PathLike) -> SweepSpec:
        """Return the sweep of a TOML file, whose keys are the names of the attributes.

        The key ``preset`` names a preset, which the other keys change. Each table ``[[parts]]`` is
        a part of the sweep; a part takes the keys that it does not have from the rest of the file.
        :exc:`PointError` says what is wrong with the file.
        """
        try:
            with Path(path).open("rb") as file:
                document = tomllib.load(file)
        except OSError as error:
            raise PointError(f"Cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise PointError(f"{path} is not TOML: {error}") from None
        try:
            return cls._from_document(document)
        except ValueError as error:
            raise PointError(f"{path}: {error}") from None

    @classmethod
    def _from_document(cls, document: dict[str, Any]) -> SweepSpec:
        names = [field.name for field in dataclasses.fields(cls)]
        parts = document.pop("parts", [])
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise PointError(f"'parts' must be tables that begin with [[parts]], not {parts!r}")
        whole = _changes(document, names)
        named = whole.get("preset")
        base = cls() if named is None else presets()[known("preset", named, presets())]
        spec = base.changed(whole)
        return dataclasses.replace(
            spec, parts=tuple(spec.changed(_changes(part, _PART)) for part in parts))


_MOST_SEEDS, _MOST_JOBS, _MOST_MINUTES = 10_000, 1_000, 525_600
_MERGED = ("params", "options")
_PART = ("archs", "widths", "params", "targets", "options", "seeds")


def _changes(document: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the values of attributes for the keys and values of a file."""
    changes = {}
    for key, value in document.items():
        known("key", key, names)
        if key in ("archs", "widths", "targets"):
            value = _sequence(key, value)
        elif key in _MERGED:
            if not isinstance(value, dict):
                raise PointError(f"'{key}' must be a table, not {value!r}")
            value = {name: _sequence(f"{key}.{name}", values) for name, values in value.items()}
        elif key in ("preset", "until"):
            value = str(value)
        changes[key] = value
    return changes


def _sequence(key: str, value: Any) -> tuple[Any, ...]:
    values = value if isinstance(value, list) else [value]
    for each in values:
        if not isinstance(each, int | str):
            raise PointError(f"'{key}' must be a list of integers or strings, not {value!r}")
        if key in ("archs", "targets") and not isinstance(each, str):
            raise PointError(f"'{key}' must be a list of strings, not {value!r}")
    return tuple(values)


@functools.cache
def presets() -> Mapping[str, SweepSpec]:
    """Return the presets: a dictionary from name to :class:`SweepSpec`."""
    return {
        "quick": SweepSpec(preset="quick", widths=(QUICK_WIDTH,), seeds=2, timeout_minutes=10.0,
                           targets=("ice40-hx8k", "ecp5-25k")),
        "paper": SweepSpec(preset="paper", widths=(32, 64, 128, 256, 512, 1024),
                           targets=("ice40-hx8k", "ecp5-85k")),
    }
