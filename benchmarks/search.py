"""How many placements a search needs: replays on a set of points that were all measured.

    python benchmarks/search.py [--rows results/search/rows.jsonl] [--repeats 20] [--output DIR]

Each replay hides all frequencies, and uncovers one when its point is asked for. Every repeat takes
other nine tenths of the points, in another order. The methods are

- ``search``: what ``montgomery sweep --objectives`` does;
- ``proofs``: points in random order, but those that a proof excludes are skipped;
- ``random``: points in random order.

Hypervolume is that of what was found over that of all points; on each axis ratios count, and the
reference point lies a tenth of the range beyond the worst point. ADRS is the average distance from
the front of all points. Writes ``search.jsonl`` and ``search.png``.

Exit status 1 if ``search`` misses a hypervolume of 0.99 or an ADRS of 1 % after 15 % of the
placements, on the average of the repeats.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import matplotlib
import numpy

from explore.data.frame import earlier
from explore.data.objectives import Objective, objectives
from explore.devices import target
from explore.pipeline.search.front import Scale, hypervolume, on_front
from explore.pipeline.search.searcher import Candidate, Searcher
from explore.points.point import Point

_SHARE, _VOLUME, _ADRS = 0.15, 0.99, 0.01
#: Share of the points that each curve covers.
_DRAWN = 0.35
_GOALS = (("latency", "area"), ("interval", "area", "blocks"))
_RESULTS = Path(__file__).parents[1] / "results" / "search"

#: A candidate with the frequency that nextpnr reports for it.
Measured = tuple[Candidate, float]


def candidate(point: Point, row: dict) -> Candidate:
    """Return the candidate of a point whose row has its area and clocks."""
    device = target(point.target)
    return Candidate(
        name=point.label, group=(point.kind, point.target), counted=row,
        limit_mhz=device.usable_mhz(math.inf, row),
        arch=point.name, core=(point.name, point.params))


def _is_placed(row: dict) -> bool:
    return row["status"] == "ok" and row["seed"] == 1 and row["fmax_mhz"] is not None


def measured(path: Path) -> list[Measured]:
    """Return the points of a file of rows that were placed with seed 1."""
    return [(candidate(Point.from_row(row), row), row["fmax_mhz"])
            for row in earlier(path) if _is_placed(row)]


# Methods: each yields the indices of the points in the order in which they are placed


def by_search(points: Sequence[Measured], goals: Sequence[Objective],
              rng: random.Random) -> Iterator[int]:
    searcher = Searcher([each for each, _ in points], goals)
    while (placement := searcher.ask()) is not None:
        index, seed = placement
        yield index
        searcher.tell(index, seed, points[index][1])


def by_proofs(points: Sequence[Measured], goals: Sequence[Objective],
              rng: random.Random) -> Iterator[int]:
    searcher = Searcher([each for each, _ in points], goals)
    while left := searcher.open():
        index = rng.choice(left)
        yield index
        searcher.tell(index, 1, points[index][1])


def at_random(points: Sequence[Measured], goals: Sequence[Objective],
              rng: random.Random) -> Iterator[int]:
    yield from rng.sample(range(len(points)), len(points))


METHODS: dict[str, Callable[..., Iterator[int]]] = {
    "search": by_search, "proofs": by_proofs, "random": at_random}


# Replays


def adrs(reference: numpy.ndarray, found: numpy.ndarray) -> float:
    """Return the average distance from a reference set: how much worse what was found is.

    For each row of the reference front, it is the smallest over the rows found of the largest
    relative excess in a column. Relative to a number of 0 it is the excess itself.
    """
    if not len(found):
        return float("inf")
    scale = numpy.abs(reference)
    scale = numpy.where(scale == 0, 1.0, scale)
    excess = (found[None, :, :] - reference[:, None, :]) / scale[:, None, :]
    return float(numpy.maximum(excess.max(axis=2), 0).min(axis=1).mean())


def true_costs(points: Sequence[Measured], goals: Sequence[Objective]) -> numpy.ndarray:
    """Return the costs of all points, one row each."""
    searcher = Searcher([each for each, _ in points], goals)
    for index, (_, fmax_mhz) in enumerate(points):
        searcher.tell(index, 1, fmax_mhz)
    return numpy.array([searcher.costs[index] for index in range(len(points))])


def replay(points: Sequence[Measured], goals: Sequence[Objective], method: str,
           rng: random.Random, most: int) -> list[tuple[float, float]]:
    """Return hypervolume and ADRS after 1, 2… placements; the last ones stay if it ends."""
    costs = true_costs(points, goals)
    scale, front = Scale(costs), costs[on_front(costs)]
    whole = hypervolume(scale(front))
    found: list[int] = []
    curve: list[tuple[float, float]] = []
    for index in METHODS[method](points, goals, rng):
        found.append(index)
        here = costs[found]
        curve.append((hypervolume(scale(here)) / whole, adrs(front, here)))
        if len(found) >= most:
            break
    return curve + curve[-1:] * (most - len(curve))


def replays(points: Sequence[Measured], names: Sequence[str], method: str, repeats: int) -> dict:
    """Return the mean curves of a method, and its figures at the goal's share of placements."""
    goals, begin = objectives(",".join(names)), time.monotonic()
    curves = []
    for repeat in range(repeats):
        rng = random.Random(f"{repeat} {names}")
        part = rng.sample(points, round(0.9 * len(points)))
        most = math.ceil(len(part) * _DRAWN)
        curves.append(replay(part, goals, method, rng, most))
    length = min(map(len, curves))
    place = min(math.floor(_SHARE * round(0.9 * len(points))), length) - 1
    volumes, distances = ([curve[place][which] for curve in curves] for which in (0, 1))
    return {"objectives": list(names), "method": method, "points": len(points),
            "repeats": repeats, "placements": place + 1,
            "hypervolume": statistics.fmean(volumes), "hypervolume_min": min(volumes),
            "adrs": statistics.fmean(distances), "adrs_max": max(distances),
            "seconds": time.monotonic() - begin,
            "curve": [[statistics.fmean(curve[step][0] for curve in curves),
                       statistics.fmean(curve[step][1] for curve in curves)]
                      for step in range(length)]}


def _draw(rows: Sequence[dict], path: Path) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, len(_GOALS), figsize=(9, 6), layout="constrained",
                                   squeeze=False, sharex="col")
    for column, names in enumerate(_GOALS):
        for row in rows:
            if tuple(row["objectives"]) != names:
                continue
            count = round(0.9 * row["points"])
            shares = [100 * (step + 1) / count for step in range(len(row["curve"]))]
            for line, (axes, which) in enumerate(zip(grid[:, column], (0, 1), strict=True)):
                axes.plot(shares, [max((1 - each[0]) if line == 0 else each[which], 1e-5)
                                   for each in row["curve"]], label=row["method"])
        grid[0, column].set(title=" / ".join(names), yscale="log", ylabel="1 - hypervolume")
        grid[1, column].set(yscale="log", ylabel="ADRS", xlabel="Placements, % of all points")
        for axes, limit in zip(grid[:, column], (1 - _VOLUME, _ADRS), strict=True):
            axes.axhline(limit, color="0.6", linewidth=0.8)
            axes.axvline(100 * _SHARE, color="0.6", linewidth=0.8)
            axes.grid(alpha=0.3)
    grid[0, 0].legend(frameon=False)
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=Path, default=_RESULTS / "rows.jsonl")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--output", type=Path, default=_RESULTS, help="folder")
    given = parser.parse_args()
    points = measured(given.rows) if given.rows.is_file() else []
    if not points:
        parser.error(f"--rows must name a file with rows of status ok and seed 1, not {given.rows};"
                     " measure them by 'montgomery sweep results/search'")
    rows = []
    for names in _GOALS:
        for method in METHODS:
            rows.append(replays(points, names, method, given.repeats))
            print("{objectives} {method}: after {placements} of {points} points hypervolume "
                  "{hypervolume:.4f} (least {hypervolume_min:.4f}), ADRS {adrs:.2%} (most "
                  "{adrs_max:.2%}); {seconds:.0f} s".format(**rows[-1]), flush=True)
    given.output.mkdir(parents=True, exist_ok=True)
    # Figures of the machine stay out of what is committed.
    (given.output / "search.jsonl").write_text("".join(json.dumps(
        {name: value for name, value in row.items() if name != "seconds"}) + "\n" for row in rows))
    _draw(rows, given.output / "search.png")
    return int(any(row["hypervolume"] < _VOLUME or row["adrs"] > _ADRS
                   for row in rows if row["method"] == "search"))


if __name__ == "__main__":
    sys.exit(main())
