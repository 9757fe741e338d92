"""Computes stages on an executor, and commits their outcomes to a store.

Sweeps, their plans, and single stages on demand all use a session. A node is in the state that
:class:`explore.pipeline.node.State` shows; each method of :class:`Session` that changes it says so.

Every elaboration needs an outcome, since the lineages of all other stages depend on it. Another
stage needs an outcome if a row needs its columns and no earlier row has them under the same
recipe, or if a stage that has to be computed depends on it.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from ..errors import ClusterLost
from ..outcome import Outcome, StageFailed
from ..store import Store
from ..tools.compiler import ADVICE
from ..tools.workspace import Tools
from .events import Event
from .executor import Executor
from .graph import Cell, Graph
from .knowledge import Knowledge
from .node import Node, State
from .rows import Rows
from .running import Running
from .stage import Job, Lane, Stage
from .waiting import Waiting

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
        self._known = Knowledge(store)
        self._waiting = Waiting()
        self._running = Running(store, self._executor, lambda node, host: self._emit(
            "start", node, status="running", host=host))
        self._rows = Rows(store, lambda point, rows: self._emit(
            "measured", label=point.label, rows=tuple(rows)))
        #: Nodes that somebody asked for, and those of them whose result is known.
        self._total = self._done = 0
        self._unelaborated = 0
        self._announced: set[str] = set()
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
        return list(self._graph.nodes.values())

    @property
    def to_compute(self) -> list[Node]:
        """The nodes that are to be computed, if no stage fails."""
        found = {node: None for node in self.nodes
                 if node.state in (State.BLOCKED, State.READY, State.RUNNING)}
        todo = list(found)
        while todo:
            fetched = self._graph.fetched(todo.pop())
            if fetched is not None and fetched.state is State.IDLE and fetched not in found \
                    and not self._is_known(fetched):
                found[fetched] = None
                todo.append(fetched)
        return list(found)

    def _is_known(self, node: Node) -> bool:
        """Return whether the store has the outcome of a node, as far as its key is known."""
        if not all(need.outcome for need in node.needs.values()):
            return False
        node.specify(self.tools)
        return self._known.outcome(node) is not None

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
        self._known.add(before, known)
        cells = [self._graph.cell(job) for job in jobs]
        self._unelaborated += len(cells)
        for cell in cells:
            self._rows.add(cell)
            for node in cell.elaborations:
                node.cells.append(cell)
        self._emit("plan")
        for cell in cells:
            for node in cell.elaborations:
                self._want(node)
            self._elaborated(cell)
        return cells

    def elaborate(self) -> None:
        """Elaborate all cores, and compute nothing else. All recipes are known afterwards."""
        while self._unelaborated:
            if not self._running:
                self._raise_abandoned()
            self._step(lambda node: node.stage.transparent)

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
        while True:
            while self._has_idle_slots and refill():
                pass
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
        stages = list(stages)
        elaborations = [node for stage in stages
                        for node in self._graph.elaborations(stage, job)]
        for node in elaborations:
            self._want(node)
        self.run()
        for node in elaborations:
            if node.failure is not None:
                raise StageFailed(node.failure)
        nodes = [self._graph.single(stage, job, without) for stage in stages]
        for node in nodes:
            self._want(node)
        self.run()
        return nodes

    def again(self, node: Node) -> None:
        """Compute a single stage again, because files of it are damaged or missing."""
        self._remake(node)
        self.run()

    # The states of nodes

    def _want(self, node: Node) -> None:
        """Ask for the outcome of a node, and of the earlier nodes that it needs: IDLE to BLOCKED.
        """
        if node.state is not State.IDLE:
            return
        node.enter(State.BLOCKED)
        self._total += 1
        if not node.is_vain:
            for need in node.needs.values():
                if not need.suffices:
                    self._want(need)
        self._advance(node)

    def _advance(self, node: Node) -> None:
        """Go on with a node if nothing before it is missing: BLOCKED to READY or DONE."""
        if node.state is not State.BLOCKED:
            return
        if node.is_vain:
            self._finish(node, None)
            return
        if not all(need.is_settled for need in node.needs.values()):
            return
        node.specify(self.tools)
        outcome = self._known.outcome(node)
        if outcome is not None:
            self._finish(node, outcome, cached=True)
            return
        fetched = self._graph.fetched(node)
        if fetched is not None and fetched.state is not State.DONE:
            self._want(fetched)
        elif fetched is not None and (fetched.outcome is None or fetched.failure):
            self._finish(node, None)
        else:
            node.enter(State.READY)
            self._waiting.push(node)

    def _finish(self, node: Node, outcome: Outcome | None, *, cached: bool = False) -> None:
        """Take the outcome of a node, whose reading was noted; None if an earlier stage failed.

        The state is DONE then. Later nodes go on, and rows that are complete are stored.
        """
        node.outcome = outcome
        node.enter(State.DONE)
        self._known.keep(node)
        self._tell(node, cached=cached)
        for cell in node.cells:
            self._elaborated(cell)
        for user in node.users:
            self._advance(user)
        if not cached:
            self._rows.finished(node.cells)

    def _remake(self, node: Node) -> None:
        """Compute a node again, whose files are damaged or missing: DONE to BLOCKED."""
        self._known.forget(node)
        node.outcome, node.reading, node.has_files = None, None, True
        if node.state is State.IDLE:
            self._want(node)
        elif node.state is State.DONE:
            node.enter(State.BLOCKED)
            self._advance(node)

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
                self._want(node)
            elif node.state is State.IDLE and len(node.cells) == 1:
                self._total += 1
                self._tell(node, cached=True)

    # The work of a session

    @property
    def _is_busy(self) -> bool:
        return bool(self._running or self._waiting)

    @property
    def _has_idle_slots(self) -> bool:
        # Before the first worker joins a cluster it has no slots.
        busy = len(self._running.keys) + len(self._waiting)
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
        self._on_event(Event(kind=kind, done=self._done, total=self._total, **more))

    def forecast(self, text: str) -> None:
        """Emit a ``forecast``: tell the user how much work there is."""
        self._emit("forecast", label=text)

    def note(self, text: str) -> None:
        """Emit a ``note``, which is a message to the user."""
        self._emit("note", label=text)

    def _tell(self, node: Node, *, cached: bool) -> None:
        """Emit the end of a node."""
        self._done += 1
        seconds = node.outcome.seconds if node.outcome else 0.0
        unknown = "ok" if cached else "skipped"
        failure = node.failure
        status = failure.status if failure else "ok" if node.reading else unknown
        host = node.outcome.host if node.outcome else ""
        self._emit("finish", node, cached=cached, seconds=seconds, status=str(status), host=host)

    def _step(self, among: Callable[[Node], bool] = lambda node: True) -> None:
        """Start the nodes that can start, and wait until one of the running nodes ends.

        Parameters
        ----------
        among : callable
            Returns whether a node may start.
        """
        self._executor.attend()
        self._waiting.release()
        busy = self._running.keys
        for lane in Lane:
            while self._executor.has_room(lane) and (
                    node := self._waiting.pop(lane, self._executor.slots, among)):
                if node.key in busy:
                    # An equal node is running. When it has ended, the store has the outcome.
                    self._waiting.held.append(node)
                elif self._start(node):
                    busy.add(node.key)
        if self._running:
            self._collect(_POLL_S if self._waiting.held else _LOOK_S)
        elif self._waiting:
            time.sleep(_POLL_S)

    def _start(self, node: Node) -> bool:
        """Start a node, and return whether it runs: READY to RUNNING, DONE or BLOCKED.

        It stays READY if another process is computing it.
        """
        if lacking := [source for source in node.inputs if not source.has_files]:
            node.enter(State.BLOCKED)
            for source in lacking:
                self._remake(source)
            return False
        lock = self._store.lock(node.key)
        if lock is None:
            if node.key not in self._announced:
                self._announced.add(node.key)
                self._emit("wait", node)
            self._waiting.held.append(node)
            return False
        try:
            outcome = self._known.outcome(node)
            if outcome is None:
                self._advise(node)
        except BaseException:
            lock.release()
            raise
        if outcome is not None:
            lock.release()
            self._finish(node, outcome, cached=True)
            return False
        node.enter(State.RUNNING)
        self._running.start(node, lock)
        return True

    def _advise(self, node: Node) -> None:
        """Say once how verification becomes quicker, if nothing is compiled for it."""
        if node.stage.name == "verify" and node.fetches is None and not self._advised:
            self._advised = True
            self.note(ADVICE)

    def _collect(self, timeout_s: float) -> None:
        """Wait until a node ends, and go on with those that waited for it: RUNNING to DONE.

        It goes back to BLOCKED if it read damaged files, or was given up.
        """
        ended = self._running.wait(timeout_s)
        if ended is None:
            return
        node = ended.node
        if ended.outcome is not None:
            self.computed.add(node)
            self._finish(node, ended.outcome)
            return
        node.enter(State.BLOCKED)
        if ended.damaged is not None:
            self.note(f"files of {ended.damaged.stage.name} {ended.damaged.label} are damaged or "
                      "gone, and are made again")
            self._remake(ended.damaged)
        else:
            self._abandoned.append(f"{node.stage.name} {node.label}: {ended.abandoned}")
            self.note(self._abandoned[-1])
