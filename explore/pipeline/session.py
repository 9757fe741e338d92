"""Computes stages on an executor, and commits their outcomes to a store.

Sweeps, their plans, and single stages on demand all use a session.
"""

from __future__ import annotations

import contextlib
import dataclasses
import heapq
import itertools
import queue
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

from ..errors import ClusterLost, DiskFull
from ..outcome import Outcome
from ..points.point import Point
from ..store import Store, disk_full
from ..store.artefacts import pack, unpacked
from ..store.locks import KeyLock
from ..tools.compiler import ADVICE
from ..tools.workspace import Tools
from .events import Event
from .executor import Abandoned, Executor, Input, Lost, Task
from .graph import Cell, Graph, Node
from .rows import is_complete, row
from .stage import Job, Lane, Stage
from .stages import stages
from .walk import Walk, reading_of

__all__ = ["Session"]

#: Seconds between two checks whether another process has finished a stage.
_POLL_S = 0.2
#: Seconds between two checks of the room that there is, which may change by itself.
_LOOK_S = 0.5
#: If less room than this is left on the disk, a tool that fails is assumed to lack room.
_ROOM_BYTES = 1 << 22


@dataclasses.dataclass
class _Running:
    node: Node
    lock: KeyLock
    workspace: Path


class Session:
    """The stages to be computed, the stages that are being computed, and their outcomes.

    A session is a context manager. When it ends, nothing runs any more, and all finished outcomes
    are in the store. Only the thread that calls a session uses the store and emits events.

    Parameters
    ----------
    store : Store
        An open store.
    executor : callable
        Returns the executor. Its argument is a function that emits an event, given the kind and
        other attributes of an :class:`Event`.
    on_event : callable
        Called in this thread with every :class:`Event`.

    Attributes
    ----------
    computed : set of Node
        Nodes that were computed here, rather than found in the store.
    """

    def __init__(self, store: Store, executor: Callable[[Callable[..., None]], Executor],
                 on_event: Callable[[Event], None] = lambda event: None) -> None:
        self._store, self._on_event = store, on_event
        self._executor = executor(self._emit)
        self._graph = Graph(self._executor.tools)
        self._walk = Walk(self._executor.tools, store, self._finished)
        self._order = itertools.count()
        #: For each lane, a heap of the nodes that can start.
        self._ready: dict[Lane, list[tuple]] = {lane: [] for lane in Lane}
        #: Nodes that are ready, but wait until all cores are elaborated.
        self._later: list[Node] = []
        #: Nodes that wait until an equal node is finished, here or in another process.
        self._held: list[Node] = []
        self._announced: set[str] = set()
        self._running: dict[Future, _Running] = {}
        # Not concurrent.futures.wait(), which locks all futures one by one. If Ctrl-C interrupts
        # it, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._cells: defaultdict[Node, list[Cell]] = defaultdict(list)
        #: All cells of each point whose rows are not complete.
        self._incomplete: defaultdict[Point, list[Cell]] = defaultdict(list)
        self._done = 0
        self.computed: set[Node] = set()
        self._advised = False
        #: Why nodes could not be computed that lost their machine too often.
        self._abandoned: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_more: object) -> None:
        if kind is not None:
            self._executor.stop()
        try:
            self._executor.close()
        finally:
            for running in self._running.values():
                self._store.discard(running.workspace)
                running.lock.release()
            self._running.clear()

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
        return self._graph.nodes

    @property
    def to_compute(self) -> list[Node]:
        """The nodes whose outcome is unknown."""
        return [node for node in self._graph.nodes if node not in self._walk.counted]

    # The tasks of a session

    def add(self, jobs: Iterable[Job], before: Iterable[Mapping[str, Any]] = ()) -> list[Cell]:
        """Ask for the rows of jobs, and return their cells.

        Parameters
        ----------
        before : iterable of dict
            Rows of earlier sweeps. A stage that they describe is not computed.

        Raises
        ------
        ToolMissing
            If a program that a stage needs is missing.
        """
        cells = [self._graph.cell(job) for job in jobs]
        for cell in cells:
            self._incomplete[cell.point].append(cell)
            for node in cell.nodes.values():
                if node.stage.columns:
                    self._cells[node].append(cell)
        self._emit("plan")
        self._walk.add(cells, before)
        return cells

    def elaborate(self) -> None:
        """Elaborate all cores, and compute nothing else. All recipes are known afterwards."""
        while not self._walk.resolved:
            self._take_ready(only_elaborate=True)
            if not self._is_busy:
                self._raise_abandoned()
            self._step()

    def run(self) -> None:
        """Compute everything that was asked for.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If a stage cannot be computed here and now.
        ClusterLost
            If everything is computed, apart from stages that lost their machine too often.
        """
        self._walk.ready += self._later
        self._later.clear()
        while self._walk.ready or self._is_busy:
            self._take_ready()
            self._step()
        self._raise_abandoned()

    def rows(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Return the rows of complete cells, and store them."""
        rows = [row(cell) for cell in cells]
        self._remember(cells, rows)
        return rows

    def single(self, stage: Stage, job: Job, without: Sequence[str] = ()) -> Node:
        """Compute one stage and return its node, whether the stage succeeded or failed.

        Parameters
        ----------
        without : sequence of str
            Earlier stages that need not have succeeded.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If the stage cannot be computed here and now.
        """
        return self.several([stage], job, without)[0]

    def several(self, stages: Iterable[Stage], job: Job, without: Sequence[str] = ()
                ) -> list[Node]:
        """Compute several stages of one job and return their nodes; see :meth:`single`."""
        nodes = [self._graph.single(stage, job, without) for stage in stages]
        for node in nodes:
            self._walk.want(node)
        self.run()
        return nodes

    def again(self, node: Node) -> None:
        """Compute a single stage again, because files of it are damaged or missing."""
        self._walk.lost(node, node)
        self.run()

    # The work of a session

    @property
    def _is_busy(self) -> bool:
        return bool(self._held or self._running or any(self._ready.values()))

    def _raise_abandoned(self) -> None:
        if self._abandoned:
            first, *more = self._abandoned
            others = f"; so were {len(more)} more stages" if more else ""
            raise ClusterLost(f"{first}{others}; all else is stored, and the same command tries "
                              "again")

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage.name, **more}
        self._on_event(Event(kind=kind, done=self._done, total=len(self._graph), **more))

    def tell(self, text: str) -> None:
        """Emit a ``forecast``: tell the user how much work there is."""
        self._emit("forecast", label=text)

    def note(self, text: str) -> None:
        """Emit a ``note``, which is a message to the user."""
        self._emit("note", label=text)

    def _finished(self, node: Node, cached: bool) -> None:
        """Emit the end of a node, and store the rows that it completes."""
        self._done += 1
        seconds = node.outcome.seconds if node.outcome else 0.0
        unknown = "ok" if cached else "skipped"
        failure = node.failure
        status = failure.status if failure else "ok" if node.reading else unknown
        host = node.outcome.host if node.outcome else ""
        self._emit("finish", node, cached=cached, seconds=seconds, status=str(status), host=host)
        if not cached:
            complete = [cell for cell in self._cells[node] if is_complete(cell)]
            self._remember(complete, [row(cell) for cell in complete])
            for point in dict.fromkeys(cell.point for cell in complete):
                self._tell_rows(point)

    def _tell_rows(self, point: Point) -> None:
        """Emit the rows of a point, once, when all of them are complete."""
        cells = self._incomplete.get(point, ())
        if cells and all(map(is_complete, cells)):
            del self._incomplete[point]
            self._emit("measured", label=point.label,
                       rows=tuple({cell.seed: row(cell) for cell in cells}.values()))

    def _remember(self, cells: Sequence[Cell], rows: Sequence[Mapping[str, Any]]) -> None:
        self._store.remember_rows({cell.point.identity(cell.seed): found
                                   for cell, found in zip(cells, rows, strict=True)})

    def _take_ready(self, *, only_elaborate: bool = False) -> None:
        """Move nodes that are ready to the heaps of their lanes."""
        for node in self._walk.ready:
            if only_elaborate and not node.stage.transparent:
                self._later.append(node)
                continue
            # Long stages start first, so that all slots finish at about the same time.
            late = list(stages()).index(node.stage.name) if node.stage.name in stages() else 0
            heapq.heappush(self._ready[node.stage.lane],
                           (-node.weight, -late, next(self._order), node))
        self._walk.ready.clear()

    def _step(self) -> None:
        """Start the nodes that can start, and wait until one of the running nodes ends."""
        self._executor.attend()
        self._start()
        if self._running:
            with contextlib.suppress(queue.Empty):
                self._collect(self._ended.get(timeout=_POLL_S if self._held else _LOOK_S))
        elif self._held or any(self._ready.values()):
            time.sleep(_POLL_S)
        self._walk.ready += self._held
        self._held.clear()

    def _start(self) -> None:
        """Start nodes that are ready, as long as the executor has room."""
        busy = {running.node.key for running in self._running.values()}
        for lane, ready in self._ready.items():
            while ready and self._executor.has_room(lane):
                node = self._take(ready)
                if node.key in busy:
                    # An equal node is running. When it has ended, the store has the outcome.
                    self._held.append(node)
                elif self._launch(node):
                    busy.add(node.key)

    def _take(self, ready: list[tuple]) -> Node:
        """Remove the node to be started next from a heap, and return it."""
        if len(ready) > self._executor.slots:
            return heapq.heappop(ready)[-1]
        # Slots may soon be idle. An early stage is best then, since others become ready after it.
        entry = min(ready, key=lambda entry: (-entry[1], *entry))
        ready.remove(entry)
        heapq.heapify(ready)
        return entry[-1]

    def _launch(self, node: Node) -> bool:
        """Start a node, and return whether it runs.

        It does not if another process is computing it, or has computed it.
        """
        lock = self._store.lock(node.key)
        if lock is None:
            if node.key not in self._announced:
                self._announced.add(node.key)
                self._emit("wait", node)
            self._held.append(node)
            return False
        workspace = None
        try:
            outcome = self._walk.known(node)
            if outcome is None:
                workspace = self._store.workspace(node.key)
                future = self._submit(node, workspace)
        except BaseException:
            if workspace is not None:
                self._store.discard(workspace)
            lock.release()
            raise
        if outcome is not None:
            lock.release()
            self._walk.finish(node, outcome, cached=True)
            return False
        self._running[future] = _Running(node, lock, workspace)
        future.add_done_callback(self._ended.put)
        return True

    def _submit(self, node: Node, workspace: Path) -> Future[Outcome]:
        if node.stage.name == "verify" and node.fetches is None and not self._advised:
            self._advised = True
            self.note(ADVICE)
        sources = [source for source in (node.source, node.fetches) if source is not None]
        task = Task(stage=node.stage, spec=node.spec, key=node.key,
                    programs=node.stage.programs(node.job), timeout_s=node.timeout_s,
                    weight=node.weight, inputs=[Input(self._store.files(source.key),
                                                      source.outcome.files) for source in sources])
        return self._executor.submit(task, workspace,
                                     lambda host: self._emit("start", node, status="running",
                                                             host=host))

    def _collect(self, future: Future) -> None:
        running = self._running.pop(future)
        node, workspace = running.node, running.workspace
        try:
            with disk_full(self._store.path):
                try:
                    outcome = future.result()
                except Lost as lost:
                    self._store.discard(workspace)
                    running.lock.release()
                    sources = [each for each in (node.source, node.fetches) if each is not None]
                    self._lost(sources[lost.args[0]], node)
                    return
                except Abandoned as error:
                    self._store.discard(workspace)
                    running.lock.release()
                    self._abandoned.append(f"{node.stage.name} {node.label}: {error}")
                    self.note(self._abandoned[-1])
                    return
            outcome = self._read(node, outcome, workspace)
            self._check_room(outcome)
            self._store.commit(node.key, {"stage": node.stage.name, **node.spec}, outcome,
                               workspace)
        except BaseException:
            self._store.discard(workspace)
            running.lock.release()
            raise
        running.lock.release()
        self.computed.add(node)
        self._walk.finish(node, outcome)

    def _lost(self, source: Node, user: Node) -> None:
        self.note(f"files of {source.stage.name} {source.label} are damaged or gone, and are made "
                  "again")
        self._walk.lost(source, user)

    def _read(self, node: Node, outcome: Outcome, workspace: Path) -> Outcome:
        """Read the columns of a new outcome, and return the outcome.

        If its files make no sense, return an outcome with the failure in its place.
        """
        reading = reading_of(node, outcome, lambda name: unpacked(workspace, outcome.files, name))
        node.note(reading)
        failure = reading.failure
        if outcome.failure or failure is None or failure.stands(None):
            return outcome
        pack(workspace, ())
        return dataclasses.replace(outcome, failure=failure, facts={}, files={})

    def _check_room(self, outcome: Outcome) -> None:
        # Not every tool reports that the disk is full.
        if (outcome.status == "tool_error"
                and shutil.disk_usage(self._store.path).free < _ROOM_BYTES):
            raise DiskFull(f"Disk is full: {outcome.failure.message}; free some room in "
                           f"{self._store.path}, then the same command goes on")
