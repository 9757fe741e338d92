"""Spaces of points: all combinations of what a sweep names, legal or not."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...devices import target
from ...lookup import UnknownName
from ...points.expand import check_possible, expand
from ...points.point import Point, PointError, cores
from .speed import Settings

if TYPE_CHECKING:
    from ...points.spec import SweepSpec

__all__ = ["MOST_ENUMERATED", "Part", "Space"]

#: Largest number of combinations that are all looked at. Synthesis of more takes days.
MOST_ENUMERATED = 5000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """All combinations of values for one core of one width on one device.

    Attributes
    ----------
    core, width, target
        As :func:`explore.points.expand.expand` takes them.
    params, options : dict from str to sequence
        Values of the parameters and options that the core and the device have.
    """

    core: str
    width: int | str
    target: str
    params: Mapping[str, Sequence[Any]]
    options: Mapping[str, Sequence[Any]]

    @property
    def size(self) -> int:
        """Number of combinations."""
        return math.prod(len(values) for values in (*self.params.values(),
                                                    *self.options.values()))

    def point(self, params: Mapping[str, Any], options: Mapping[str, Any]) -> Point:
        """Return the point of one combination.

        Raises
        ------
        PointError
            If a core or device cannot be so.
        """
        found, = expand([self.core], [self.width],
                        {name: [value] for name, value in params.items()}, [self.target],
                        {name: [value] for name, value in options.items()})
        check_possible(found)
        return found

    def combinations(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield the parameters and the options of each combination."""
        for params in itertools.product(*self.params.values()):
            for options in itertools.product(*self.options.values()):
                yield (dict(zip(self.params, params, strict=True)),
                       dict(zip(self.options, options, strict=True)))


class Space:
    """The points that a sweep describes. Combinations that are not legal are left out.

    Parameters
    ----------
    spec : SweepSpec

    Raises
    ------
    PointError, UnknownName
        If the sweep names what there is not, or lacks cores, widths or targets.
    """

    def __init__(self, spec: SweepSpec) -> None:
        self.parts = [part for each in spec.parts or (spec,) for part in _parts(each)]

    @property
    def size(self) -> int:
        """Number of combinations, legal or not; one that stands in two parts counts twice."""
        return sum(part.size for part in self.parts)

    @property
    def enumerable(self) -> bool:
        """Whether all combinations can be looked at."""
        return self.size <= MOST_ENUMERATED

    def points(self) -> tuple[list[Point], int]:
        """Return the different points, and the number of combinations that are not legal.

        Raises
        ------
        PointError
            If no combination is legal; the message is that of the first one.
        """
        found: dict[Point, None] = {}
        refused: list[PointError] = []
        for part in self.parts:
            for params, options in part.combinations():
                try:
                    found[part.point(params, options)] = None
                except PointError as error:
                    refused.append(error)
        if not found:
            raise refused[0]
        return list(found), len(refused)

    def settings(self) -> list[Settings]:
        """Return settings that span the space; the name of a core is the index of its part."""
        found = []
        for index, part in enumerate(self.parts):
            longest = max((len(values) for values in (*part.params.values(),
                                                      *part.options.values())), default=1)
            found += [Settings(core=str(index), params=_cycled(part.params, step),
                               options=_cycled(part.options, step)) for step in range(longest)]
        return found

    def settings_of(self, row: Mapping[str, Any]) -> Settings | None:
        """Return the settings of the point of a row; None if it is not in this space."""
        for index, part in enumerate(self.parts):
            if (row["width"], row["target"]) != (part.width, part.target):
                continue
            # Values may be the texts of a command line.
            params, options = (
                {name: next((value for value in values if str(value) == str(given.get(name))), None)
                 for name, values in own.items()}
                for own, given in ((part.params, row["params"]), (part.options, row["options"])))
            if None not in (*params.values(), *options.values()):
                found = Settings(core=str(index), params=params, options=options)
                if self.point(found) == Point.from_row(row):
                    return found
        return None

    def point(self, settings: Settings) -> Point | None:
        """Return the point of settings of this space; None if it is not legal."""
        try:
            return self.parts[int(settings.core)].point(settings.params, settings.options)
        except PointError:
            return None


def _cycled(given: Mapping[str, Sequence[Any]], step: int) -> dict[str, Any]:
    return {name: values[step % len(values)] for name, values in given.items()}


def _parts(spec: SweepSpec) -> Iterator[Part]:
    """Yield the parts of a sweep without parts."""
    usual = {name: values[:1] for name, values in spec.params.items()}
    made = {name: values[:1] for name, values in spec.options.items()}
    # Names are checked all together: each must belong to one of the cores or devices.
    try:
        seen = expand(spec.archs, spec.widths, usual, spec.targets, made)
    except UnknownName:
        raise
    except PointError:
        seen = expand(spec.archs, spec.widths, {}, spec.targets, {})
    for name, width, device in dict.fromkeys((point.name, point.width, point.target)
                                             for point in seen):
        owner = next(point for point in seen if point.name == name)
        own = {field.name for field in dataclasses.fields(cores(owner.kind)[owner.arch])}
        # What no device has is refused, with each point.
        on = {*target(device).options, *(key for key in spec.options if not any(
            key in target(other).options for other in spec.targets))}
        yield Part(core=name, width=width, target=device,
                   params={key: values for key, values in spec.params.items() if key in own},
                   options={key: values for key, values in spec.options.items() if key in on})
