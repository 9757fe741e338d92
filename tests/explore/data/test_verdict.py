import math

import pytest
from scipy import stats

from explore.data.verdict import Spread, difference, holm, student_p


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
