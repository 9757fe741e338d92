"""Forecasts of the time that stages take, from the times that they took before."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from montgomery.core import kind_of, name_of

from ..data.labels import duration
from ..data.rows import stored_rows
from ..store import Store
from .node import Node

__all__ = ["Durations", "Forecast"]

#: Exponent of the width with which the time of a stage is assumed to grow.
_GROWTH = 1.5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Forecast:
    """The amount of work that a sweep has to do.

    Attributes
    ----------
    new, stored, failed : int
        Number of rows to be measured, of known rows, and of rows that are known to fail.
    slots : int
        Number of tools that run at one time.
    seconds : float or None
        Time of the computation, if the slots share it evenly; None if no similar stage ever ran.
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
        return f"{counts}; about {duration(self.seconds)} with {tools} at a time"


class Durations:
    """Times that stages took, by stage, core and width.

    Parameters
    ----------
    store : Store
        An open store. The times are those of its rows; if no row has a time for a stage, those of
        its outcomes.
    rows : iterable of dict
        Further rows, whose times count as well.
    """

    def __init__(self, store: Store, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._store = store
        #: From (stage, kind, core), (stage, kind) and (stage,) to the times in s by width.
        self._times: defaultdict[tuple, defaultdict[int, list[float]]] = defaultdict(
            lambda: defaultdict(list))
        self._others: dict[str, list[float]] = {}
        for row in (*stored_rows(store), *rows):
            for column, seconds in row.items():
                if column.startswith("seconds_") and isinstance(seconds, int | float):
                    stage = column.removeprefix("seconds_")
                    for cores in ((row["kind"], row["arch"]), (row["kind"],), ()):
                        self._times[stage, *cores][row["width"]].append(seconds)

    def seconds(self, node: Node) -> float | None:
        """Return the expected time of a stage in seconds; None if the stage never ran.

        It is the median time for the nearest width of the core, scaled to the width. If the core
        was never measured, the times of all cores of its kind count, or else of all cores.
        """
        params, stage = node.job.params, node.stage.name
        wanted = (stage, kind_of(params).name, name_of(params))
        times = next((self._times[wanted[:size]] for size in (3, 2, 1)
                      if wanted[:size] in self._times), None)
        if not times:
            if stage not in self._others:
                self._others[stage] = self._store.recent_seconds(stage)
            return statistics.median(self._others[stage]) if self._others[stage] else None
        # The width of a design may be 0: it has none.
        ratio, width = min(((max(params.width, 1) / max(each, 1), each) for each in times),
                           key=lambda each: abs(math.log(each[0])))
        return statistics.median(times[width]) * ratio ** _GROWTH

    def total(self, nodes: Iterable[Node]) -> float | None:
        """Return the expected total time of stages in seconds; None if none of them ever ran.

        A stage that never ran is assumed to take the mean time of the others.
        """
        times = list(map(self.seconds, nodes))
        known = [seconds for seconds in times if seconds is not None]
        return len(times) * statistics.fmean(known) if known else None
