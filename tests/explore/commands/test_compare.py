import math
import random

import pytest

from explore.data.verdict import compare, difference, looks


def sides(generator, seeds, *, factor=1.0, spread=0.04, pairs=False):
    """Return a function that returns rows of both sides, with frequencies out of a generator."""
    first = [200 * generator.gauss(1, spread) for _ in range(seeds)]
    second = first if pairs else [200 * generator.gauss(1, spread) for _ in range(seeds)]

    def measure(count):
        asked.append(count)
        return tuple([{"seed": seed, "status": "ok", "design": "it", "fmax_mhz": value}
                      for seed, value in enumerate(side[:count], 1)]
                     for side in (first, [factor * value for value in second]))

    asked = measure.asked = []
    return measure


def test_equal_sides_are_rarely_called_different_however_often_they_are_looked_at():
    generator = random.Random(3)
    found = [compare(sides(generator, 16), seeds=16, until_sure=True, column="fmax_mhz")
             for _ in range(40)]
    assert sum(each.is_sure for each in found) <= 2
    assert all(len(each.seeds) == 16 for each in found if not each.is_sure)
    assert all(each.low <= each.relative <= each.high for each in found)


@pytest.mark.parametrize("level", [0.02, 0.2])
def test_the_level_holds_over_all_looks(level):
    generator, trials = random.Random(4), 2000

    def claims():
        sides = [{seed: math.exp(generator.gauss(0, 1)) for seed in range(12)} for _ in "AB"]
        return any(difference(*({seed: side[seed] for seed in range(count)} for side in sides)
                              ).p < own for count, own in looks(12, level))

    rate = sum(claims() for _ in range(trials)) / trials
    assert level / 2 < rate < level + 3 * (level / trials) ** 0.5


def test_looks_go_on():
    assert [count for count, _ in looks(16, 0.02)] == [8, 10, 12, 14, 16]
    assert [[count for count, _ in looks(most, 0.02)] for most in (4, 11, 9)] == [
        [4], [8, 11], [9]]
    assert sum(level for _, level in looks(16, 0.02)) == pytest.approx(0.02)


def test_a_planted_change_of_3_percent_is_found():
    generator = random.Random(8)
    for factor in (1.03, 0.97):
        measure = sides(generator, 16, factor=factor, pairs=True)
        found = compare(measure, seeds=16, until_sure=True, column="fmax_mhz")
        assert (found.is_sure, found.better) == (True, "B" if factor > 1 else "A")
        assert found.relative == pytest.approx(factor - 1)
        assert measure.asked == [8]
    found = [compare(sides(generator, 16, factor=1.03, spread=0.015), seeds=16, until_sure=True,
                     column="fmax_mhz") for _ in range(20)]
    assert sum(each.better == "B" for each in found) >= 18


def test_many_seeds():
    generator = random.Random(9)
    found = compare(sides(generator, 40, factor=1.03), seeds=40, column="fmax_mhz")
    assert (found.better, len(found.seeds)) == ("B", 40)
    assert not compare(sides(generator, 40), seeds=40, column="fmax_mhz").is_sure


def test_what_is_the_same_is_called_so(run, fakes):
    result = run("compare", "toy,width=8,target=ecp5-25k", "placer_weight=30", "--seeds", "2")
    assert result.exit_code == 0
    assert "  Usable Fmax" not in result.stdout
    assert result.stdout.endswith("Both sides are the same to the tools\n")


def test_a_side_that_does_not_fit(run, fakes):
    fakes.behave(nextpnr_ice40="fail ERROR: Unable to place cell")
    result = run("compare", "toy,width=8,target=ice40-hx8k", "target=ecp5-25k", "--seeds", "1")
    assert result.exit_code == 1
    assert "A: no_fit\n  B: ok\nNothing can be compared" in result.stdout
