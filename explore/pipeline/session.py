"""Computes stages on an executor, and commits what they come to: the one way to do so.

Sweeps, many sweeps at once, their plans and single stages on demand all go through a session. It
can be given more to do while it runs.
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

from ..errors import DiskFull
from ..outcome import Outcome
from ..points.point import Point
from ..store import Store, disk_full
from ..store.artefacts import pack, unpacked
from ..store.locks import KeyLock
from ..tools.compiler import ADVICE
from .events import Event
from .executor import Executor, Input, Lost, Task
from .graph import Cell, Graph, Node
from .rows import is_complete, row
from .stage import Job, Lane, Stage
from .stages import stages
from .walk import Walk, reading_of

__all__ = ["Session"]

#: Seconds between looks at what another process on the same store is computing.
_POLL_S = 0.2
#: Seconds between looks at what room there is, which may change by itself.
_LOOK_S = 2
#: A tool that fails with less room than this left on the disk failed for want of room.
_ROOM_BYTES = 1 << 22


@dataclasses.dataclass
class _Running:
    node: Node
    lock: KeyLock
    workspace: Path


class Session:
    """What is to be computed, what is being computed, and what came of it.

    The thread that calls it alone uses the store and emits events. At its end as a context manager
    nothing runs any more; whatever was finished is in the store.

    Parameters
    ----------
    store : Store
        Open.
    executor : callable
        Called with a function that takes what is to be told; returns the executor.
    on_event : callable
        Called in this thread with every :class:`Event`.
    """

    def __init__(self, store: Store, executor: Callable[[Callable[..., None]], Executor],
                 on_event: Callable[[Event], None] = lambda event: None) -> None:
        self._store, self._on_event = store, on_event
        self._executor = executor(self._emit)
        self._graph = Graph(self._executor.tools)
        self._walk = Walk(self._executor.tools, store, self._finished)
        self._order = itertools.count()
        #: What is ready, in the order in which it starts, by what it keeps busy.
        self._ready: dict[Lane, list[tuple]] = {lane: [] for lane in Lane}
        #: What is ready, but has to wait until all cores are elaborated.
        self._later: list[Node] = []
        #: What waits for the end of equal work, here or in another process.
        self._held: list[Node] = []
        self._announced: set[str] = set()
        self._running: dict[Future, _Running] = {}
        # concurrent.futures.wait() takes the locks of all futures one by one. If Ctrl-C comes while
        # it does, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._cells: defaultdict[Node, list[Cell]] = defaultdict(list)
        #: All cells of a point, until its rows are complete.
        self._incomplete: defaultdict[Point, list[Cell]] = defaultdict(list)
        self._done = 0
        #: What was computed, and not found in the store.
        self.computed: set[Node] = set()
        self._advised = False

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
    def nodes(self) -> list[Node]:
        """Every stage of what was asked for."""
        return self._graph.nodes

    @property
    def to_compute(self) -> list[Node]:
        """The stages of which not all is known."""
        return [node for node in self._graph.nodes if node not in self._walk.counted]

    # What is asked for

    def add(self, jobs: Iterable[Job], before: Iterable[Mapping[str, Any]] = ()) -> list[Cell]:
        """Go for the rows of jobs, and return their cells.

        Parameters
        ----------
        before : iterable of dict
            Rows of earlier sweeps: what they say need not be computed.

        Raises
        ------
        ToolMissing
            If there is no program that a stage needs.
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
        """Elaborate all cores, and compute nothing else: what there is to do is known then."""
        while not self._walk.resolved:
            self._take_ready(only_elaborate=True)
            self._step()

    def run(self) -> None:
        """Compute all that was asked for.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If an outcome cannot be known here and now.
        """
        self._walk.ready += self._later
        self._later.clear()
        while self._walk.ready or self._held or self._running or any(self._ready.values()):
            self._take_ready()
            self._step()

    def rows(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Return the rows of cells of which all is known, and have the store remember them."""
        rows = [row(cell) for cell in cells]
        self._remember(cells, rows)
        return rows

    def single(self, stage: Stage, job: Job, without: Sequence[str] = ()) -> Node:
        """Return the node of one stage after it was computed, if it succeeded or not.

        Parameters
        ----------
        without : sequence of str
            Stages that need not have succeeded before.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If its outcome cannot be known here and now.
        """
        node = self._graph.single(stage, job, without)
        self._walk.want(node)
        self.run()
        return node

    def again(self, node: Node) -> None:
        """Compute a single stage again, since files of it are damaged or gone."""
        self._walk.lost(node, node)
        self.run()

    # What is done about it

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage.name, **more}
        self._on_event(Event(kind=kind, done=self._done, total=len(self._graph), **more))

    def tell(self, text: str) -> None:
        """Tell the user how much there is to do."""
        self._emit("forecast", label=text)

    def note(self, text: str) -> None:
        """Tell the user something."""
        self._emit("note", label=text)

    def _finished(self, node: Node, cached: bool) -> None:
        """Tell that all is known of a node, and store the rows that are complete with it."""
        self._done += 1
        seconds = node.outcome.seconds if node.outcome else 0.0
        unknown = "ok" if cached else "skipped"
        failure = node.failure
        status = failure.status if failure else "ok" if node.reading else unknown
        self._emit("finish", node, cached=cached, seconds=seconds, status=str(status))
        if not cached:
            complete = [cell for cell in self._cells[node] if is_complete(cell)]
            self._remember(complete, [row(cell) for cell in complete])
            for point in dict.fromkeys(cell.point for cell in complete):
                self._tell_rows(point)

    def _tell_rows(self, point: Point) -> None:
        """Tell the rows of a point, once, when all of them are complete."""
        cells = self._incomplete.get(point, ())
        if cells and all(map(is_complete, cells)):
            del self._incomplete[point]
            self._emit("measured", label=point.label,
                       rows=tuple({cell.seed: row(cell) for cell in cells}.values()))

    def _remember(self, cells: Sequence[Cell], rows: Sequence[Mapping[str, Any]]) -> None:
        self._store.remember_rows({cell.point.identity(cell.seed): found
                                   for cell, found in zip(cells, rows, strict=True)})

    def _take_ready(self, *, only_elaborate: bool = False) -> None:
        """Put what is ready in order."""
        for node in self._walk.ready:
            if only_elaborate and not node.stage.transparent:
                self._later.append(node)
                continue
            # Long ones first, so that all slots come to their end together.
            late = list(stages()).index(node.stage.name) if node.stage.name in stages() else 0
            heapq.heappush(self._ready[node.stage.lane],
                           (-node.weight, -late, next(self._order), node))
        self._walk.ready.clear()

    def _step(self) -> None:
        """Start what can start, and wait for the end of something."""
        self._start()
        if self._running:
            with contextlib.suppress(queue.Empty):
                self._collect(self._ended.get(timeout=_POLL_S if self._held else _LOOK_S))
        elif self._held or any(self._ready.values()):
            time.sleep(_POLL_S)
        self._walk.ready += self._held
        self._held.clear()

    def _start(self) -> None:
        """Start what is ready, as far as there is room."""
        busy = {running.node.key for running in self._running.values()}
        for lane, ready in self._ready.items():
            while ready and self._executor.has_room(lane):
                node = self._take(ready)
                if node.key in busy:
                    # Another node came to the same work, and finds it in the store then.
                    self._held.append(node)
                elif self._launch(node):
                    busy.add(node.key)

    def _take(self, ready: list[tuple]) -> Node:
        """Remove from a heap what is to be started next."""
        if len(ready) > self._executor.slots:
            return heapq.heappop(ready)[-1]
        # Soon a slot may be idle: an early stage makes others ready.
        entry = min(ready, key=lambda entry: (-entry[1], *entry))
        ready.remove(entry)
        heapq.heapify(ready)
        return entry[-1]

    def _launch(self, node: Node) -> bool:
        """Start a node, unless another process computes it or has done so; return whether."""
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
        future = self._executor.submit(task, workspace)
        self._emit("start", node, status="running")
        return future

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
        """Read the columns of a new outcome; one that makes no sense becomes a failure."""
        reading = reading_of(node, outcome, lambda name: unpacked(workspace, outcome.files, name))
        node.note(reading)
        failure = reading.failure
        if outcome.failure or failure is None or failure.stands(None):
            return outcome
        pack(workspace, ())
        return dataclasses.replace(outcome, failure=failure, facts={}, files={})

    def _check_room(self, outcome: Outcome) -> None:
        # Not every tool says why it could not write.
        if (outcome.status == "tool_error"
                and shutil.disk_usage(self._store.path).free < _ROOM_BYTES):
            raise DiskFull(f"Disk is full: {outcome.failure.message}; free some room in "
                           f"{self._store.path}, then the same command goes on")
