"""Finds the results of stages in the rows of earlier sweeps.

A row holds the recipe of every stage that its columns come from. Its columns for a stage are used
again if, and only if, the recipe is the same today. So the next sweep can begin from committed
results, on a machine whose store is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..data.seal import is_sealed
from ..outcome import Failure, Retry, Status
from .graph import Node, Reading
from .stages import stages

__all__ = ["Earlier"]

#: Statuses that the same tools would give again.
_FINAL = (Status.OK, Status.AREA_ONLY, Status.PARTIAL, Status.NO_FIT, Status.NO_FMAX)


class Earlier:
    """Rows of earlier sweeps, which can be found by core, target and seed."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Mapping[str, Any]] = {}

    def add(self, rows: Iterable[Mapping[str, Any]], *, sealed: bool = False) -> None:
        """Add rows of :func:`explore.pipeline.rows.row`.

        A row that was changed afterwards is left out. So is a failure that may not occur again.

        Parameters
        ----------
        sealed : bool
            Whether it is known that no row was changed; seals are not checked then.
        """
        for row in rows:
            if row.get("recipe") and (sealed or is_sealed(row)):
                last = _last(row)
                for stage, recipe in row["recipe"].items():
                    if stage != last or Status(row["status"]) in _FINAL:
                        self._rows[stage, recipe] = row
                    elif row["status"] == Status.TIMEOUT:
                        self._rows.setdefault((stage, recipe), row)

    def reading(self, node: Node) -> Reading | None:
        """Return the part of an earlier row that describes a stage; None if there is no such row.

        A timeout does not count if the time limit is longer now.
        """
        row = self._rows.get((node.stage.name, node.recipe))
        if row is None:
            return None
        name, failure = node.stage.name, None
        last, status = _last(row), Status(row["status"])
        if name == last and status == Status.TIMEOUT:
            limit_s = row.get(f"seconds_{name}") or 0
            if node.timeout_s is None or node.timeout_s > limit_s:
                return None
        if name == last and not status.is_success:
            message, _, log = (row["log"] or status).partition("\n")
            failure = Failure(status=status, message=message, log=log or message,
                              retry=Retry.LONGER if status == Status.TIMEOUT else Retry.NEVER,
                              limit_s=row.get(f"seconds_{name}"))
        program = node.stage.program(node.job)
        short = program.partition("-")[0]
        return Reading(
            failure=failure, key=row["key"] if name == last else None,
            columns={column.name: row.get(column.name) for column in node.stage.columns},
            host=row["host"], date=row["date"],
            arguments={key: value for key, value in row["arguments"].items() if key == program},
            versions={key: value for key, value in row["versions"].items()
                      if key in (short, "amaranth", "montgomery", "python")})


def _last(row: Mapping[str, Any]) -> str | None:
    """Return the last stage of which a row has the recipe; if a stage failed, it is that stage."""
    return next((name for name in reversed(stages()) if name in row["recipe"]), None)
