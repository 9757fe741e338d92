"""The searcher, without any tool: proofs, order and measures of fronts."""

import itertools
import random

import numpy
import pytest

from explore.data.objectives import objectives
from explore.pipeline.searcher import Candidate, Searcher, gains, hypervolume, on_front

LIMIT = 250.0


def candidate(index, core="a", lut=100, clocks=100, dsp=0, group="here", limit=LIMIT, least=0.0):
    counted = {"width": 8, "lut": lut, "ff": lut, "dsp": dsp, "bram": 0, "cycles_load": 1,
               "cycles_compute": clocks, "cycles_unload": 1, "cycles_interval": clocks + 2,
               "cycles_initiation": clocks + 2}
    return Candidate(name=f"{core}{index}", group=group, counted=counted, limit_mhz=limit,
                     least_mhz=least, arch=core, core=(core, index))


def population(count, seed):
    """Return candidates of four cores, and the frequency of each."""
    rng = random.Random(seed)
    kinds = [(core, rng.uniform(0.4, 1.15), rng.uniform(50, 400), rng.uniform(20, 300))
             for core in "abcd"]
    found = []
    for index in range(count):
        core, speed, lut, clocks = kinds[index % 4]
        scale = 2 ** rng.uniform(-1, 1)
        found.append((candidate(index, core, round(lut * scale), round(clocks / scale) + 1,
                                dsp=rng.randrange(3)),
                      LIMIT * speed * rng.gauss(1, 0.04)))
    return found


def searched(points, names, **options):
    """Return the searcher at the end, and the order of the placements."""
    searcher, order = Searcher([each for each, _ in points], objectives(names), **options), []
    while (placement := searcher.ask()) is not None:
        index, seed = placement
        order.append(index)
        searcher.tell(index, seed, points[index][1])
    return searcher, order


@pytest.mark.parametrize("names", ["latency,area", "interval,area,blocks", "lut-us",
                                   "throughput,area", "lut * latency_us + dsp,clock"])
@pytest.mark.parametrize("seed", range(3))
def test_the_front_is_that_of_all_points(names, seed):
    points = population(60, seed)
    searcher, order = searched(points, names)
    every = Searcher([each for each, _ in points], objectives(names))
    for index, (_, fmax_mhz) in enumerate(points):
        every.tell(index, 1, fmax_mhz)
    costs = {tuple(every.costs[index]) for index in every.front("here")}
    assert {tuple(searcher.costs[index]) for index in searcher.front("here")} == costs
    assert len(order) == len(set(order))
    # Proofs need a point at the limit.
    assert len(order) < len(points) or "clock" in names
    skipped = searcher.skipped()
    assert {*order} | {*skipped} == {*range(len(points))}
    assert searcher.open() == []
    # No proof is wrong.
    for index, reason in skipped.items():
        assert reason.startswith(("dominated by", "at best equal to"))
        assert any((searcher.costs[other] <= every.costs[index]).all()
                   for other in searcher.front("here"))


def test_it_finds_most_early():
    shares = []
    for seed in range(4):
        points = population(120, 100 + seed)
        every, _ = searched(points, "latency,area")
        whole, part = every.hypervolume(), Searcher([each for each, _ in points],
                                                    objectives("latency,area"))
        for _ in range(12):
            index, seed = part.ask()
            part.tell(index, seed, points[index][1])
        shares.append(part.hypervolume() / whole)
    assert min(shares) > 0.97


def test_a_reason_names_the_proof():
    points = [candidate(0, lut=100, clocks=100), candidate(1, lut=120, clocks=101),
              candidate(2, lut=100, clocks=100), candidate(3, lut=99, clocks=300)]
    searcher = Searcher(points, objectives("latency,area"))
    searcher.tell(0, 1, 300.0)
    assert searcher.skipped() == {
        1: "dominated by a0 (latency 0.4, here at best 0.404; area 100, here at best 120)",
        2: "at best equal to a0 (latency 0.4, here at best 0.4; area 100, here at best 100)"}
    assert searcher.open() == [3]


def test_only_a_frequency_at_the_limit_proves_something():
    points = [candidate(0, lut=100, clocks=100), candidate(1, lut=120, clocks=100)]
    for reached in (LIMIT - 1, None):
        searcher = Searcher(points, objectives("latency,area"))
        searcher.tell(0, 1, reached)
        assert searcher.skipped() == {}
    assert searcher.front("here") == []
    # Its blocks keep the other one from being faster.
    points[1] = candidate(1, lut=120, clocks=100, limit=LIMIT - 1)
    searcher = Searcher(points, objectives("latency,area"))
    searcher.tell(0, 1, LIMIT - 1)
    assert [*searcher.skipped()] == [1]


def test_what_breaks_a_constraint_is_on_no_front():
    points = [candidate(0, lut=100, clocks=100, least=200.0), candidate(1, lut=300, clocks=200)]
    searcher = Searcher(points, objectives("latency,area"))
    searcher.tell(0, 1, 199.0)
    searcher.tell(1, 1, 199.0)
    assert searcher.front("here") == [1]
    # Its seeds may be above it together.
    searcher.tell(0, 2, 230.0)
    assert searcher.front("here") == [0]


def test_seeds_come_last_and_only_on_the_front():
    points = population(20, 5)
    searcher = Searcher([each for each, _ in points], objectives("latency,area"), seeds=3)
    asked = []
    while (placement := searcher.ask()) is not None:
        asked.append(placement)
        searcher.tell(*placement, points[placement[0]][1])
    seeds = [seed for _, seed in asked]
    assert seeds == sorted(seeds, key=lambda seed: seed > 1)
    assert {index for index, seed in asked if seed == 3} == {*searcher.front("here")}
    assert searcher.placements == len(asked)


def test_a_median_that_falls_opens_what_was_proved():
    points = [candidate(0, lut=100, clocks=100), candidate(1, lut=120, clocks=90, limit=200.0)]
    searcher = Searcher(points, objectives("latency,area"), seeds=3)
    searcher.tell(0, 1, 250.0)
    assert searcher.open() == []
    searcher.tell(0, 2, 190.0)
    assert searcher.open() == [1]


def test_objectives_without_a_clock_need_no_placement():
    searcher = Searcher([candidate(0, lut=90, dsp=1), candidate(1, lut=100), candidate(2, lut=101)],
                        objectives("area,blocks"), seeds=3)
    assert searcher.ask() is None
    assert searcher.front("here") == [0, 1]


# Measures


@pytest.mark.parametrize("columns", [2, 3])
def test_measures_agree_with_counting(columns):
    rng = numpy.random.default_rng(columns)
    values = rng.integers(0, 6, (12, columns)).astype(float)
    front = on_front(values)
    for index, row in enumerate(values):
        beaten = any((other <= row).all() and (other < row).any() for other in values)
        assert front[index] == (not beaten)
    # Unit cubes below the reference point that some row dominates.
    cubes = [numpy.array(corner) for corner in itertools.product(range(7), repeat=columns)]
    volume = sum(any((row <= cube).all() for row in values) for cube in cubes)
    assert hypervolume(values, 7.0) == pytest.approx(volume)
    more = rng.integers(0, 8, (10, columns)).astype(float)
    for row, gain in zip(more, gains(values[front], more, 7.0), strict=True):
        both = numpy.concatenate([values, row[None]])
        assert gain == pytest.approx(hypervolume(both, 7.0) - volume)
    assert gains(values[:0], more, 7.0).sum() == pytest.approx(sum(
        numpy.maximum(7 - row, 0).prod() for row in more))
