"""What limits the clock of each point, over all of its seeds."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from .labels import point_labels, present

if TYPE_CHECKING:
    import pandas

__all__ = ["limiting"]

#: What :func:`explore.netlist.critical_path.critical_path` writes.
_PATH = re.compile(r"(.+) to (.+): ([0-9.]+) ns logic, ([0-9.]+) ns routing, (\d+) levels")


def limiting(rows: pandas.DataFrame) -> list[dict[str, Any]]:
    """Return, for each point of a frame with a critical path, what limits its clock.

    Returns
    -------
    list of dict
        ``point``, the label; ``fmax_mhz``, the median, the smallest and the largest; ``between``,
        the registers between which the path lies most often; ``times``, the number of seeds with
        such a path, out of ``seeds``; ``levels``, ``logic_ns`` and ``routing_ns``, the medians of
        these seeds; ``routing``, the share of routing.
    """
    points: defaultdict[str, list[tuple[float, re.Match[str]]]] = defaultdict(list)
    for label, row in zip(point_labels(rows), rows.to_dict("records"), strict=True):
        match = _PATH.fullmatch(row["critical_path"]) if present(row["critical_path"]) else None
        if match and present(row["fmax_mhz"]):
            points[label].append((float(row["fmax_mhz"]), match))
    found = []
    for label, seeds in points.items():
        (ends, times), = Counter((match[1], match[2]) for _, match in seeds).most_common(1)
        own = [match for _, match in seeds if (match[1], match[2]) == ends]
        logic, routing = (statistics.median(float(match[number]) for match in own)
                          for number in (3, 4))
        speeds = [speed for speed, _ in seeds]
        found.append({
            "point": label, "fmax_mhz": [statistics.median(speeds), min(speeds), max(speeds)],
            "between": f"{ends[0]} … {ends[1]}", "times": times, "seeds": len(seeds),
            "levels": statistics.median(int(match[5]) for match in own), "logic_ns": logic,
            "routing_ns": routing, "routing": routing / (logic + routing or 1.0)})
    return found
