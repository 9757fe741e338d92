"""The stages that can start, in the order in which they should."""

from __future__ import annotations

import heapq
import itertools

from .graph import Node
from .stage import Lane
from .stages import stages

__all__ = ["Ready"]


class Ready:
    """The nodes that can start, with a heap for each lane."""

    def __init__(self) -> None:
        self._heaps: dict[Lane, list[tuple]] = {lane: [] for lane in Lane}
        self._order = itertools.count()
        #: The index of each stage in a measurement.
        self._lateness = {name: index for index, name in enumerate(stages())}

    def __bool__(self) -> bool:
        return any(self._heaps.values())

    def __len__(self) -> int:
        return sum(map(len, self._heaps.values()))

    def has(self, lane: Lane) -> bool:
        """Return whether a node of a lane can start."""
        return bool(self._heaps[lane])

    def push(self, node: Node) -> None:
        """Add a node that can start."""
        # Long stages start first, so that all slots finish at about the same time. Of equal ones
        # the one that came first does; nodes themselves cannot be compared.
        lateness = self._lateness.get(node.stage.name, 0)
        heapq.heappush(self._heaps[node.stage.lane],
                       (-node.weight, -lateness, next(self._order), node))

    def pop(self, lane: Lane, slots: int) -> Node:
        """Remove the node of a lane that is to start next, and return it.

        Parameters
        ----------
        slots : int
            Number of tools that run at one time.
        """
        heap = self._heaps[lane]
        if len(heap) > slots:
            return heapq.heappop(heap)[-1]
        # Slots may soon be idle. An early stage is best then, since others become ready after it.
        entry = min(heap, key=lambda entry: (-entry[1], *entry))
        heap.remove(entry)
        heapq.heapify(heap)
        return entry[-1]
