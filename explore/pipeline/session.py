"""Computes stages on an executor, and commits their outcomes to a store.

Sweeps, their plans, and single stages on demand all use a session.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from ..errors import ClusterLost
from ..outcome import Outcome
from ..store import Store
from ..tools.compiler import ADVICE
from ..tools.workspace import Tools
from .completed import CompletedRows
from .events import Event
from .executor import Executor
from .graph import Cell, Graph, Node
from .ready import Ready
from .running import Running
from .stage import Job, Lane, Stage
from .walk import Walk

__all__ = ["Session"]

#: Seconds between two checks whether another process has finished a stage.
_POLL_S = 0.2
#: Seconds between two checks of the room that there is, which may change by itself.
_LOOK_S = 0.5


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
        self._ready = Ready()
        #: Nodes that are ready, but wait until all cores are elaborated.
        self._later: list[Node] = []
        #: Nodes that wait until an equal node is finished, here or in another process.
        self._held: list[Node] = []
        self._announced: set[str] = set()
        self._running = Running(store, self._executor, lambda node, host: self._emit(
            "start", node, status="running", host=host))
        self._rows = CompletedRows(store, lambda point, rows: self._emit(
            "measured", label=point.label, rows=tuple(rows)))
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
            self._running.close()

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

    def add(self, jobs: Iterable[Job], before: Iterable[Mapping[str, Any]] = (),
            known: Mapping[str, Outcome] = types.MappingProxyType({})) -> list[Cell]:
        """Ask for the rows of jobs, and return their cells.

        Parameters
        ----------
        before : iterable of dict
            Rows of earlier sweeps. A stage that they describe is not computed.
        known : dict from str to Outcome
            Outcomes by key. Stages whose files another stage needs are computed nevertheless.

        Raises
        ------
        ToolMissing
            If a program that a stage needs is missing.
        """
        cells = [self._graph.cell(job) for job in jobs]
        for cell in cells:
            self._rows.add(cell)
        self._emit("plan")
        self._walk.add(cells, before, known)
        return cells

    def elaborate(self) -> None:
        """Elaborate all cores, and compute nothing else. All recipes are known afterwards."""
        while not self._walk.resolved:
            self._take_ready(only_elaborate=True)
            if not self._is_busy:
                self._raise_abandoned()
            self._step()

    def run(self, refill: Callable[[], bool] = lambda: False) -> None:
        """Compute everything that was asked for.

        Parameters
        ----------
        refill : callable
            Called whenever more stages could run than there are. It may :meth:`add` jobs, and
            returns whether it did. The session ends when it did not, and nothing is left to do.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If a stage cannot be computed here and now.
        ClusterLost
            If everything is computed, apart from stages that lost their machine too often.
        """
        self._walk.ready += self._later
        self._later.clear()
        while True:
            self._take_ready()
            while self._has_idle_slots and refill():
                self._take_ready()
            if not self._is_busy:
                break
            self._step()
        self._raise_abandoned()

    def rows(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Return the rows of complete cells, and store them."""
        return self._rows.store(cells)

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
        return bool(self._held or self._running or self._ready)

    @property
    def _has_idle_slots(self) -> bool:
        # Before the first worker joins a cluster it has no slots.
        busy = len(self._running.keys) + len(self._ready) + len(self._held)
        return busy < max(self._executor.slots, 1)

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
            self._rows.finished(node)

    def _take_ready(self, *, only_elaborate: bool = False) -> None:
        """Take nodes that the walk made ready."""
        if not only_elaborate:
            self._walk.restore()
        for node in self._walk.ready:
            if only_elaborate and not node.stage.transparent:
                self._later.append(node)
            else:
                self._ready.push(node)
        self._walk.ready.clear()

    def _step(self) -> None:
        """Start the nodes that can start, and wait until one of the running nodes ends."""
        self._executor.attend()
        self._start()
        if self._running:
            self._collect(_POLL_S if self._held else _LOOK_S)
        elif self._held or self._ready:
            time.sleep(_POLL_S)
        self._walk.ready += self._held
        self._held.clear()

    def _start(self) -> None:
        """Start nodes that are ready, as long as the executor has room."""
        busy = self._running.keys
        for lane in Lane:
            while self._ready.has(lane) and self._executor.has_room(lane):
                node = self._ready.pop(lane, self._executor.slots)
                if node.key in busy:
                    # An equal node is running. When it has ended, the store has the outcome.
                    self._held.append(node)
                elif self._launch(node):
                    busy.add(node.key)

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
        try:
            outcome = self._walk.known(node)
            if outcome is None:
                self._advise(node)
        except BaseException:
            lock.release()
            raise
        if outcome is not None:
            lock.release()
            self._walk.finish(node, outcome, cached=True)
            return False
        self._running.start(node, lock)
        return True

    def _advise(self, node: Node) -> None:
        """Say once how verification becomes quicker, if nothing is compiled for it."""
        if node.stage.name == "verify" and node.fetches is None and not self._advised:
            self._advised = True
            self.note(ADVICE)

    def _collect(self, timeout_s: float) -> None:
        """Wait until a node ends, and go on with those that waited for it."""
        ended = self._running.wait(timeout_s)
        if ended is None:
            return
        node = ended.node
        if ended.damaged is not None:
            self.note(f"files of {ended.damaged.stage.name} {ended.damaged.label} are damaged or "
                      "gone, and are made again")
            self._walk.lost(ended.damaged, node)
        elif ended.abandoned:
            self._abandoned.append(f"{node.stage.name} {node.label}: {ended.abandoned}")
            self.note(self._abandoned[-1])
        else:
            self.computed.add(node)
            self._walk.finish(node, ended.outcome)
