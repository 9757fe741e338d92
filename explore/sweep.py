"""Runs sweeps: what is to be measured, is measured already, and gets measured."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .events import Event
from .graph import build, reusable
from .points import Point
from .processes import Processes
from .scheduler import Scheduler
from .simulation.compiler import find_compiler
from .stages import STAGES
from .store import Store
from .toolbox import Toolbox
from .tools import check_environment

__all__ = ["Event", "Plan", "default_jobs", "plan", "run"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What a sweep would do.

    Attributes
    ----------
    points, rows : int
        Different points, and rows they will have.
    stored, to_run : dict
        From stage to how many outcomes there are already, and how many are to be computed.
    """

    points: int
    rows: int
    stored: dict[str, int]
    to_run: dict[str, int]


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan(points: Mapping[Point, int], *, store: Store | None,
         timeout_minutes: float | None = None) -> Plan:
    """Return what :func:`run` would do; nothing is computed or written.

    Parameters
    ----------
    points : dict from Point to int
        Each with its number of seeds, which are 1, 2…
    store : Store or None
        An open store, or None if there is none yet.

    Raises
    ------
    ToolMissing, ValueError
        As :func:`run` does.
    """
    check_environment()
    tools = Toolbox(store, Processes(), lambda *what, **more: None)
    nodes, cells = build(points, tools.version, find_compiler())
    stored, to_run = Counter(), Counter()
    for node in nodes:
        if store is not None and node.possible:
            node.resolve()
            outcome = store.outcome(node.key)
            if reusable(outcome, _seconds(timeout_minutes)):
                node.outcome = outcome
        (to_run if node.outcome is None else stored)[node.stage] += 1
    return Plan(points=len(points), rows=len(cells),
                stored={stage: stored[stage] for stage in STAGES},
                to_run={stage: to_run[stage] for stage in STAGES})


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
        Tools at one time; :func:`default_jobs` if None. Elaboration and verification take slots
        that no tool wants, and one more at low priority, so that tools need not wait for them.
    timeout_minutes : float or None
        Time limit of each run of a tool, and of each verification.
    before : iterable of dict
        Rows of an earlier sweep, whose points are not measured again where the core is the same
        hardware and the tools would be run in the same way (:mod:`explore.standing`).
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
    return scheduler.run(points, before)


def _seconds(minutes: float | None) -> float | None:
    return None if minutes is None else minutes * 60
