"""Computes the stages of a sweep in parallel, in an order that keeps all slots busy."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import queue
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .events import Event
from .graph import Builder, Cell, Node, reusable, seeds_of
from .points import Point
from .processes import Processes
from .rows import identity, row
from .simulation.compiler import ADVICE, find_compiler
from .stages import PYTHON_STAGES, STAGES, run_stage
from .standing import Standing
from .store import Store, disk_full
from .toolbox import Toolbox
from .tools import DiskFull
from .worker import Workers

__all__ = ["Scheduler"]

#: Seconds between looks at what another sweep on the same store is computing.
_POLL_S = 0.2
#: A tool that fails with less room than this left on the disk failed for want of room.
_ROOM_BYTES = 1 << 22


class Scheduler:
    """One sweep. The thread that calls :meth:`run` alone uses the store and emits events."""

    def __init__(self, store: Store, jobs: int, timeout_s: float | None,
                 on_event: Callable[[Event], None]) -> None:
        self._store, self._jobs, self._timeout_s = store, jobs, timeout_s
        self._on_event = on_event
        self._processes = Processes()
        self._workers = Workers(self._processes)
        self._tools = Toolbox(store, self._processes, self._emit)
        self._order = itertools.count()
        self._ready: list[tuple] = []
        self._held: list[Node] = []
        self._announced: set[str] = set()
        self._running: dict[Future, tuple[Node, Any, Path]] = {}
        # concurrent.futures.wait() takes the locks of all futures one by one. If Ctrl-C comes while
        # it does, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._failed_here: dict[str, dict[str, Any]] = {}
        self._cells: defaultdict[Node, list[Cell]] = defaultdict(list)
        self._done = self._total = 0
        self._advised = False

    def run(self, points: Mapping[Point, int],
            before: Iterable[dict[str, Any]] = ()) -> list[dict[str, Any]]:
        """Measure points, but for those that a row of ``before`` stands for."""
        builder = Builder(self._tools.version, find_compiler())
        seeded = seeds_of(points)
        found = self._standing(builder, seeded, before)
        cells = [builder.cell(*each) for each in seeded if each not in found]
        for cell in cells:
            self._cells[cell.last].append(cell)
        self._compute(builder.nodes())
        found |= {(cell.point, cell.seed): row(cell) for cell in cells}
        self._store.remember_rows({identity(*each): found[each] for each in seeded})
        return [found[each] for each in seeded]

    def _standing(self, builder: Builder, seeded: list[tuple[Point, int]],
                  before: Iterable[dict[str, Any]]) -> dict[tuple[Point, int], dict[str, Any]]:
        """Return the rows that stand; to know that, their points are elaborated."""
        standing = Standing(before, self._tools.version, self._timeout_s)
        designs = {each: builder.design(each[0]) for each in seeded if standing.candidate(*each)}
        if not designs:
            return {}
        self._compute(builder.nodes())
        rows = {each: standing.row(*each, node.outcome) for each, node in designs.items()}
        found = {each: row for each, row in rows.items() if row}
        self._emit("note", label=f"{len(found)} of {len(seeded)} rows stand as they were measured "
                                 "before")
        return found

    def _compute(self, nodes: list[Node]) -> None:
        self._total = len(nodes)
        self._emit("plan")
        try:
            with ThreadPoolExecutor(2 * self._jobs) as pool:
                try:
                    self._loop(nodes, pool)
                except BaseException:
                    # The pool's exit waits for its threads, and they for the processes.
                    self._processes.stop()
                    raise
        finally:
            self._workers.close()
            for _node, lock, workspace in self._running.values():
                self._store.discard(workspace)
                lock.release()

    def _loop(self, nodes: list[Node], pool: ThreadPoolExecutor) -> None:
        for node in nodes:
            if node.ready and not node.admitted:
                self._admit(node)
        while self._done < self._total:
            self._step(pool)

    def _emit(self, kind: str, node: Node | None = None, **more: Any) -> None:
        if node is not None:
            more = {"key": node.key or "", "label": node.label, "stage": node.stage, **more}
        self._on_event(Event(kind=kind, done=self._done, total=self._total, **more))

    def _admit(self, node: Node) -> None:
        """Look at a node whose needs are finished: finish it, or queue it."""
        node.admitted = True
        if not node.possible:
            self._finish(node, None, cached=False)
            return
        node.resolve()
        outcome = self._known(node)
        if outcome is not None:
            self._finish(node, outcome, cached=True)
        else:
            # Long ones first, so that all slots come to their end together.
            rank = (-node.weight, -STAGES.index(node.stage), next(self._order))
            heapq.heappush(self._ready, (*rank, node))

    def _known(self, node: Node) -> dict[str, Any] | None:
        if node.key in self._failed_here:
            return self._failed_here[node.key]
        outcome = self._store.outcome(node.key)
        return outcome if reusable(outcome, self._timeout_s) else None

    def _step(self, pool: ThreadPoolExecutor) -> None:
        self._start(pool)
        if self._running:
            with contextlib.suppress(queue.Empty):
                self._collect(self._ended.get(timeout=_POLL_S if self._held else None))
        else:
            time.sleep(_POLL_S)
        for node in self._held:
            self._admit(node)
        self._held.clear()

    def _start(self, pool: ThreadPoolExecutor) -> None:
        """Start what is ready, as far as there are slots."""
        waiting = []
        while self._ready:
            entry = heapq.heappop(self._ready)
            node = entry[-1]
            if not self._slot(node):
                waiting.append(entry)
            elif any(node.key == other.key for other, _, _ in self._running.values()):
                # Another node came to the same work, and finds it in the store then.
                self._held.append(node)
            else:
                self._launch(node, pool)
        self._ready = waiting
        heapq.heapify(self._ready)

    def _slot(self, node: Node) -> bool:
        python = sum(other.stage in PYTHON_STAGES for other, _, _ in self._running.values())
        limit = python if node.stage in PYTHON_STAGES else len(self._running) - python
        return limit < self._jobs and len(self._running) <= self._jobs

    def _launch(self, node: Node, pool: ThreadPoolExecutor) -> None:
        lock = self._store.lock(node.key)
        if lock is None:
            if node.key not in self._announced:
                self._announced.add(node.key)
                self._emit("wait", node)
            self._held.append(node)
            return
        outcome = self._known(node)
        if outcome is not None:
            lock.release()
            self._finish(node, outcome, cached=True)
            return
        if node.stage not in PYTHON_STAGES:
            self._tools.warm(node.spec["tool"])
        if node.stage == "verify" and node.source is None and not self._advised:
            self._advised = True
            self._emit("note", label=ADVICE)
        workspace = self._store.workspace(node.key)
        inputs = node.source and self._store.files(node.source.key)
        self._emit("start", node, status="running")
        if node.stage in PYTHON_STAGES:
            future = pool.submit(self._workers.run_stage, node.spec, workspace, inputs,
                                 self._timeout_s)
        else:
            future = pool.submit(run_stage, node.spec, workspace, inputs,
                                 processes=self._processes, timeout_s=self._timeout_s)
        self._running[future] = (node, lock, workspace)
        future.add_done_callback(self._ended.put)

    def _collect(self, future: Future) -> None:
        node, lock, workspace = self._running.pop(future)
        try:
            with disk_full(self._store.path):
                outcome = future.result()
            self._check_room(outcome)
            self._store.commit(node.key, node.spec, outcome, workspace)
        except BaseException:
            self._store.discard(workspace)
            raise
        finally:
            lock.release()
        if not reusable(outcome, self._timeout_s):
            self._failed_here[node.key] = outcome
        self._finish(node, outcome, cached=False)

    def _check_room(self, outcome: dict[str, Any]) -> None:
        # Not every tool says why it could not write.
        if (outcome["status"] == "tool_error"
                and shutil.disk_usage(self._store.path).free < _ROOM_BYTES):
            raise DiskFull(f"Disk is full: {outcome['message']}; free some room in "
                           f"{self._store.path}, then the same command goes on")

    def _finish(self, node: Node, outcome: dict[str, Any] | None, *, cached: bool) -> None:
        node.outcome, node.finished = outcome, True
        self._done += 1
        self._emit("finish", node, cached=cached, seconds=outcome["seconds"] if outcome else 0.0,
                   status=outcome["status"] if outcome else "skipped")
        if node in self._cells and not cached:
            self._store.remember_rows({identity(cell.point, cell.seed): row(cell)
                                       for cell in self._cells[node]})
        for user in node.users:
            # A user of two nodes, of which one was finished just now on account of the other, is
            # ready for both.
            if user.ready and not user.admitted:
                self._admit(user)
