"""Computes the stages of a sweep in parallel, in an order that keeps all slots busy."""

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
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..errors import DiskFull
from ..outcome import Outcome
from ..store import Store, disk_full
from ..store.artefacts import Damaged, pack, unpack, unpacked
from ..tools.compiler import ADVICE, find_compiler
from ..tools.processes import Processes
from ..tools.toolbox import Toolbox
from .events import Event
from .graph import Cell, Graph, Node
from .reuse import Earlier
from .rows import is_complete, row
from .stage import Job, Lane, Workspace
from .stages import stages
from .tool_set import ToolSet
from .walk import Walk, reading_of
from .work import compute_somewhere, versions_of
from .worker import Workers

__all__ = ["Scheduler"]

#: Seconds between looks at what another sweep on the same store is computing.
_POLL_S = 0.2
#: A tool that fails with less room than this left on the disk failed for want of room.
_ROOM_BYTES = 1 << 22


class _Lost(Exception):
    """A stored file that a stage needs is not what was stored; the argument is its stage's node."""


@dataclasses.dataclass
class _Running:
    node: Node
    lock: Any
    workspace: Path


class Scheduler:
    """One sweep. The thread that calls :meth:`run` alone uses the store and emits events."""

    def __init__(self, store: Store, jobs: int, timeout_s: float | None,
                 on_event: Callable[[Event], None]) -> None:
        self._store, self._jobs, self._timeout_s = store, jobs, timeout_s
        self._on_event = on_event
        self._processes = Processes()
        self._workers = Workers(self._processes)
        self._toolbox = Toolbox(store, self._processes, self._emit)
        self._tools = ToolSet(self._toolbox, find_compiler())
        self._order = itertools.count()
        #: What is ready, and what waits for another sweep on this store.
        self._ready: list[tuple] = []
        self._held: list[Node] = []
        self._announced: set[str] = set()
        self._running: dict[Future, _Running] = {}
        # concurrent.futures.wait() takes the locks of all futures one by one. If Ctrl-C comes while
        # it does, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._cells: defaultdict[Node, list[Cell]] = defaultdict(list)
        self._done = self._total = self._rows = 0
        self._silent = True
        self._advised = False

    def run(self, jobs: Sequence[Job], before: Iterable[dict[str, Any]] = ()
            ) -> list[dict[str, Any]]:
        """Measure what is not known from the store or from the rows of ``before``."""
        graph = Graph(self._tools)
        cells = [graph.cell(job) for job in jobs]
        for cell in cells:
            for node in cell.nodes.values():
                if node.stage.columns:
                    self._cells[node].append(cell)
        self._total, self._rows = len(graph.nodes), len(cells)
        self._emit("plan")
        before = list(before)
        self._walk = Walk(cells, self._tools, self._store, Earlier(before, self._timeout_s),
                          self._timeout_s, self._finished)
        self._silent = not before
        self._compute()
        self._tell_reused()
        rows = [row(cell) for cell in cells]
        self._store.remember_rows({_identity(cell): found
                                   for cell, found in zip(cells, rows, strict=True)})
        return rows

    def _compute(self) -> None:
        try:
            with ThreadPoolExecutor(2 * self._jobs) as pool:
                try:
                    self._walk.start()
                    while self._walk.ready or self._ready or self._held or self._running:
                        self._step(pool)
                except BaseException:
                    # The pool's exit waits for its threads, and they for the processes.
                    self._processes.stop()
                    raise
        finally:
            self._workers.close()
            for running in self._running.values():
                self._store.discard(running.workspace)
                running.lock.release()

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage.name, **more}
        self._on_event(Event(kind=kind, done=self._done, total=self._total, **more))

    def _finished(self, node: Node, cached: bool) -> None:
        """Tell that all is known of a node, and store the rows that are complete with it."""
        self._done += 1
        seconds = node.outcome.seconds if node.outcome else 0.0
        unknown = "ok" if cached else "skipped"
        failure = node.failure
        status = failure.status if failure else "ok" if node.reading else unknown
        self._emit("finish", node, cached=cached, seconds=seconds, status=str(status))
        if not cached:
            self._store.remember_rows({_identity(cell): row(cell) for cell in self._cells[node]
                                       if is_complete(cell)})

    def _tell_reused(self) -> None:
        if self._walk.resolved and not self._silent:
            self._silent = True
            self._emit("note", label=f"{self._walk.reused} of {self._rows} rows are those that "
                                     "were measured before")

    def _step(self, pool: ThreadPoolExecutor) -> None:
        self._tell_reused()
        for node in self._walk.ready:
            # Long ones first, so that all slots come to their end together.
            rank = (-node.weight, -list(stages()).index(node.stage.name), next(self._order))
            heapq.heappush(self._ready, (*rank, node))
        self._walk.ready.clear()
        self._start(pool)
        if self._running:
            with contextlib.suppress(queue.Empty):
                self._collect(self._ended.get(timeout=_POLL_S if self._held else None))
        elif self._held:
            time.sleep(_POLL_S)
        self._walk.ready += self._held
        self._held.clear()

    def _start(self, pool: ThreadPoolExecutor) -> None:
        """Start what is ready, as far as there are slots."""
        waiting = []
        while self._ready:
            entry = heapq.heappop(self._ready)
            node = entry[-1]
            if not self._slot(node):
                waiting.append(entry)
            elif any(node.key == running.node.key for running in self._running.values()):
                # Another node came to the same work, and finds it in the store then.
                self._held.append(node)
            else:
                self._launch(node, pool)
        self._ready = waiting
        heapq.heapify(self._ready)

    def _slot(self, node: Node) -> bool:
        """Return whether there is a slot for a node.

        At most ``jobs`` tools run at once. Elaboration and verification use idle slots, and one
        more of low priority, so that they never hold up a tool.
        """
        python = sum(running.node.stage.lane == Lane.PYTHON for running in self._running.values())
        limit = python if node.stage.lane == Lane.PYTHON else len(self._running) - python
        return limit < self._jobs and len(self._running) <= self._jobs

    def _launch(self, node: Node, pool: ThreadPoolExecutor) -> None:
        lock = self._store.lock(node.key)
        if lock is None:
            if node.key not in self._announced:
                self._announced.add(node.key)
                self._emit("wait", node)
            self._held.append(node)
            return
        outcome = self._walk.known(node)
        if outcome is not None:
            lock.release()
            self._walk.finish(node, outcome, cached=True)
            return
        program = node.stage.program(node.job)
        if program:
            self._toolbox.warm(program)
        if node.stage.name == "verify" and node.fetches is None and not self._advised:
            self._advised = True
            self._emit("note", label=ADVICE)
        workspace = self._store.workspace(node.key)
        sources = [(source, self._store.files(source.key), source.outcome.files)
                   for source in (node.source, node.fetches) if source is not None]
        versions = versions_of(program, self._toolbox)
        self._emit("start", node, status="running")
        future = pool.submit(self._computed, node, workspace, sources, versions)
        self._running[future] = _Running(node, lock, workspace)
        future.add_done_callback(self._ended.put)

    def _computed(self, node: Node, folder: Path, sources: Sequence[tuple],
                  versions: Mapping[str, str]) -> Outcome:
        """Compute an outcome, in a thread of the pool, which must not use the store."""
        for source, files, hashes in sources:
            try:
                unpack(files, hashes, folder)
            except Damaged as error:
                raise _Lost(source) from error
        return compute_somewhere(node.stage, node.spec,
                                 Workspace(folder, self._processes, self._timeout_s), versions,
                                 self._workers)

    def _collect(self, future: Future) -> None:
        running = self._running.pop(future)
        node, workspace = running.node, running.workspace
        try:
            with disk_full(self._store.path):
                try:
                    outcome = future.result()
                except _Lost as lost:
                    self._store.discard(workspace)
                    running.lock.release()
                    self._again(lost.args[0], node)
                    return
            outcome = self._read(node, outcome, workspace)
            self._check_room(outcome)
            spec = {"stage": node.stage.name, **node.spec}
            self._store.commit(node.key, spec, outcome, workspace)
        except BaseException:
            self._store.discard(workspace)
            running.lock.release()
            raise
        running.lock.release()
        self._walk.finish(node, outcome)

    def _again(self, source: Node, user: Node) -> None:
        self._emit("note", label=f"files of {source.stage.name} {source.label} are damaged or "
                                 "gone, and are made again")
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


def _identity(cell: Cell) -> str:
    """Return the name under which the store keeps the latest row of a point and seed."""
    return cell.point.identity(cell.seed)
