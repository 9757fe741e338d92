"""Whether small seeds of nextpnr are as good as large random ones.

    python benchmarks/seeds.py [--store PATH] [--jobs 1] [--count 16] [--output results]

nextpnr feeds its seed to a linear generator, so that neighbouring seeds might give placements that
are alike. Ten designs are placed with the seeds 1 to 16, and with 16 seeds of nine digits. Of each
design the spread of both is compared (the ratio of the standard deviations, with Levene's test by
permutations), and so are the medians. If neighbouring seeds were alike, frequencies of seeds next
to each other would be correlated, so that is computed too. Writes ``seeds.jsonl`` with a line for
each design, and a last one for all of them, which says whether small seeds are alike to large ones:
if neither the spread nor the medians of all designs differ (p >= 0.05), a sweep goes on to take the
seeds 1, 2, 3. Exit status 1 if they differ, since the default should then change.

The store keeps the rows; benchmarks/compare.py takes its trials from them.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import permutation_test

from explore.pipeline.run import Sweep, run
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store, default_path

#: Cores, width and parameters of the designs, all on one device.
DESIGNS = (("mmm_mx_1d", 16, {}), ("mmm_mx_1d", 32, {"arrangement": ["row"]}),
           ("mmm_cs_1d", 16, {}), ("mmm_cs_1d", 32, {}), ("mmm_op_1d", 16, {}),
           ("multi_step", 16, {}), ("multi_step", 32, {"steps": [2]}),
           ("single_dsp", 32, {}), ("dsp_systolic", 32, {}))
_TARGET = "ecp5-25k"
_PERMUTATIONS = 10_000
#: Probability below which a difference is taken for one.
_LEVEL = 0.05


def designs() -> list[Point]:
    """Return the points to be placed."""
    return [expand([core], [width], params, [_TARGET])[0] for core, width, params in DESIGNS]


def seeds(count: int) -> tuple[list[int], list[int]]:
    """Return the small seeds, and as many large ones."""
    rng = random.Random("seeds")
    return list(range(1, count + 1)), [rng.randrange(10**8, 10**9) for _ in range(count)]


def p_value(first: Sequence[float], second: Sequence[float],
            statistic: Callable[[Sequence[float]], float]) -> float:
    """Return how often a random split of all values differs at least as much."""
    def difference(one: Sequence[float], other: Sequence[float]) -> float:
        return abs(statistic(one) - statistic(other))

    return float(permutation_test((first, second), difference, n_resamples=_PERMUTATIONS,
                                  alternative="greater", random_state=0).pvalue)


def distance(values: Sequence[float]) -> float:
    """Return the mean distance from the median."""
    middle = statistics.median(values)
    return statistics.fmean(abs(value - middle) for value in values)


def neighbours(values: Sequence[float]) -> float:
    """Return the correlation of values with those next to them."""
    if len(values) < 4 or len(set(values[1:])) < 2 or len(set(values[:-1])) < 2:
        return 0.0
    return statistics.correlation(values[:-1], values[1:])


def compared(name: str, small: Sequence[float], large: Sequence[float]) -> dict[str, Any]:
    """Return the line of one design: frequencies in MHz, relative spreads, and the tests."""
    return {"design": name, "small_mhz": list(small), "large_mhz": list(large),
            "median_small_mhz": statistics.median(small),
            "median_large_mhz": statistics.median(large),
            "spread_small": statistics.stdev(small) / statistics.fmean(small),
            "spread_large": statistics.stdev(large) / statistics.fmean(large),
            "p_spread": p_value(small, large, distance),
            "p_median": p_value(small, large, statistics.median),
            "correlation_of_neighbours": neighbours(small)}


def in_all(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the line of all designs together, whose frequencies are taken relative to medians."""
    small, large = ([each / statistics.median([*row["small_mhz"], *row["large_mhz"]])
                     for row in rows for each in row[name]] for name in ("small_mhz", "large_mhz"))
    spread, median = (p_value(small, large, each) for each in (distance, statistics.median))
    return {"design": "all", "designs": len(rows), "spread_small": statistics.stdev(small),
            "spread_large": statistics.stdev(large), "p_spread": spread, "p_median": median,
            "alike": min(spread, median) >= _LEVEL,
            "correlation_of_neighbours": statistics.fmean(
                row["correlation_of_neighbours"] for row in rows)}


def _place(points: Sequence[Point], count: int, store: Path, jobs: int) -> list[dict[str, Any]]:
    small, large = seeds(count)
    with Store(store) as opened:
        sweep = Sweep(points={point: [*small, *large] for point in points}, timeout_minutes=60)
        rows = run(sweep, store=opened, jobs=jobs)
    found = []
    for point in points:
        reached = {row["seed"]: row["fmax_mhz"] for row in rows
                   if row["status"] == "ok" and Point.from_row(row) == point}
        parts = [[reached[seed] for seed in part if seed in reached] for part in (small, large)]
        if min(map(len, parts)) < 3:
            print(f"{point.label}: too few placements succeeded", file=sys.stderr)
            continue
        found.append(compared(point.label, *parts))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path, default=default_path())
    parser.add_argument("--jobs", type=int, default=1, help="tools at one time")
    parser.add_argument("--count", type=int, default=16, help="seeds of each kind")
    parser.add_argument("--designs", type=int, default=len(DESIGNS), help="the first so many")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    given = parser.parse_args()
    rows = _place(designs()[:given.designs], given.count, given.store, given.jobs)
    if not rows:
        return 1
    rows.append(in_all(rows))
    for row in rows:
        print("{design}: spread {spread_small:.2%} small, {spread_large:.2%} large (p = "
              "{p_spread:.3f}); medians differ with p = {p_median:.3f}; neighbours correlate by "
              "{correlation_of_neighbours:.2f}".format(**row))
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "seeds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return int(not rows[-1]["alike"])


if __name__ == "__main__":
    sys.exit(main())
