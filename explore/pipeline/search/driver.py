"""Searches on an executor: synthesises what may be good, and places what may be on the front."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from montgomery.core import traits

from ...data.recommend import LIMITS
from ...data.rows import sealed
from ...devices import target
from ...outcome import Status
from ...points.point import Point
from ...store import Store
from ..graph import Cell, jobs_of
from ..rows import row
from ..run import session
from ..session import Event, Session
from .plan import Found, Plan, Step
from .searcher import Candidate, Searcher

__all__ = ["search"]

#: A placement: a point and a seed.
_Key = tuple[Point, int]


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
        running = _Search(plan, opened, store)
        running.run()
        return running.found()


class _Search:
    """A search on a session."""

    def __init__(self, plan: Plan, session: Session, store: Store) -> None:
        self._plan, self._session, self._store = plan, session, store
        self._timeout_s = None if plan.timeout_minutes is None else plan.timeout_minutes * 60
        self._begin = time.monotonic()
        self._skipped: dict[Point, str] = {}
        self._partial: dict[Point, Cell] = {}
        self._index: dict[Point, int] = {}
        #: All placements that were begun, those that still run, and those that the store has.
        self._cells: dict[_Key, Cell] = {}
        self._waiting: dict[_Key, Cell] = {}
        self._stored: list[Point] = []
        #: Rows of placements in the order in which they ended, and the states after them.
        self._ended: dict[_Key, dict[str, Any]] = {}
        self._steps: list[Step] = []
        self._fronts: set[tuple[int, ...]] = set()
        self._searcher = Searcher([], plan.objectives)

    def run(self) -> None:
        """Synthesise the points, and place those that may be on a front, as the budget allows."""
        todo = []
        for point in self._plan.points:
            if reason := _impossible(point, self._plan.limits):
                self._skipped[point] = reason
            else:
                todo.append(point)
        for cell in self._session.add(jobs_of(dict.fromkeys(todo, 1), self._timeout_s, "synth")):
            self._partial[cell.point] = cell
        self._session.run()
        self._take_synthesised()
        self._session.forecast(
            f"{len(self._index)} points may be on a front, {len(self._skipped)} are ruled out "
            f"before placement; {len(self._stored)} are placed already")
        self._session.run(self._refill)

    # Before placement

    def _take_synthesised(self) -> None:
        """Make candidates of what was synthesised."""
        candidates = []
        for point, cell in self._partial.items():
            found = row(cell)
            if not Status(found["status"]).is_success:
                continue
            candidate = _candidate_of(point, found, self._plan.limits)
            if reason := self._broken(candidate, found):
                self._skipped[point] = reason
                continue
            self._index[point] = len(candidates)
            candidates.append(candidate)
            if self._is_stored(point, found):
                self._stored.append(point)
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
        for key, cell in [*self._waiting.items()]:
            if cell.is_complete:
                del self._waiting[key]
                self._take(key, row(cell))
        if self._is_spent():
            return False
        if self._stored:
            key = self._stored.pop(0), 1
        else:
            proposal = self._searcher.ask()
            if proposal is None:
                return False
            key = [*self._index][proposal[0]], proposal[1]
        point, seed = key
        cell, = self._session.add(jobs_of({point: [seed]}, self._timeout_s))
        self._cells[key] = self._waiting[key] = cell
        return True

    def _is_spent(self) -> bool:
        """Whether the budget is used up, so that no further placement may begin."""
        most, hours = self._plan.placements, self._plan.hours
        return (most is not None and len(self._cells) >= most) or (
            hours is not None and time.monotonic() - self._begin >= hours * 3600)

    def _take(self, key: _Key, found: dict[str, Any]) -> None:
        point, seed = key
        index, searcher = self._index[point], self._searcher
        self._ended[key] = found
        searcher.tell(index, seed, _fmax_mhz(found))
        seconds = sum(each["seconds_place"] or 0.0 for each in self._ended.values())
        self._steps.append(Step(placements=len(self._ended), seconds=seconds,
                                hypervolume=searcher.hypervolume()))
        front = searcher.front(searcher.candidates[index].group)
        if index in front and tuple(front) not in self._fronts:
            self._fronts.add(tuple(front))
            reached = ", ".join(f"{name} {value:.4g}"
                                for name, value in searcher.describe(index).items())
            self._session.note(f"front of {len(front)} after {len(self._ended)} placements: "
                               f"{point.label} with {reached}; {len(searcher.open())} points may "
                               "still join")

    # The result

    def found(self) -> Found:
        """Return what was found; the store has all rows."""
        points = [*self._index]
        skipped = self._skipped | {points[index]: reason
                                   for index, reason in self._searcher.skipped().items()}
        by_point: dict[Point, list[dict[str, Any]]] = {}
        placed = sorted((key for key, cell in self._cells.items() if cell.is_complete),
                        key=lambda key: key[1])
        for (point, _), found in zip(placed, self._session.rows(
                [self._cells[key] for key in placed]), strict=True):
            by_point.setdefault(point, []).append(found)
        rest = [cell for point, cell in self._partial.items() if point not in by_point]
        for cell, found in zip(rest, self._session.rows(rest), strict=True):
            if found["status"] == Status.PARTIAL:
                reason = skipped.get(cell.point, "the budget was spent")
                found = sealed({**found, "log": f"not placed: {reason}"})
            by_point[cell.point] = [found]
        return Found(by_point=by_point, searcher=self._searcher, points=points, skipped=skipped,
                     steps=self._steps, seconds_grid=self._seconds_grid())

    def _seconds_grid(self) -> float:
        """Return the time of placing everything once: that of the same core, or the mean."""
        by_core: dict[str, list[float]] = {}
        for (point, _), found in self._ended.items():
            by_core.setdefault(point.name, []).append(found["seconds_place"] or 0.0)
        if not by_core:
            return 0.0
        mean = statistics.fmean(seconds for times in by_core.values() for seconds in times)
        return sum(statistics.fmean(by_core.get(point.name, [mean])) for point in self._index)


# What is known of a point before it is placed: what excludes it, and what it may reach.


def _fmax_mhz(found: Mapping[str, Any]) -> float | None:
    """Return the frequency of a row; None if its placement failed."""
    return found["fmax_mhz"] if found["status"] == Status.OK else None


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
