"""Computes stages on an executor, commits their outcomes to a store, and tells of it by events.

Sweeps, their plans, and single stages on demand all use a session.

Every elaboration needs an outcome, since the lineages of all other stages depend on it. Another
stage needs an outcome if a row needs its columns and no earlier row has them under the same
recipe, or if a stage that has to be computed depends on it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from ..devices import target
from ..errors import Refusal, ToolMissing
from ..outcome import StageFailed, Status
from ..points.point import Point
from ..store import Store
from .executor import Executor, LocalExecutor, default_jobs
from .graph import Cell, Graph, Node, State
from .knowledge import Knowledge
from .rows import row
from .scheduler import Scheduler
from .site import Site
from .stage import Job, Scope, Stage
from .stages import through

if TYPE_CHECKING:
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["Event", "Points", "Session"]

#: Each point with its number of seeds of nextpnr, which are 1, 2… then, or with its seeds.
Points = Mapping[Point, int | Sequence[int]]


class Session:
    """The stages to be computed, and their outcomes; a context manager.

    When it ends, nothing runs any more, and all finished outcomes are in the store. Only the thread
    that calls a session uses the store, and calls ``on_event`` with every :class:`Event`.

    Stages are computed by the workers of a Dask scheduler at an address, as
    :class:`explore.pipeline.cluster.ClusterExecutor` has it; or by this machine if that is None,
    with so many ``jobs`` at one time (:func:`default_jobs` if None), and with these compilers.
    """

    def __init__(self, store: Store, *, jobs: int | None = None, scheduler: str | None = None,
                 compiler: Compiler | None = None, verilator: Verilator | None = None,
                 on_event: Callable[[Event], None] = lambda event: None) -> None:
        self._on_event, self._finished = on_event, 0
        self.scheduler: Scheduler | None = None
        self.executor: Executor = (
            LocalExecutor(Site(store, compiler, self._emit, verilator), jobs or default_jobs())
            if scheduler is None else _cluster(scheduler, self._emit))
        self.graph = Graph(self.executor.tools)
        self._known = Knowledge(store)
        self.scheduler = Scheduler(store, self.executor, self.graph, self._known, self._emit,
                                    self._done)
        self._store = store
        #: All cells of each point whose rows are not complete, and cells whose rows are stored.
        self._incomplete: defaultdict[Point, list[Cell]] = defaultdict(list)
        self._stored: set[Cell] = set()
        self._unelaborated = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        try:
            self.executor.close()
        finally:
            self.scheduler.close()

    # The tasks of a session

    def add(self, points: Points, *, timeout_s: float | None = None, until: str | None = None,
            before: Iterable[Mapping[str, Any]] = ()) -> list[Cell]:
        """Ask for the rows of points with their seeds, and return their cells.

        A stage that rows of ``before`` describe is not computed. A point has only its first seed on
        a device without a placer, and if no stage that is asked for depends on the seed.
        """
        self._known.add(before)
        cells = [self.graph.cell(job) for job in _jobs_of(points, timeout_s, until)]
        self._unelaborated += len(cells)
        for cell in cells:
            self._incomplete[cell.job.point].append(cell)
            for node in cell.elaborations:
                node.cells.append(cell)
        self._emit("plan")
        for cell in cells:
            for node in cell.elaborations:
                self.scheduler.want(node)
            self._elaborated(cell)
        return cells

    def elaborate(self) -> None:
        """Elaborate all cores, and compute nothing else. All recipes are known afterwards."""
        while self._unelaborated:
            if not self.scheduler.is_running:
                self.scheduler.raise_abandoned()
            self.scheduler.step(lambda node: node.stage.transparent)

    def run(self, refill: Callable[[], bool] = lambda: False) -> None:
        """Compute everything that was asked for.

        Whenever more stages could run than there are, ``refill`` is called. It may :meth:`add`
        jobs, and returns whether it did. What is raised says why a stage cannot be computed here
        and now; only after everything else, :exc:`ClusterLost` says that stages lost their machine
        too often.
        """
        while True:
            while self.scheduler.has_idle_slots and refill():
                pass
            if not self.scheduler.is_busy:
                break
            self.scheduler.step()
        self.scheduler.raise_abandoned()

    def rows(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Return the rows of complete cells, and store those that are not stored."""
        named = {cell.job.point.identity(cell.job.seed): row(cell)
                 for cell in cells if cell not in self._stored}
        self._stored.update(cells)
        self._store.remember_rows({identity: found for identity, found in named.items()
                                   if not self._adds_nothing(identity, found)})
        return [row(cell) for cell in cells]

    def _adds_nothing(self, identity: str, found: Mapping[str, Any]) -> bool:
        """Return whether a row is that of a part of a measurement of which the store has more."""
        if found["status"] != Status.PARTIAL:
            return False
        stored = self._store.row(identity)
        return stored is not None and found["recipe"].items() <= stored["recipe"].items()

    def several(self, stages: Iterable[Stage], job: Job, without: Collection[str] = ()
                ) -> list[Node]:
        """Compute stages of one job and return their nodes, whether they succeeded or failed.

        Earlier stages that are called as ``without`` says need not have succeeded.
        :exc:`StageFailed` says that the core cannot be elaborated.
        """
        stages = list(stages)
        elaborations = [node for stage in stages
                        for node in self.graph.elaborations(stage, job)]
        for node in elaborations:
            self.scheduler.want(node)
        self.run()
        for node in elaborations:
            if node.failure is not None:
                raise StageFailed(node.failure)
        nodes = [self.graph.single(stage, job, without) for stage in stages]
        for node in nodes:
            self.scheduler.want(node)
        self.run()
        return nodes

    # What comes of it

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage.name, **more}
        # An executor tells what happens before there is a scheduler.
        total = self._finished + (self.scheduler.outstanding if self.scheduler else 0)
        self._on_event(Event(kind=kind, done=self._finished, total=total, **more))

    def tell(self, kind: str, text: str) -> None:
        """Emit a ``note`` or a ``forecast``, which is a message to the user."""
        self._emit(kind, label=text)

    def _done(self, node: Node, cached: bool) -> None:
        """Take note of a node that is done: emit it, and store the rows that it completes."""
        self._tell(node, cached=cached)
        for cell in node.cells:
            self._elaborated(cell)
        if cached:
            return
        complete = [cell for cell in node.cells if cell.is_complete]
        self.rows(complete)
        for point in dict.fromkeys(cell.job.point for cell in complete):
            cells = self._incomplete.get(point, ())
            if cells and all(cell.is_complete for cell in cells):
                del self._incomplete[point]
                rows = {cell.job.seed: row(cell) for cell in cells}
                self._emit("measured", label=point.label, rows=tuple(rows.values()))

    def _tell(self, node: Node, *, cached: bool) -> None:
        self._finished += 1
        seconds = node.outcome.seconds if node.outcome else 0.0
        unknown = "ok" if cached else "skipped"
        failure = node.failure
        status = failure.status if failure else "ok" if node.reading else unknown
        host = node.outcome.host if node.outcome else ""
        self._emit("finish", node, cached=cached, seconds=seconds, status=str(status), host=host)

    def _elaborated(self, cell: Cell) -> None:
        """Ask for what the row of a cell lacks, if its core is elaborated now."""
        if cell.is_elaborated or any(node.state is not State.DONE for node in cell.elaborations):
            return
        cell.is_elaborated = True
        self._unelaborated -= 1
        if any(node.failure for node in cell.elaborations):
            return
        self.graph.complete(cell)
        self._known.read_rows(cell)
        for node in cell.measuring:
            if node.stage.transparent:
                continue
            node.cells.append(cell)
            if node.reading is None:
                self.scheduler.want(node)
            elif node.state is State.IDLE and len(node.cells) == 1:
                self._tell(node, cached=True)


def _cluster(address: str, emit: Callable[..., None]) -> Executor:
    try:
        from .cluster import ClusterExecutor
    except ModuleNotFoundError as error:
        raise ToolMissing(f"Work on many machines needs Dask ({error.name} is missing); run "
                          "pip install '.[cluster]' in the project's folder") from None
    return ClusterExecutor(address, emit)


def _jobs_of(points: Points, timeout_s: float | None, until: str | None) -> list[Job]:
    seeded = any(stage.scope == Scope.SEED for stage in through(until).values())
    jobs = []
    for point, given in points.items():
        seeds = range(1, given + 1) if isinstance(given, int) else given
        if wrong := [given] if not seeds else [seed for seed in seeds if seed < 1]:
            raise Refusal(f"Seeds must be 1 or more, not {wrong[0]}")
        params, device, options = point.parameters(), target(point.target), dict(point.options)
        jobs += [Job(params=params, device=device, options=options, seed=seed, point=point,
                     timeout_s=timeout_s, until=until)
                 for seed in (seeds if device.placer and seeded else seeds[:1])]
    return jobs


@dataclasses.dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a sweep, by its kind:

    ``plan``: the number of stages is known.
    ``forecast``: ``label`` is a line on the amount and the time of the work.
    ``warm``: the first run of a tool begins, in which it compiles itself, or has ended.
    ``start``, ``finish``: a stage begins or has ended.
    ``measured``: all rows of a point are complete.
    ``wait``: another sweep on this store is computing a stage.
    ``note``: ``label`` is a message to the user.
    """

    kind: str
    #: Key of the outcome; for ``warm``, the name of the tool.
    key: str = ""
    label: str = ""
    #: A name in :func:`explore.pipeline.stages.stages`, if the event is about a stage.
    stage: str = ""
    #: ``running``, ``ok`` or empty; of what has finished, its status, which is ``skipped`` if an
    #: earlier stage failed.
    status: str = ""
    #: Number of finished stages, and of all stages.
    done: int = 0
    total: int = 0
    #: Time that the stage took when it was computed, and whether that was before.
    seconds: float = 0.0
    cached: bool = False
    #: The machine that computed the stage.
    host: str = ""
    #: All rows of the point that was measured.
    rows: tuple[Mapping[str, Any], ...] = ()
