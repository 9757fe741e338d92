"""Searches for the points of a space that no other one beats, by few placements.

What may be good is synthesised, and what may be on the front is placed, on an executor.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.core import traits

from ..data.objectives import Objective
from ..data.recommend import LIMITS
from ..data.rows import sealed
from ..devices import target
from ..outcome import Status
from ..points.expand import check_possible
from ..points.point import Point, PointError
from ..points.possible import obstacle
from ..store import Store
from .graph import Cell
from .rows import row
from .run import session
from .searcher import Candidate, Searcher
from .session import Event, Session

if TYPE_CHECKING:
    from ..points.spec import SweepSpec

__all__ = ["MOST_POINTS", "Found", "Plan", "Step", "points_of", "search"]

#: Largest number of combinations of a space. Synthesis of more takes days.
MOST_POINTS = 5000


def points_of(spec: SweepSpec) -> tuple[list[Point], int]:
    """Return the points of a sweep that can be on their devices, and how many others there are."""
    points = list(spec.points())
    if len(points) > MOST_POINTS:
        raise PointError(f"A search takes {MOST_POINTS} combinations or fewer, not "
                         f"{len(points):,}; give fewer values of a parameter or an option")
    found = [point for point in points if not obstacle(
        point.parameters(), target(point.target), dict(point.options))]
    if not found:
        check_possible(points[0])
    return found, len(points) - len(found)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What is searched, and how far.

    The limits are constraints by names in :data:`explore.data.recommend.LIMITS`. So many seeds are
    placed of each point that is on the front. Placements that the store has count too. The time
    limit is that of each run of a tool, and of each verification.
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

    A point has a row per seed, or one with the status ``partial``, and why it was not placed in
    ``log``. The points are those of the candidates of the searcher, in their order. Points that
    needed no placement are ``skipped``, each with the reason. ``seconds_grid`` is the expected time
    of placing all candidates once.
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


def search(plan: Plan, *, store: Store, jobs: int | None = None, scheduler: str | None = None,
           on_event: Callable[[Event], None] = lambda event: None) -> Found:
    """Search the Pareto fronts of points; each kind, width and device has a front.

    Points that break a constraint whatever a tool finds are left out first. The others are
    synthesised. Then placements follow in the order of the hypervolume that they are expected to
    add, and points that a proof excludes from the front are skipped. Further seeds are placed for
    points on the front alone. Whatever the store has is not computed again, so that the same search
    goes on where it was interrupted.

    The other arguments and what it raises are those of :func:`explore.pipeline.run.run`.
    """
    with session(store, jobs=jobs, scheduler=scheduler, on_event=on_event) as opened:
        return _Search(plan, opened, store).run()


class _Search:
    """A search on a session. A placement is a candidate of the searcher, by number, and a seed."""

    def __init__(self, plan: Plan, session: Session, store: Store) -> None:
        self._plan, self._session, self._store = plan, session, store
        self._timeout_s = None if plan.timeout_minutes is None else plan.timeout_minutes * 60
        self._begin = time.monotonic()
        self._skipped: dict[Point, str] = {}
        #: The candidates, and those of them of which the store has a placement.
        self._points: list[Point] = []
        self._stored: list[int] = []
        #: All placements that were begun, and the rows of those that have ended, in this order.
        self._cells: dict[tuple[int, int], Cell] = {}
        self._ended: dict[tuple[int, int], dict[str, Any]] = {}
        self._steps: list[Step] = []
        self._fronts: set[tuple[int, ...]] = set()
        self._searcher = Searcher([], plan.objectives)

    def run(self) -> Found:
        """Synthesise the points, and place those that may be on a front, as the budget allows."""
        limits = self._plan.limits
        reasons = {point: _impossible(point, limits) for point in self._plan.points}
        self._skipped = {point: reason for point, reason in reasons.items() if reason}
        cells = self._session.add({point: 1 for point, reason in reasons.items() if not reason},
                                  timeout_s=self._timeout_s, until="synth")
        self._session.run()
        self._take_synthesised(cells)
        self._session.tell("forecast", (
            f"{len(self._points)} points may be on a front, {len(self._skipped)} are ruled out "
            f"before placement; {len(self._stored)} are placed already"))
        self._session.run(self._refill)
        return self._found(cells)

    # Before placement

    def _take_synthesised(self, cells: Sequence[Cell]) -> None:
        """Make candidates of what was synthesised."""
        candidates = []
        for cell in cells:
            point, found = cell.job.point, row(cell)
            if not Status(found["status"]).is_success:
                continue
            candidate = _candidate_of(point, found, self._plan.limits)
            if reason := self._broken(candidate, found):
                self._skipped[point] = reason
                continue
            if self._is_stored(point, found):
                self._stored.append(len(candidates))
            self._points.append(point)
            candidates.append(candidate)
        self._searcher = Searcher(candidates, self._plan.objectives, seeds=self._plan.seeds)

    def _broken(self, candidate: Candidate, found: Mapping[str, Any]) -> str | None:
        """Return the constraint that a point breaks, whatever its placement achieves."""
        for name, limit in self._plan.limits.items():
            column, is_most = LIMITS[name]
            value = found[column]
            if value is not None and (value > limit if is_most else value < limit):
                return f"{column} is {value:g}, and the limit {limit:g}"
        if candidate.least_mhz > candidate.limit_mhz:
            return (f"needs {candidate.least_mhz:.0f} MHz to keep the limits, and no core runs "
                    f"above {candidate.limit_mhz:.0f} MHz")
        if self._plan.constant_time and not found["constant_time"]:
            return "its time depends on the operands"
        if target(found["target"]).placer is None and any(
                each.needs_clock for each in self._plan.objectives):
            return f"nothing places on {found['target']}"
        return None

    def _is_stored(self, point: Point, partial: Mapping[str, Any]) -> bool:
        """Return whether the store has a placement of what was synthesised now."""
        stored = self._store.row(point.identity(1))
        return (stored is not None and "place" in stored["recipe"]
                and partial["recipe"].items() <= stored["recipe"].items())

    # Placement

    def _refill(self) -> bool:
        """Take what has ended, and begin the next placement; return whether there was one."""
        for key, cell in self._cells.items():
            if key not in self._ended and cell.is_complete:
                self._take(*key, row(cell))
        most, hours = self._plan.placements, self._plan.hours
        if (most is not None and len(self._cells) >= most) or (
                hours is not None and time.monotonic() - self._begin >= hours * 3600):
            return False
        key = (self._stored.pop(0), 1) if self._stored else self._searcher.ask()
        if key is None:
            return False
        self._cells[key], = self._session.add({self._points[key[0]]: [key[1]]},
                                              timeout_s=self._timeout_s)
        return True

    def _take(self, index: int, seed: int, found: dict[str, Any]) -> None:
        searcher = self._searcher
        self._ended[index, seed] = found
        searcher.tell(index, seed, found["fmax_mhz"] if found["status"] == Status.OK else None)
        seconds = sum(each["seconds_place"] or 0.0 for each in self._ended.values())
        self._steps.append(Step(placements=len(self._ended), seconds=seconds,
                                hypervolume=searcher.hypervolume()))
        front = searcher.front(searcher.candidates[index].group)
        if index in front and tuple(front) not in self._fronts:
            self._fronts.add(tuple(front))
            reached = ", ".join(f"{name} {value:.4g}"
                                for name, value in searcher.describe(index).items())
            self._session.tell("note", (
                f"front of {len(front)} after {len(self._ended)} placements: "
                f"{self._points[index].label} with {reached}; {len(searcher.open())} points may "
                "still join"))

    # The result

    def _found(self, synthesised: Sequence[Cell]) -> Found:
        """Return what was found; the store has all rows."""
        skipped = self._skipped | {self._points[index]: reason
                                   for index, reason in self._searcher.skipped().items()}
        by_point: dict[Point, list[dict[str, Any]]] = {}
        placed = [self._cells[key] for key in sorted(self._cells, key=lambda key: key[1])
                  if self._cells[key].is_complete]
        for cell, found in zip(placed, self._session.rows(placed), strict=True):
            by_point.setdefault(cell.job.point, []).append(found)
        rest = [cell for cell in synthesised if cell.job.point not in by_point]
        for cell, found in zip(rest, self._session.rows(rest), strict=True):
            if found["status"] == Status.PARTIAL:
                reason = skipped.get(cell.job.point, "the budget was spent")
                found = sealed({**found, "log": f"not placed: {reason}"})
            by_point[cell.job.point] = [found]
        return Found(by_point=by_point, searcher=self._searcher, points=self._points,
                     skipped=skipped, steps=self._steps, seconds_grid=self._seconds_grid())

    def _seconds_grid(self) -> float:
        """Return the time of placing everything once: that of the same core, or the mean."""
        by_core: dict[str, list[float]] = {}
        for (index, _), found in self._ended.items():
            by_core.setdefault(self._points[index].name, []).append(found["seconds_place"] or 0.0)
        if not by_core:
            return 0.0
        mean = statistics.fmean(seconds for times in by_core.values() for seconds in times)
        return sum(statistics.fmean(by_core.get(point.name, [mean])) for point in self._points)


# What is known of a point before it is placed: what excludes it, and what it may reach.


def _impossible(point: Point, limits: Mapping[str, float]) -> str | None:
    """Return the constraint that a point breaks for certain, as far as no tool is needed."""
    device, params = target(point.target), point.parameters()
    technology = device.technology_for(dict(point.options))
    if "max_dsp" in limits and technology.multiplier is not None:
        blocks = traits(params).blocks(technology)
        if blocks > limits["max_dsp"]:
            return f"takes {blocks} multiplier blocks, and the limit is {limits['max_dsp']:g}"
    top = device.clock_limit_mhz
    if top is None:
        return None
    if limits.get("min_mhz", 0) > top:
        return f"no core on {device.name} runs above {top:g} MHz"
    cycles = params.cycles
    most = limits.get("max_latency_us")
    if cycles is not None and most is not None and cycles.compute / top > most:
        return (f"takes {cycles.compute} clocks, which are {cycles.compute / top:.4g} µs at the "
                f"limit of the clock network, and the limit is {most:g}")
    return None


def _candidate_of(point: Point, found: Mapping[str, Any], limits: Mapping[str, float]) -> Candidate:
    """Return what the searcher knows of a point that was synthesised, from its row."""
    device = target(point.target)
    counted = {**found, "cycles_initiation": found["cycles_initiation"] or found["cycles_interval"]}
    most = limits.get("max_latency_us")
    least = found["cycles_compute"] / most if most else math.inf if most == 0 else 0.0
    return Candidate(
        name=point.label, group=(point.kind, point.width, point.target), counted=counted,
        limit_mhz=device.usable_mhz(math.inf, found) if device.placer else 1.0,
        least_mhz=max(least, limits.get("min_mhz", 0.0)) if device.placer else 0.0,
        arch=point.name, core=(point.name, point.params))
