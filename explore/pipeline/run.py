"""Plans a sweep, forecasts the time that it takes, and runs it."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from montgomery.core import kind_of, name_of

from ..data.labels import duration
from ..data.rows import DATASET, read, stored_rows
from ..points.point import Point
from ..store import Store
from ..tools.compiler import find_compiler
from ..tools.find import check_environment
from ..tools.verilator import find_verilator
from .graph import Cell, Node
from .knowledge import CoreFile
from .rows import row, status_of
from .session import Event, Points, Session
from .stages import stages

__all__ = ["Durations", "Forecast", "Stopped", "Sweep", "Work", "plan", "run", "session"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sweep:
    """The points that one sweep measures, with its settings.

    The time limit is that of each run of a tool, and of each verification. A stage that rows of
    ``before`` describe is not computed. A sweep ``until`` another stage than the last one makes
    rows of the status ``partial``. It reads and writes the file with outcomes of the ``cores``.
    """

    points: Points
    timeout_minutes: float | None = None
    before: Sequence[Mapping[str, Any]] = ()
    until: str | None = None
    cores: CoreFile | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Work:
    """The work that a sweep would do: numbers of points and of rows, and the points that are due.

    By the names of stages, it has the number of nodes whose results are ``known``, from the store
    or an earlier row, and of nodes ``to_run``, if no earlier stage fails.
    """

    points: int
    rows: int
    due: list[Point]
    known: dict[str, int]
    to_run: dict[str, int]
    forecast: Forecast


class Stopped(KeyboardInterrupt):
    """Ctrl-C during a sweep, whose complete rows are ``rows``."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        super().__init__()
        self.rows = rows


def plan(sweep: Sweep | Points, *, store: Store, jobs: int | None = None,
         on_event: Callable[[Event], None] = lambda event: None) -> Work:
    """Return what :func:`run` would do.

    Cores that the store does not have are elaborated, since all other stages depend on the
    hardware. The store keeps them; no row is made.
    """
    sweep = _whole(sweep)
    with session(store, jobs=jobs, on_event=on_event) as running:
        cells = _elaborated(running, sweep, store)
        nodes = running.scheduler.to_compute()
        counts = Counter(node.stage.name for node in nodes)
        whole = Counter(node.stage.name for node in running.graph.nodes.values())
        due = list(dict.fromkeys(cell.job.point for cell in cells if not cell.is_complete))
        return Work(points=len(sweep.points), rows=len(cells), due=due,
                    known={stage: whole[stage] - counts[stage] for stage in stages()},
                    to_run={stage: counts[stage] for stage in stages()},
                    forecast=_forecast(running, cells, nodes, store, sweep))


def session(store: Store, *, jobs: int | None = None, scheduler: str | None = None,
            on_event: Callable[[Event], None] = lambda event: None) -> Session:
    """Return a session with the compilers of this machine, as :func:`run` has it."""
    check_environment()
    return Session(store, jobs=jobs, scheduler=scheduler, compiler=find_compiler(),
                   verilator=find_verilator(), on_event=on_event)


def run(sweep: Sweep | Points, *, store: Store, jobs: int | None = None,
        scheduler: str | None = None,
        on_event: Callable[[Event], None] = lambda event: None) -> list[dict[str, Any]]:
    """Measure the points of a sweep that are not measured yet.

    A stage does not run again if the store has its outcome. Some failures are outcomes as well: a
    design that does not fit, does not verify, or exceeds a fixed limit of a tool. A stage that
    timed out runs again if its time limit is longer now; a stage that crashed or ran out of memory
    always runs again.

    The store must be open; it gets the rows as well. For the other arguments see
    :class:`explore.pipeline.session.Session`. The result has one row per point and seed, in the
    order of the points.

    Raises
    ------
    ToolMissing, DiskFull, ClusterLost, WrongSite, SourcesChanged
        If no sweep can go on, or if tools or sources changed during the sweep.
    ValueError
        If an environment variable changes Amaranth's builds.
    Stopped
        After Ctrl-C, when all tools have been killed. All finished outcomes are in the store.
    """
    sweep = _whole(sweep)
    with session(store, jobs=jobs, scheduler=scheduler, on_event=on_event) as running:
        cells = _elaborated(running, sweep, store)
        running.tell("forecast", str(_forecast(running, cells, running.scheduler.to_compute(),
                                               store, sweep)))
        try:
            running.run()
        except KeyboardInterrupt:
            complete = [row(cell) for cell in cells if cell.is_complete]
            if sweep.cores is not None:
                sweep.cores.write(cells, beside=True)
            raise Stopped(complete) from None
        rows = running.rows(cells)
        if sweep.cores is not None:
            # What a sweep did not look for stays.
            sweep.cores.write(cells, beside=sweep.until is not None)
        return rows


def _whole(sweep: Sweep | Points) -> Sweep:
    return sweep if isinstance(sweep, Sweep) else Sweep(points=sweep)


def _elaborated(session: Session, sweep: Sweep, store: Store) -> list[Cell]:
    """Add a sweep to a session, elaborate all cores, and return the cells."""
    seconds = None if sweep.timeout_minutes is None else sweep.timeout_minutes * 60
    if sweep.cores is not None:
        store.learn(sweep.cores.outcomes)
        if sweep.cores.note:
            session.tell("note", sweep.cores.note)
    cells = session.add(sweep.points, timeout_s=seconds, until=sweep.until, before=sweep.before)
    session.elaborate()
    return cells


def _forecast(session: Session, cells: Sequence[Cell], nodes: Sequence[Node], store: Store,
              sweep: Sweep) -> Forecast:
    """Return the amount of work: nodes to compute, after all cores were elaborated."""
    states = Counter("new" if not cell.is_complete else
                     "stored" if status_of(cell).is_success else "failed" for cell in cells)
    whole = None
    if nodes:
        whole = Durations([*stored_rows(store), *sweep.before]).total(nodes)
        if whole is None and DATASET.exists():
            whole = Durations(read(DATASET)).total(nodes)
    slots = session.executor.slots
    return Forecast(new=states["new"], stored=states["stored"], failed=states["failed"],
                    slots=slots, seconds=whole and whole / slots)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Forecast:
    """The amount of work that a sweep has to do.

    It has numbers of rows to be measured, of known rows, of rows that are known to fail, and of
    tools that run at one time. The time in seconds holds if the slots share it evenly; it is None
    if no similar stage ever ran.
    """

    new: int
    stored: int
    failed: int
    slots: int
    seconds: float | None

    def __str__(self) -> str:
        counts = (f"{self.new} rows to measure, {self.stored} in the store, {self.failed} known to "
                  "fail")
        if not self.new:
            return counts
        if self.seconds is None:
            return f"{counts}; the time is unknown until something similar was measured"
        tools = "one tool" if self.slots == 1 else f"{self.slots} tools"
        return f"{counts}; about {duration(self.seconds)} with {tools} at a time"


#: Exponent of the width with which the time of a stage is assumed to grow.
_GROWTH = 1.5


class Durations:
    """Times that stages took, of rows by stage, core and width."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        #: From (stage, kind, core), (stage, kind) and (stage,) to the times in s by width.
        self._times: defaultdict[tuple, defaultdict[int, list[float]]] = defaultdict(
            lambda: defaultdict(list))
        for each in rows:
            for column, seconds in each.items():
                if column.startswith("seconds_") and isinstance(seconds, int | float):
                    stage = column.removeprefix("seconds_")
                    for cores in ((each["kind"], each["arch"]), (each["kind"],), ()):
                        self._times[stage, *cores][each["width"]].append(seconds)

    def seconds(self, node: Node) -> float | None:
        """Return the expected time of a stage in seconds; None if the stage never ran.

        It is the median time for the nearest width of the core, scaled to the width. If the core
        was never measured, the times of all cores of its kind count, or else of all cores.
        """
        params = node.job.params
        wanted = (node.stage.name, kind_of(params).name, name_of(params))
        times = next((self._times[wanted[:size]] for size in (3, 2, 1)
                      if wanted[:size] in self._times), None)
        if times is None:
            return None
        # The width of a design may be 0: it has none.
        ratio, width = min(((max(params.width, 1) / max(each, 1), each) for each in times),
                           key=lambda each: abs(math.log(each[0])))
        return statistics.median(times[width]) * ratio ** _GROWTH

    def total(self, nodes: Iterable[Node]) -> float | None:
        """Return the expected total time of stages in seconds; None if none of them ever ran.

        A stage that never ran is assumed to take the mean time of the others.
        """
        times = list(map(self.seconds, nodes))
        known = [seconds for seconds in times if seconds is not None]
        return len(times) * statistics.fmean(known) if known else None
