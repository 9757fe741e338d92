"""How often comparisons of points and of sets of rows claim what is not there, and miss what is.

Rows of points that were measured with many seeds stand for the spread of placements. Each trial
draws seeds for two sides from the seeds of one point: without replacement if there are enough, so
that each frequency is a measured one that is used once, else with replacement. Three things are
tried, all with at most 16 seeds a side:

- nothing: both sides are the same core, with other seeds. Any claim is a false alarm.
- placed alike: B is A, and 3 % slower with every seed.
- placed anew: B has other seeds than A, and is 3 % slower. The spread of placements hides it.

``compare``, of two points, looks as --until-sure does. ``diff``, of two sets of rows, compares all
points at once; one of them, by turns, is the slower one.

    python benchmarks/seeds.py --store STORE
    python benchmarks/compare.py STORE --output results/compare.jsonl

The first command places ten designs with 32 seeds each; any store or file of rows will do.

The file has one line for each point and kind of trial, with the number of trials, of claims, and of
seeds that a side needed, and one for all points together. The exit status is 1 if more than 5 % of
all trials of ``compare`` or of ``diff`` are false alarms, or if less than 95 % of the changes are
found that leave the placement alike. What is found of cores that are placed anew depends on their
spread, which each line has; it is reported and not judged.
"""

import argparse
import json
import random
import statistics
import sys
from pathlib import Path

from explore.data.changes import changes
from explore.data.frame import load, tidy
from explore.data.verdict import compare
from explore.points.point import Point

SEEDS, CHANGE, COLUMN = 16, 0.97, "fmax_mhz"
#: Largest share of false alarms, and least share of changes that are found if placed alike.
MOST_FALSE, LEAST_FOUND = 0.05, 0.95
KINDS = ("nothing", "placed alike", "placed anew")


def points_of(source, least):
    """Return the rows of each point that has ``least`` seeds or more."""
    found = {}
    for row in load(source).to_dict("records"):
        if row["status"] == "ok":
            found.setdefault(Point.from_row(row).label, []).append(row)
    return {label: rows for label, rows in found.items() if len(rows) >= least}


def drawn(rows, kind, generator):
    """Return the rows of two sides, with seeds 1 to :data:`SEEDS`, and whether a row is in both."""
    enough = len(rows) >= (SEEDS if kind == "placed alike" else 2 * SEEDS)
    taken = generator.sample(rows, 2 * SEEDS) if enough and len(rows) >= 2 * SEEDS else (
        generator.choices(rows, k=2 * SEEDS))
    first, second = taken[:SEEDS], taken[SEEDS:]
    if kind == "placed alike":
        second = first
    factor = 1 if kind == "nothing" else CHANGE
    return tuple([{**row, "seed": seed, COLUMN: scale * row[COLUMN]}
                  for seed, row in enumerate(side, 1)]
                 for side, scale in ((first, 1), (second, factor)))


def of_compare(rows, kind, trials, generator):
    """Return the number of claims, and the seeds that each claim needed."""
    needed = []
    for _ in range(trials):
        sides = drawn(rows, kind, generator)
        found = compare(lambda count, sides=sides: tuple(side[:count] for side in sides),
                        seeds=SEEDS, until_sure=True, column=COLUMN)
        if found.is_sure:
            needed.append(len(found.seeds))
    return len(needed), needed


def of_diff(points, kind, trials, generator):
    """Return the number of comparisons that report a difference, or the one that is planted."""
    claims = 0
    for trial in range(trials):
        slower = list(points)[trial % len(points)]
        sides = ([], [])
        for label, rows in points.items():
            known = kind if label == slower else "nothing"
            if kind == "placed alike" and label != slower:
                own = drawn(rows, "placed alike", generator)[0]
                pair = (own, own)
            else:
                pair = drawn(rows, known, generator)
            for side, more in zip(sides, pair, strict=True):
                side += more
        found = changes(*map(tidy, sides))
        claims += found.is_changed if kind == "nothing" else any(
            change.label == slower for change in found.points)
    return claims


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="a store, a folder or a file of rows")
    parser.add_argument("--trials", type=int, default=40, help="trials of each kind and point")
    parser.add_argument("--least", type=int, default=SEEDS, help="seeds that a point must have")
    parser.add_argument("--output", type=Path, help="a file for the counts")
    given = parser.parse_args()
    generator = random.Random(0)
    points = points_of(given.source, given.least)
    if not points:
        parser.error(f"no point of {given.source} has {given.least} seeds")
    lines = []
    for label, rows in points.items():
        values = [row[COLUMN] for row in rows]
        for kind in KINDS:
            claims, needed = of_compare(rows, kind, given.trials, generator)
            lines.append({
                "command": "compare", "points": label, "measured_seeds": len(rows),
                "spread": statistics.stdev(values) / statistics.fmean(values), "kind": kind,
                "trials": given.trials, "claims": claims,
                "mean_seeds": statistics.fmean(needed) if needed else None})
            print(lines[-1], flush=True)
    for kind in KINDS:
        own = [line for line in lines if line["kind"] == kind]
        lines.append({"command": "compare", "points": "all", "kind": kind,
                      **{name: sum(line[name] for line in own) for name in ("trials", "claims")}})
        print(lines[-1], flush=True)
    for kind in KINDS:
        claims = of_diff(points, kind, given.trials, generator)
        lines.append({"command": "diff", "points": "; ".join(points), "kind": kind,
                      "trials": given.trials, "claims": claims})
        print(lines[-1], flush=True)
    if given.output:
        given.output.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return int(not all(holds(line) for line in lines
                       if line["command"] == "diff" or line["points"] == "all"))


def holds(line):
    """Return whether a line has few false alarms, or nearly all changes that should be seen."""
    share = line["claims"] / line["trials"]
    return {"nothing": share <= MOST_FALSE, "placed alike": share >= LEAST_FOUND,
            "placed anew": True}[line["kind"]]


if __name__ == "__main__":
    sys.exit(main())
