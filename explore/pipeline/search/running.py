"""A search under way: synthesises points, and places those that may be on a front."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from typing import Any

from ...data.recommend import LIMITS
from ...data.seal import sealed
from ...data.stored import stored_row
from ...devices import target
from ...outcome import Status
from ...points.point import Point
from ...store import Store
from ..graph import Cell
from ..jobs import jobs_of
from ..rows import row
from ..session import Session
from .candidates import candidate_of, fmax_mhz, impossible
from .plan import Found, Plan, Step
from .searcher import Candidate, Searcher

__all__ = ["Running"]

#: A placement: a point and a seed.
_Key = tuple[Point, int]


class Running:
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
            if reason := impossible(point, self._plan.limits):
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
            candidate = candidate_of(point, found, self._plan.limits)
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
        stored = stored_row(self._store, point.identity(1))
        return (stored is not None and "place" in stored.get("recipe", {})
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
        searcher.tell(index, seed, fmax_mhz(found))
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
