import math
import random

import pytest
from scipy import stats

from explore.data.verdict import Spread, compare, difference, holm, looks, student_p


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 501])
def test_p_values_are_those_of_scipy(freedom):
    for t in (0.0, 0.3, 2.5, 9.0, 1e5):
        assert student_p(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), abs=1e-13)


def test_tests_and_intervals_are_those_of_scipy():
    first = {seed: 100.0 + seed % 3 for seed in range(8)}
    second = {seed: 101.0 + seed % 5 for seed in range(8)}
    logs = [[math.log(figure) for figure in side.values()] for side in (first, second)]
    paired, found = stats.ttest_rel(*reversed(logs)), difference(first, second)
    assert found.p == pytest.approx(paired.pvalue)
    expected = [math.expm1(end) for end in paired.confidence_interval(0.98)]
    assert found.interval(0.98) == pytest.approx(expected, abs=1e-4)
    few = [dict(list(side.items())[:3]) for side in (first, second)]
    assert difference(*few).p == pytest.approx(stats.ttest_ind(*(each[:3] for each in logs)).pvalue)


def test_other_points_tell_the_spread():
    single = difference({1: 100.0}, {2: 130.0})
    assert (single.p, single.interval(0.98)) == (1.0, None)
    others = Spread.of((100.0, 101.0)) + Spread.of((50.0, 50.4))
    assert difference({1: 100.0}, {2: 130.0}, others).p < 0.02
    assert difference({1: 100.0}, {2: 101.0}, others).p > 0.02


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


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
    assert all(len(each.seeds) == 16 and each.low <= each.relative <= each.high
               for each in found if not each.is_sure)


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
