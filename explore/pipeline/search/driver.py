"""Searches on an executor: synthesises what may be good, and places what may be on the front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...data.objectives import objectives
from ...store import Store
from ...tools.compiler import find_compiler
from ...tools.find import check_environment
from ...tools.verilator import find_verilator
from ..events import Event
from ..places import executor
from ..run import Sweep
from ..session import Session
from .plan import Found, Plan
from .running import Running

__all__ = ["front_of", "search"]


def search(plan: Plan, *, store: Store, jobs: int | None = None, scheduler: str | None = None,
           on_event: Callable[[Event], None] = lambda event: None) -> Found:
    """Search the Pareto fronts of points; each kind, width and device has a front.

    Points that break a constraint whatever a tool finds are left out first. The others are
    synthesised. Then placements follow in the order of the hypervolume that they are expected to
    add, and points that a proof excludes from the front are skipped. Further seeds are placed for
    points on the front alone. Whatever the store has is not computed again, so that the same search
    goes on where it was interrupted.

    Parameters
    ----------
    store, jobs, scheduler, on_event
        See :func:`explore.pipeline.run.run_sweep`.

    Raises
    ------
    ToolMissing, DiskFull, ClusterLost, WrongSite, SourcesChanged, ValueError, KeyboardInterrupt
        As :func:`explore.pipeline.run.run_sweep` does.
    """
    check_environment()
    place = executor(store, jobs=jobs, scheduler=scheduler, compiler=find_compiler(),
                     verilator=find_verilator())
    with Session(store, place, on_event) as session:
        running = Running(plan, session, store)
        running.run()
        return running.found()


def front_of(sweep: Sweep, *, store: Store, jobs: int | None = None,
             scheduler: str | None = None,
             on_event: Callable[[Event], None] = lambda event: None) -> list[dict[str, Any]]:
    """Measure of a sweep the points that may be on the front of latency and LUTs.

    All points are synthesised. One that was not placed has one row with the status ``partial``, and
    the reason in ``log``. Points on the front have as many seeds as the sweep names for any point.

    Parameters and exceptions are those of :func:`explore.pipeline.run.run_sweep`.

    Returns
    -------
    list of dict
        The rows, in the order of the points.
    """
    plan = Plan(points=list(sweep.points), objectives=objectives("latency,area"),
                seeds=max(given if isinstance(given, int) else len(given)
                          for given in sweep.points.values()),
                timeout_minutes=sweep.timeout_minutes, before=sweep.before)
    found = search(plan, store=store, jobs=jobs, scheduler=scheduler, on_event=on_event)
    return [row for point in sweep.points for row in found.by_point[point]]
