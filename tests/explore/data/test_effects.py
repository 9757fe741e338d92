"""What one parameter does to a core, and the seed to its placement."""

import math

import pytest
from measurements import row

from explore.data.frame import medians, tidy
from explore.data.trends import noise, relative


def changed(*names, rows):
    return relative(medians(tidy(rows)), *names)


def made(lut, **params):
    return row(lut=lut, params=params)


def test_ratios_are_to_the_narrowest():
    found = changed("steps", rows=[made(30, steps=10), made(10, steps=1), made(20, steps=2)])
    assert found["value"].tolist() == ["1", "2", "10"]
    assert found["lut_ratio"].tolist() == [1, 2, 3]
    assert found["lut_us_ratio"].tolist() == pytest.approx([1, 2, 3])
    assert found["latency_ratio"].tolist() == found["fmax_ratio"].tolist() == [1, 1, 1]


def test_zero_stands_for_as_many_as_there_can_be():
    found = changed("elements", rows=[made(30, elements=0), made(10, elements=4)])
    assert found["value"].tolist() == ["4", "0"]


def test_nothing_else_differs_in_a_group_and_the_largest_group_is_first():
    found = changed("steps", rows=[
        made(1, steps=1, word=8), made(2, steps=2, word=8), made(3, steps=1, word=16),
        made(6, steps=2, word=16), made(9, steps=3, word=16), made(5, steps=1, word=32),
        row(lut=7, params={"word": 8})])
    assert found["group"].tolist() == [0, 0, 0, 1, 1]
    assert found["lut_ratio"].tolist() == [1, 2, 3, 1, 2]


def test_parameters_may_change_together():
    rows = [made(10, digit=8, word=8), made(20, digit=16, word=16), made(40, digit=18, word=16)]
    found = changed("digit", "word", rows=rows)
    assert found["value"].tolist() == ["8", "16", "18/16"]
    assert changed("digit", rows=rows)["value"].tolist() == ["16", "18"]
    assert changed("no_such_parameter", rows=rows).empty


def test_points_that_were_not_placed_are_left_out():
    assert changed("steps", rows=[made(10, steps=1),
                                  row(status="no_fit", params={"steps": 2})]).empty


def placed(*frequencies, design="a", width=64):
    return [row(seed=seed, fmax=fmax, width=width) | {"design": design}
            for seed, fmax in enumerate(frequencies)]


def test_noise_is_within_netlists():
    rows = tidy([*placed(100, 110), *placed(200, 220, design="b", width=128),
                 *placed(50, design="c", width=32)])
    found = noise(rows).loc["ecp5-85k"]
    assert (found["points"], found["placements"]) == (2, 4)
    assert found["range"] == pytest.approx(10)
    assert found["spread"] == pytest.approx(100 * math.expm1(math.log(1.1) / math.sqrt(2)))
    assert noise(rows, "lut").loc["ecp5-85k", ["spread", "range", "median", "real"]].eq(0).all()


def test_a_netlist_that_is_another_one_is_no_noise():
    assert noise(tidy([*placed(100), *placed(1, 110, design="b")[1:]])).empty


def test_more_seeds_make_medians_better_and_smaller_differences_real():
    rows = tidy(placed(100, 110))
    few, many = (noise(rows, seeds=seeds).loc["ecp5-85k"] for seeds in (3, 9))
    assert many["median"] < few["median"]
    assert many["real"] < few["real"]
    assert many["spread"] == few["spread"]
