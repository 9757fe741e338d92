"""Runs sweeps, and says what one would do."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..points.point import Point
from ..store import Store
from ..tools.compiler import find_compiler
from ..tools.find import check_environment
from ..tools.processes import Processes
from ..tools.toolbox import Toolbox
from .events import Event
from .graph import Graph, seeds_of
from .reuse import Earlier
from .scheduler import Scheduler
from .stages import stages
from .tool_set import ToolSet
from .walk import Walk

__all__ = ["Plan", "default_jobs", "plan", "run"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What a sweep would do.

    Attributes
    ----------
    points, rows : int
        Different points, and rows they will have.
    known, to_run : dict
        From stage to how many need not be computed, since the store or an earlier row has what is
        needed of them, and how many are to be computed. Where a core has yet to be elaborated, all
        that depends on it counts as to be computed.
    """

    points: int
    rows: int
    known: dict[str, int]
    to_run: dict[str, int]


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan(points: Mapping[Point, int], *, store: Store | None,
         timeout_minutes: float | None = None, before: Iterable[dict[str, Any]] = ()) -> Plan:
    """Return what :func:`run` would do; nothing is computed or written.

    Parameters
    ----------
    points, timeout_minutes, before
        As for :func:`run`.
    store : Store or None
        An open store, or None if there is none yet.

    Raises
    ------
    ToolMissing, ValueError
        As :func:`run` does.
    """
    check_environment()
    timeout_s = _seconds(timeout_minutes)
    tools = ToolSet(Toolbox(store, Processes(), lambda *what, **more: None), find_compiler())
    graph = Graph(tools)
    cells = [graph.cell(job) for job in seeds_of(points)]
    walk = Walk(cells, tools, store, Earlier(before, timeout_s), timeout_s,
                lambda node, cached: None)
    walk.start()
    known, to_run = Counter(), Counter()
    for node in graph.nodes:
        (known if node in walk.counted else to_run)[node.stage.name] += 1
    return Plan(points=len(points), rows=len(cells),
                known={stage: known[stage] for stage in stages()},
                to_run={stage: to_run[stage] for stage in stages()})


def run(points: Mapping[Point, int], *, store: Store, jobs: int | None = None,
        timeout_minutes: float | None = None, before: Iterable[dict[str, Any]] = (),
        on_event: Callable[[Event], None] = lambda event: None) -> list[dict[str, Any]]:
    """Measure points, as far as they are not measured yet.

    Stages that the store knows are not run again. Failures are outcomes too, and stay: a design
    that does not fit, does not verify or overflows a fixed limit of a tool. A timeout is tried
    again when ``timeout_minutes`` is longer than it was, a crash or want of memory always.

    Parameters
    ----------
    points : dict from Point to int
        Each with its number of seeds of nextpnr, which are 1, 2…
    store : Store
        An open store.
    jobs : int or None
        Tools at one time; :func:`default_jobs` if None. Elaboration and verification use idle
        slots, and one more of low priority, so that they never hold up a tool.
    timeout_minutes : float or None
        Time limit of each run of a tool, and of each verification.
    before : iterable of dict
        Rows of earlier sweeps. What they say of a stage is used if the recipe of the stage is the
        same today (:mod:`explore.pipeline.reuse`).
    on_event : callable
        Called in this thread with every :class:`Event`.

    Returns
    -------
    list of dict
        A row a point and seed, in the order of ``points``, which the store has as well.

    Raises
    ------
    ToolMissing
        If a tool that a target needs cannot be run.
    DiskFull
        If there is no more room.
    ValueError
        If the environment changes Amaranth's builds.
    KeyboardInterrupt
        After all tools were killed. Whatever was finished is in the store.
    """
    check_environment()
    scheduler = Scheduler(store, jobs or default_jobs(), _seconds(timeout_minutes), on_event)
    return scheduler.run(seeds_of(points), before)


def _seconds(minutes: float | None) -> float | None:
    return None if minutes is None else minutes * 60
