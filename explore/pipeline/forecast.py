"""Forecasts of the time that stages take, from the times that they took before."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ..store import Store
from .graph import Node

__all__ = ["Durations", "Forecast", "in_words"]

#: The time of a stage grows with this power of the width where nothing else is known.
_GROWTH = 1.5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Forecast:
    """The amount of work that a sweep has to do.

    Attributes
    ----------
    new, stored, failed : int
        Number of rows that need computation, that are known, and that are known to have failed.
    seconds : float or None
        Time of all that is to be computed, shared evenly by the slots; None if nothing like it was
        ever measured.
    """

    new: int
    stored: int
    failed: int
    slots: int
    seconds: float | None

    def __str__(self) -> str:
        counts = (f"{self.new} rows to measure, {self.stored} in the store, {self.failed} known to "
                  "fail")
        if not self.new:
            return counts
        if self.seconds is None:
            return f"{counts}; the time is unknown until something similar was measured"
        tools = "one tool" if self.slots == 1 else f"{self.slots} tools"
        return f"{counts}; about {in_words(self.seconds)} with {tools} at a time"


def in_words(seconds: float) -> str:
    """Return a rough time with one unit: ``40 seconds``, ``12 minutes``, ``2.5 hours``."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} seconds"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    hours = seconds / 3600
    return f"{hours:.1f} hours" if hours < 10 else f"{round(hours)} hours"


class Durations:
    """Times that stages took, by stage, core and width.

    Parameters
    ----------
    store : Store
        Open. Its rows count, and its outcomes of stages of which rows say nothing.
    rows : iterable of dict
        Rows from elsewhere, which count too.
    """

    def __init__(self, store: Store, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._store = store
        #: By stage and core, and by stage, the times by width.
        self._times: defaultdict[tuple, defaultdict[int, list[float]]] = defaultdict(
            lambda: defaultdict(list))
        self._others: dict[str, list[float]] = {}
        for row in (*store.rows(), *rows):
            for column, seconds in row.items():
                if column.startswith("seconds_") and isinstance(seconds, int | float):
                    stage = column.removeprefix("seconds_")
                    for core in ((row["kind"], row["arch"]), ()):
                        self._times[stage, *core][row["width"]].append(seconds)

    def seconds(self, node: Node) -> float | None:
        """Return how long a stage will take; None if it never ran.

        It is the median of the nearest width of the core, or of all cores if this one was never
        measured, scaled to the width.
        """
        params, stage = node.job.params, node.stage.name
        times = self._times.get((stage, params.kind, params.name())) or self._times.get((stage,))
        if not times:
            if stage not in self._others:
                self._others[stage] = self._store.recent_seconds(stage)
            return statistics.median(self._others[stage]) if self._others[stage] else None
        width = min(times, key=lambda each: abs(math.log(each / params.width)))
        return statistics.median(times[width]) * (params.width / width) ** _GROWTH

    def total(self, nodes: Iterable[Node]) -> float | None:
        """Return how long stages will take together; None if none of them ever ran.

        A stage that never ran is taken to last as long as the others do in the mean.
        """
        times = list(map(self.seconds, nodes))
        known = [seconds for seconds in times if seconds is not None]
        return len(times) * statistics.fmean(known) if known else None
