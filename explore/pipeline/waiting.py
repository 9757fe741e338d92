"""The stages that can start, in the order in which they should."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable

from .node import Node
from .stage import Lane
from .stages import stages

__all__ = ["Waiting"]


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

        Parameters
        ----------
        slots : int
            Number of tools that run at one time.
        among : callable
            Returns whether a node may start now.
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
