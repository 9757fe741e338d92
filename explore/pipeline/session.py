"""Computes stages on an executor, commits their outcomes to a store, and tells of it by events.

Sweeps, their plans, and single stages on demand all use a session.

Every elaboration needs an outcome, since the lineages of all other stages depend on it. Another
stage needs an outcome if a row needs its columns and no earlier row has them under the same
recipe, or if a stage that has to be computed depends on it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from ..outcome import StageFailed
from ..store import Store
from ..tools.workspace import Tools
from .graph import Cell, Graph
from .knowledge import Knowledge
from .node import Node, State
from .places import executor
from .rows import Rows
from .scheduler import Scheduler
from .stage import Job, Stage

if TYPE_CHECKING:
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["Event", "Session"]


class Session:
    """The stages to be computed, the stages that are being computed, and their outcomes.

    A session is a context manager. When it ends, nothing runs any more, and all finished outcomes
    are in the store. Only the thread that calls a session uses the store and emits events.

    Parameters
    ----------
    jobs, scheduler, compiler, verilator
        See :func:`explore.pipeline.places.executor`.
    on_event : callable
        Called in this thread with every :class:`Event`.
    """

    def __init__(self, store: Store, *, jobs: int | None = None, scheduler: str | None = None,
                 compiler: Compiler | None = None, verilator: Verilator | None = None,
                 on_event: Callable[[Event], None] = lambda event: None) -> None:
        self._on_event, self._finished = on_event, 0
        self._scheduler: Scheduler | None = None
        self._executor = executor(store, self._emit, jobs=jobs, scheduler=scheduler,
                                  compiler=compiler, verilator=verilator)
        self._graph = Graph(self._executor.tools)
        self._known = Knowledge(store)
        self._scheduler = Scheduler(store, self._executor, self._graph, self._known, self._emit,
                                    self._done)
        self._rows = Rows(store, lambda point, rows: self._emit(
            "measured", label=point.label, rows=tuple(rows)))
        self._unelaborated = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_more: object) -> None:
        if kind is not None:
            self._executor.stop()
        try:
            self._executor.close()
        finally:
            self._scheduler.close()

    @property
    def slots(self) -> int:
        """Tools that run at one time."""
        return self._executor.slots

    @property
    def tools(self) -> Tools:
        """The programs of the place where stages run."""
        return self._executor.tools

    @property
    def nodes(self) -> list[Node]:
        """The nodes of all cells and single stages that were asked for."""
        return list(self._graph.nodes.values())

    @property
    def to_compute(self) -> list[Node]:
        """The nodes that are to be computed, if no stage fails."""
        return self._scheduler.to_compute()

    # The tasks of a session

    def add(self, jobs: Iterable[Job], before: Iterable[Mapping[str, Any]] = ()) -> list[Cell]:
        """Ask for the rows of jobs, and return their cells.

        A stage that rows of ``before`` describe is not computed.
        """
        self._known.add(before)
        cells = [self._graph.cell(job) for job in jobs]
        self._unelaborated += len(cells)
        for cell in cells:
            self._rows.add(cell)
            for node in cell.elaborations:
                node.cells.append(cell)
        self._emit("plan")
        for cell in cells:
            for node in cell.elaborations:
                self._scheduler.want(node)
            self._elaborated(cell)
        return cells

    def elaborate(self) -> None:
        """Elaborate all cores, and compute nothing else. All recipes are known afterwards."""
        while self._unelaborated:
            if not self._scheduler.is_running:
                self._scheduler.raise_abandoned()
            self._scheduler.step(lambda node: node.stage.transparent)

    def run(self, refill: Callable[[], bool] = lambda: False) -> None:
        """Compute everything that was asked for.

        Whenever more stages could run than there are, ``refill`` is called. It may :meth:`add`
        jobs, and returns whether it did.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If a stage cannot be computed here and now.
        ClusterLost
            If everything is computed, apart from stages that lost their machine too often.
        """
        while True:
            while self._scheduler.has_idle_slots and refill():
                pass
            if not self._scheduler.is_busy:
                break
            self._scheduler.step()
        self._scheduler.raise_abandoned()

    def rows(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Return the rows of complete cells, and store them."""
        return self._rows.store(cells)

    def several(self, stages: Iterable[Stage], job: Job, without: Collection[str] = ()
                ) -> list[Node]:
        """Compute stages of one job and return their nodes, whether they succeeded or failed.

        Earlier stages that are called as ``without`` says need not have succeeded.

        Raises
        ------
        StageFailed
            If the core cannot be elaborated.
        """
        stages = list(stages)
        elaborations = [node for stage in stages
                        for node in self._graph.elaborations(stage, job)]
        for node in elaborations:
            self._scheduler.want(node)
        self.run()
        for node in elaborations:
            if node.failure is not None:
                raise StageFailed(node.failure)
        nodes = [self._graph.single(stage, job, without) for stage in stages]
        for node in nodes:
            self._scheduler.want(node)
        self.run()
        return nodes

    def again(self, node: Node) -> None:
        """Compute a single stage again, because files of it are damaged or missing."""
        self._scheduler.remake(node)
        self.run()

    # What comes of it

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage.name, **more}
        # An executor tells what happens before there is a scheduler.
        total = self._finished + (self._scheduler.outstanding if self._scheduler else 0)
        self._on_event(Event(kind=kind, done=self._finished, total=total, **more))

    def forecast(self, text: str) -> None:
        """Emit a ``forecast``: tell the user how much work there is."""
        self._emit("forecast", label=text)

    def note(self, text: str) -> None:
        """Emit a ``note``, which is a message to the user."""
        self._emit("note", label=text)

    def _done(self, node: Node, cached: bool) -> None:
        """Take note of a node that is done: emit it, and store the rows that it completes."""
        self._tell(node, cached=cached)
        for cell in node.cells:
            self._elaborated(cell)
        if not cached:
            self._rows.finished(node.cells)

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
        self._graph.complete(cell)
        self._known.read_rows(cell)
        for node in cell.measuring:
            if node.stage.transparent:
                continue
            node.cells.append(cell)
            if node.reading is None:
                self._scheduler.want(node)
            elif node.state is State.IDLE and len(node.cells) == 1:
                self._tell(node, cached=True)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a sweep.

    Attributes
    ----------
    kind : str
        ``plan``: the number of stages is known.
        ``forecast``: ``label`` is a line on the amount and the time of the work.
        ``warm``: the first run of a tool begins (status ``running``; only if the tool compiles
        itself then) or has ended (status ``ok``).
        ``start``, ``finish``: a stage begins or has ended.
        ``measured``: all rows of a point are complete.
        ``wait``: another sweep on this store is computing a stage.
        ``note``: ``label`` is a message to the user.
    key : str
        Key of the outcome; for ``warm``, the name of the tool.
    stage : str
        A name in :func:`explore.pipeline.stages.stages`, if the event is about a stage.
    status : str
        For ``finish``, the status of the stage, which is ``skipped`` if an earlier stage failed;
        otherwise ``running``, ``ok`` or empty.
    done, total : int
        Number of finished stages, and of all stages.
    seconds : float
        Time that the stage took when it was computed, in this sweep or before.
    cached : bool
        Whether the outcome was in the store.
    host : str
        For ``start``, the machine on which the stage begins, empty for this one. For ``finish``,
        the machine that computed it.
    rows : tuple of dict
        For ``measured``, all rows of the point.
    """

    kind: str
    key: str = ""
    label: str = ""
    stage: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    cached: bool = False
    host: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
