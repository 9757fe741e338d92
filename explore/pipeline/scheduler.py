"""Takes nodes through their states, which :class:`explore.pipeline.graph.State` shows.

A node needs an outcome if somebody wants it, or if a node that has to be computed depends on it.
Each method that changes a state says from which to which. A stage that runs has a lock of its key,
and a workspace in the store.
"""

from __future__ import annotations

import dataclasses
import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from ..errors import ClusterLost, going_on
from ..outcome import Outcome
from ..store import Store
from ..store.artefacts import pack, unpacked
from ..store.folder import KeyLock
from ..tools.compiler import ADVICE
from .executor import Abandoned, Executor, Input, Lost, Task
from .graph import Graph, Node, State
from .knowledge import Knowledge, reading_of
from .stage import Lane
from .stages import stages

__all__ = ["Scheduler"]


@dataclasses.dataclass
class _Started:
    node: Node
    lock: KeyLock
    workspace: Path


#: Seconds between two checks whether another process has finished a stage.
_POLL_S = 0.2
#: Seconds between two checks of the room that there is, which may change by itself.
_LOOK_S = 0.5


class Scheduler:
    """The nodes of a graph whose outcomes are wanted, of which ``outstanding`` are not done.

    It calls ``emit(kind, node, **more)`` with attributes of an event, and ``on_done(node, cached)``
    when a node is done.
    """

    def __init__(self, store: Store, executor: Executor, graph: Graph, known: Knowledge,
                 emit: Callable[..., None], on_done: Callable[[Node, bool], None]) -> None:
        self._store, self._executor, self._graph, self._known = store, executor, graph, known
        self._emit, self._on_done = emit, on_done
        #: Nodes that can start, and those of them whose equal runs, here or in another process.
        self._waiting: list[Node] = []
        self._held: list[Node] = []
        self._running: dict[Future, _Started] = {}
        # Not concurrent.futures.wait(), which locks all futures one by one. If Ctrl-C interrupts
        # it, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._announced: set[str] = set()
        self._advised = False
        #: Why stages could not be computed that lost their machine too often, by key.
        self._abandoned: dict[str, str] = {}
        self.outstanding = 0

    @property
    def is_busy(self) -> bool:
        """Whether a node runs or waits."""
        return bool(self._running or self._waiting or self._held)

    @property
    def is_running(self) -> bool:
        """Whether a node runs."""
        return bool(self._running)

    @property
    def has_idle_slots(self) -> bool:
        """Whether more nodes could run than there are."""
        # Before the first worker joins a cluster it has no slots.
        busy = len(self._running) + len(self._waiting) + len(self._held)
        return busy < max(self._executor.slots, 1)

    def to_compute(self) -> list[Node]:
        """Return the nodes that are to be computed, if no stage fails."""
        found = {node: None for node in self._graph.nodes.values()
                 if node.state in (State.BLOCKED, State.READY, State.RUNNING)}
        todo = list(found)
        while todo:
            node = todo.pop()
            before = [*node.needs.values(), *filter(None, [self._graph.fetched(node)])]
            new = [each for each in before if each.state is State.IDLE and each not in found
                   and not each.suffices and not self._is_known(each)]
            found |= dict.fromkeys(new)
            todo += new
        return list(found)

    def _is_known(self, node: Node) -> bool:
        """Return whether the store has the outcome of a node, as far as its key is known."""
        if not all(need.outcome for need in node.needs.values()):
            return False
        node.specify(self._executor.tools)
        return self._known.outcome(node) is not None

    def raise_abandoned(self) -> None:
        """Raise ClusterLost if a node lost its machine too often."""
        if self._abandoned:
            first, *more = self._abandoned.values()
            others = f"; so were {len(more)} more stages" if more else ""
            raise ClusterLost(f"{first}{others}; all else is stored, and the same command tries "
                              "again")

    def close(self) -> None:
        """Give back locks and workspaces of nodes that had not ended when the executor did."""
        for started in self._running.values():
            self._give_back(started)
        self._running.clear()

    # The states

    def want(self, node: Node) -> None:
        """Ask for the outcome of a node, and of those that it needs: IDLE to BLOCKED."""
        if node.state is not State.IDLE:
            return
        node.enter(State.BLOCKED)
        self.outstanding += 1
        if not node.is_vain:
            for need in node.needs.values():
                if not need.suffices:
                    self.want(need)
        self._advance(node)

    def remake(self, node: Node) -> None:
        """Compute a node again, whose files are damaged or missing: DONE to BLOCKED."""
        if node.state is State.DONE:
            self._known.forget(node)
            node.outcome, node.reading = None, None
            node.enter(State.BLOCKED)
            self.outstanding += 1
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
        node.specify(self._executor.tools)
        outcome = self._known.outcome(node)
        if outcome is not None:
            self._finish(node, outcome, cached=True)
            return
        fetched = self._graph.fetched(node)
        if fetched is not None and fetched.state is not State.DONE:
            self.want(fetched)
        elif fetched is not None and (fetched.outcome is None or fetched.failure):
            self._finish(node, None)
        else:
            node.enter(State.READY)
            self._waiting.append(node)

    def _finish(self, node: Node, outcome: Outcome | None, *, cached: bool = False) -> None:
        """Take the outcome of a node, whose reading was noted; None if an earlier stage failed.

        The state is DONE then, and the nodes that wait for it go on.
        """
        node.outcome = outcome
        node.enter(State.DONE)
        self.outstanding -= 1
        self._known.keep(node)
        self._on_done(node, cached)
        for user in node.users:
            self._advance(user)

    # The work

    def step(self, among: Callable[[Node], bool] = lambda node: True) -> None:
        """Start the nodes that can start, of those for which ``among`` says yes, and wait until
        one of the running nodes ends.
        """
        self._executor.attend()
        self._waiting += self._held
        self._held.clear()
        busy = {started.node.key for started in self._running.values()}
        for lane in Lane:
            while self._executor.has_room(lane) and (
                    node := self._next(lane, among)):
                if node.key in busy:
                    # An equal node is running. When it has ended, the store has the outcome.
                    self._held.append(node)
                elif self._start(node):
                    busy.add(node.key)
        if self._running:
            self._collect(_POLL_S if self._held else _LOOK_S)
        elif self._waiting or self._held:
            time.sleep(_POLL_S)

    def _next(self, lane: Lane, among: Callable[[Node], bool]) -> Node | None:
        """Take away the waiting node of a lane that is to start next; None if there is none.

        Long stages start first, so that all slots finish at about the same time. Where slots may
        soon be idle, an early stage does, since others become ready after it.
        """
        able = [node for node in self._waiting if node.stage.lane is lane and among(node)]
        if not able:
            return None
        rank = {name: index for index, name in enumerate(stages())}

        def order(node: Node) -> tuple[int, int]:
            late = rank.get(node.stage.name, 0)
            is_full = len(able) > self._executor.slots
            return (-node.weight, -late) if is_full else (late, -node.weight)

        node = min(able, key=order)
        self._waiting.remove(node)
        return node

    def _start(self, node: Node) -> bool:
        """Start a node, and return whether it runs: READY to RUNNING, DONE or BLOCKED.

        It stays READY if another process is computing it.
        """
        if node.key in self._abandoned:
            # It is not tried again.
            node.enter(State.BLOCKED)
            return False
        lacking = [source for source in node.inputs
                   if source.state is not State.DONE or not source.outcome.files]
        if lacking:
            node.enter(State.BLOCKED)
            for source in lacking:
                self.remake(source)
            return False
        lock = self._store.lock(node.key)
        if lock is None:
            if node.key not in self._announced:
                self._announced.add(node.key)
                self._emit("wait", node)
            self._held.append(node)
            return False
        try:
            outcome = self._known.outcome(node)
            if outcome is None:
                self._advise(node)
                node.enter(State.RUNNING)
                self._run(node, lock)
                return True
        except BaseException:
            lock.release()
            raise
        lock.release()
        self._finish(node, outcome, cached=True)
        return False

    def _run(self, node: Node, lock: KeyLock) -> None:
        workspace = self._store.workspace(node.key)
        task = Task(stage=node.stage, spec=node.spec, key=node.key,
                    programs=node.stage.programs(node.job), timeout_s=node.timeout_s,
                    weight=node.weight, inputs=[Input(self._store.files(source.key),
                                                      source.outcome.files)
                                                for source in node.inputs])
        try:
            future = self._executor.submit(task, workspace)
        except BaseException:
            self._store.discard(workspace)
            raise
        self._running[future] = _Started(node, lock, workspace)
        future.add_done_callback(self._ended.put)
        self._emit("start", node, status="running")

    def _advise(self, node: Node) -> None:
        """Say once how verification becomes quicker, if nothing is compiled for it."""
        if node.stage.name == "verify" and node.fetches is None and not self._advised:
            self._advised = True
            self._emit("note", label=ADVICE)

    def _collect(self, timeout_s: float) -> None:
        """Wait until a node ends, and go on with those that waited for it: RUNNING to DONE.

        It goes back to BLOCKED if it read damaged files, or was given up.
        """
        try:
            future = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            return
        started = self._running.pop(future)
        node = started.node
        try:
            outcome = self._stored(node, future, started.workspace)
        except (Lost, Abandoned) as error:
            outcome, lost = None, error
        finally:
            # If the outcome was stored, the workspace is gone already.
            self._give_back(started)
        if outcome is not None:
            self._finish(node, outcome)
            return
        node.enter(State.BLOCKED)
        if isinstance(lost, Lost):
            damaged = node.inputs[lost.args[0]]
            self._emit("note", label=f"files of {damaged.stage.name} {damaged.label} are damaged "
                                     "or gone, and are made again")
            self.remake(damaged)
        else:
            self._abandoned[node.key] = f"{node.stage.name} {node.label}: {lost}"
            self._emit("note", label=self._abandoned[node.key])

    def _stored(self, node: Node, future: Future, workspace: Path) -> Outcome:
        """Store the outcome of a node that ended, and note its reading.

        If its files make no sense, the outcome is a failure.
        """
        with going_on(f"cannot write in {self._store.path}"):
            outcome = future.result()
        reading = reading_of(node, outcome, lambda name: unpacked(workspace, outcome.files, name),
                             self._store)
        node.note(reading)
        failure = reading.failure
        if not outcome.failure and failure is not None and not failure.stands(None):
            pack(workspace, ())
            outcome = dataclasses.replace(outcome, failure=failure, facts={}, files={})
        self._store.commit(node.key, {"stage": node.stage.name, **node.spec}, outcome, workspace)
        return outcome

    def _give_back(self, started: _Started) -> None:
        self._store.discard(started.workspace)
        started.lock.release()
