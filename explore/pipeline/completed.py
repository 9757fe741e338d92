"""The rows of a session, stored and told as soon as they are complete."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..data.stored import stored_row
from ..outcome import Status
from ..points.point import Point
from ..store import Store
from .graph import Cell, Node
from .rows import is_complete, row

__all__ = ["CompletedRows"]


class CompletedRows:
    """Stores the rows of cells as they become complete.

    Parameters
    ----------
    store : Store
        An open store.
    on_measured : callable
        Called as ``on_measured(point, rows)`` when all rows of a point are complete.
    """

    def __init__(self, store: Store,
                 on_measured: Callable[[Point, list[dict[str, Any]]], None]) -> None:
        self._store, self._on_measured = store, on_measured
        self._cells: defaultdict[Node, list[Cell]] = defaultdict(list)
        #: All cells of each point whose rows are not complete.
        self._incomplete: defaultdict[Point, list[Cell]] = defaultdict(list)

    def add(self, cell: Cell) -> None:
        """Watch a cell."""
        self._incomplete[cell.point].append(cell)
        for node in cell.nodes.values():
            if node.stage.columns:
                self._cells[node].append(cell)

    def finished(self, node: Node) -> None:
        """Store the rows that a node completes, which is finished now."""
        complete = [cell for cell in self._cells[node] if is_complete(cell)]
        self.store(complete)
        for point in dict.fromkeys(cell.point for cell in complete):
            self._tell(point)

    def _tell(self, point: Point) -> None:
        """Tell the rows of a point, once, if all of them are complete."""
        cells = self._incomplete.get(point, ())
        if cells and all(map(is_complete, cells)):
            del self._incomplete[point]
            self._on_measured(point, list({cell.seed: row(cell) for cell in cells}.values()))

    def store(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """Store the rows of complete cells, and return them.

        The row of a partial measurement does not replace a row that says the same and more.
        """
        rows = [row(cell) for cell in cells]
        named = {cell.point.identity(cell.seed): found
                 for cell, found in zip(cells, rows, strict=True)}
        self._store.remember_rows({identity: found for identity, found in named.items()
                                   if not self._adds_nothing(identity, found)})
        return rows

    def _adds_nothing(self, identity: str, found: Mapping[str, Any]) -> bool:
        if found["status"] != Status.PARTIAL:
            return False
        stored = stored_row(self._store, identity)
        return stored is not None and found["recipe"].items() <= stored.get("recipe", {}).items()
