"""Searches on an executor: synthesises what may be good, and places what may be on the front."""

from __future__ import annotations

from collections.abc import Callable

from ...store import Store
from ...tools.compiler import find_compiler
from ...tools.find import check_environment
from ...tools.verilator import find_verilator
from ..events import Event
from ..places import executor
from ..session import Session
from .plan import Found, Plan
from .running import Running

__all__ = ["search"]


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
        See :func:`explore.pipeline.run.run`.

    Raises
    ------
    ToolMissing, DiskFull, ClusterLost, WrongSite, SourcesChanged, ValueError, KeyboardInterrupt
        As :func:`explore.pipeline.run.run` does.
    """
    check_environment()
    place = executor(store, jobs=jobs, scheduler=scheduler, compiler=find_compiler(),
                     verilator=find_verilator())
    with Session(store, place, on_event) as session:
        running = Running(plan, session, store)
        running.run()
        return running.found()
