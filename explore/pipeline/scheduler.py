"""Takes nodes through their states, which :class:`explore.pipeline.node.State` shows.

A node needs an outcome if somebody wants it, or if a node that has to be computed depends on it.
Each method that changes a state says from which to which.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable

from ..errors import ClusterLost
from ..outcome import Outcome
from ..store import Store
from ..tools.compiler import ADVICE
from .executor import Executor, Lost
from .graph import Graph
from .knowledge import Knowledge
from .node import Node, State
from .running import Running
from .stage import Lane
from .stages import stages

__all__ = ["Scheduler", "Waiting"]


#: Seconds between two checks whether another process has finished a stage.
_POLL_S = 0.2
#: Seconds between two checks of the room that there is, which may change by itself.
_LOOK_S = 0.5


class Scheduler:
    """The nodes of a graph whose outcomes are wanted.

    Parameters
    ----------
    emit : callable
        Called as ``emit(kind, node, **more)`` with attributes of an event.
    on_done : callable
        Called as ``on_done(node, cached)`` when a node is done.

    Attributes
    ----------
    outstanding : int
        Number of nodes that are wanted and not done.
    """

    def __init__(self, store: Store, executor: Executor, graph: Graph, known: Knowledge,
                 emit: Callable[..., None], on_done: Callable[[Node, bool], None]) -> None:
        self._store, self._executor, self._graph, self._known = store, executor, graph, known
        self._emit, self._on_done = emit, on_done
        self._waiting = Waiting()
        self._running = Running(store, executor, lambda node, host: emit(
            "start", node, status="running", host=host))
        self._announced: set[str] = set()
        self._advised = False
        #: Why stages could not be computed that lost their machine too often, by key.
        self._abandoned: dict[str, str] = {}
        self.outstanding = 0

    @property
    def is_busy(self) -> bool:
        """Whether a node runs or waits."""
        return bool(self._running or self._waiting)

    @property
    def is_running(self) -> bool:
        """Whether a node runs."""
        return bool(self._running)

    @property
    def has_idle_slots(self) -> bool:
        """Whether more nodes could run than there are."""
        # Before the first worker joins a cluster it has no slots.
        busy = len(self._running.keys) + len(self._waiting)
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
        self._running.close()

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
            self._waiting.push(node)

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

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If a stage cannot be computed here and now.
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

        It stays READY if another process is computing it. A stage that was given up is not tried
        again.
        """
        if node.key in self._abandoned:
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
            self._emit("note", label=ADVICE)

    def _collect(self, timeout_s: float) -> None:
        """Wait until a node ends, and go on with those that waited for it: RUNNING to DONE.

        It goes back to BLOCKED if it read damaged files, or was given up.
        """
        ended = self._running.wait(timeout_s)
        if ended is None:
            return
        node, result = ended
        if isinstance(result, Outcome):
            self._finish(node, result)
            return
        node.enter(State.BLOCKED)
        if isinstance(result, Lost):
            damaged = node.inputs[result.args[0]]
            self._emit("note", label=f"files of {damaged.stage.name} {damaged.label} are damaged "
                                     "or gone, and are made again")
            self.remake(damaged)
        else:
            self._abandoned[node.key] = f"{node.stage.name} {node.label}: {result}"
            self._emit("note", label=self._abandoned[node.key])


class Waiting:
    """The nodes that can start: a heap for each lane, and nodes that wait for an equal one."""

    def __init__(self) -> None:
        self._heaps: dict[Lane, list[tuple]] = {lane: [] for lane in Lane}
        self._order = itertools.count()
        #: The index of each stage in a measurement.
        self._lateness = {name: index for index, name in enumerate(stages())}
        #: Nodes whose equal runs, here or in another process.
        self.held: list[Node] = []

    def __len__(self) -> int:
        return sum(map(len, self._heaps.values())) + len(self.held)

    def push(self, node: Node) -> None:
        """Add a node that can start."""
        # Long stages start first, so that all slots finish at about the same time. Of equal ones
        # the one that came first does; nodes themselves cannot be compared.
        lateness = self._lateness.get(node.stage.name, 0)
        heapq.heappush(self._heaps[node.stage.lane],
                       (-node.weight, -lateness, next(self._order), node))

    def pop(self, lane: Lane, slots: int, among: Callable[[Node], bool]) -> Node | None:
        """Remove the node of a lane that is to start next, and return it; None if there is none.

        As many tools as there are ``slots`` run at one time; ``among`` says whether a node may.
        """
        heap = self._heaps[lane]
        if len(heap) > slots and among(heap[0][-1]):
            return heapq.heappop(heap)[-1]
        # Slots may soon be idle. An early stage is best then, since others become ready after it.
        entry = min((entry for entry in heap if among(entry[-1])),
                    key=lambda entry: (-entry[1], *entry), default=None)
        if entry is None:
            return None
        heap.remove(entry)
        heapq.heapify(heap)
        return entry[-1]

    def release(self) -> None:
        """Let the nodes that are held try again."""
        held, self.held = self.held, []
        for node in held:
            self.push(node)
