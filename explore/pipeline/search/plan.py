"""What a search is asked for, and what it finds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...data.objectives import Objective
from ...devices import target
from ...points.expand import check_possible, expand
from ...points.point import Point, PointError
from ...points.possible import obstacle
from .searcher import Searcher

if TYPE_CHECKING:
    from ...points.spec import SweepSpec

__all__ = ["MOST_POINTS", "Found", "Plan", "Step", "points_of"]

#: Largest number of combinations of a space. Synthesis of more takes days.
MOST_POINTS = 5000


def points_of(spec: SweepSpec) -> tuple[list[Point], int]:
    """Return the points of a sweep that can be on their devices, and how many others there are."""
    if (size := _size(spec)) > MOST_POINTS:
        raise PointError(f"A search takes {MOST_POINTS} combinations or fewer, not {size:,}; give "
                         "fewer values of a parameter or an option")
    points = list(spec.points())
    found = [point for point in points if not obstacle(
        point.parameters(), target(point.target), dict(point.options))]
    if not found:
        check_possible(points[0])
    return found, len(points) - len(found)


def _size(spec: SweepSpec) -> int:
    """Return the number of combinations, legal or not, without making them."""
    if spec.parts:
        return sum(map(_size, spec.parts))
    return sum(math.prod(len(values) for given, own in (
        (spec.params, point.values), (spec.options, target(point.target).options))
        for name, values in given.items() if name in own)
        for point in expand(spec.archs, spec.widths, {}, spec.targets))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What is searched, and how far.

    Attributes
    ----------
    limits : dict from str to float
        Constraints: from names in :data:`explore.data.recommend.LIMITS` to numbers.
    constant_time : bool
        Whether to leave out cores whose time depends on their operands.
    seeds : int
        Seeds of each point that is on the front.
    placements : int or None
        Largest number of placements, those counted that the store has.
    hours : float or None
        Time after which nothing more is begun.
    timeout_minutes : float or None
        Time limit of each run of a tool, and of each verification.
    """

    points: Sequence[Point]
    objectives: Sequence[Objective]
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)
    constant_time: bool = False
    seeds: int = 1
    placements: int | None = None
    hours: float | None = None
    timeout_minutes: float | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """The state of a search after so many placements, and the time of them all in nextpnr."""

    placements: int
    seconds: float
    hypervolume: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    by_point : dict from Point to list of dict
        The rows of each point, one per seed. A point that was not placed has one row with the
        status ``partial``, and the reason in ``log``.
    searcher : Searcher
        What is known of the points that were synthesised and keep the constraints.
    points : list of Point
        The points of the candidates of the searcher, in their order.
    skipped : dict from Point to str
        Points that needed no placement, each with the reason.
    steps : list of Step
    seconds_grid : float
        Expected time of placing all candidates once.
    """

    by_point: dict[Point, list[dict[str, Any]]]
    searcher: Searcher
    points: list[Point]
    skipped: dict[Point, str]
    steps: list[Step]
    seconds_grid: float

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows."""
        return [row for rows in self.by_point.values() for row in rows]

    @property
    def front(self) -> dict[Point, dict[str, float]]:
        """The points on the fronts, each with the values of the objectives."""
        searcher = self.searcher
        return {self.points[index]: searcher.describe(index)
                for group in searcher.groups for index in searcher.front(group)}

    def to_json(self) -> dict[str, Any]:
        """Return all but the rows as a JSON-able document."""
        return {
            "candidates": len(self.points), "placements": self.searcher.placements,
            "left": self.left,
            "front": [{"label": point.label, "objectives": values}
                      for point, values in self.front.items()],
            "skipped": {point.label: reason for point, reason in self.skipped.items()},
            "hypervolume": [step.hypervolume for step in self.steps],
            "seconds_place": self.steps[-1].seconds if self.steps else 0.0,
            "seconds_grid": self.seconds_grid}

    @property
    def left(self) -> int:
        """Number of points that may be on a front, but were not placed for lack of budget."""
        return len(self.searcher.open())
