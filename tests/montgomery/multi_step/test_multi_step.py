"""What is particular to the multi-step multiplier."""

import pytest
from bench import stream

from explore.simulation import simulate
from montgomery.core import traits
from montgomery.multi_step.multiplier import Parameters


def test_steps_beyond_the_width():
    with pytest.raises(ValueError, match=r"^Steps must be at most the width 20, not 21; "
                                         r"the nearest legal value is 20$"):
        Parameters(width=20, steps=21)


@pytest.mark.parametrize("width", [4, 37, 64, 256])
def test_a_clock_for_s_steps_and_one_for_the_remainder(width):
    for steps in range(1, width + 1):
        t, r = divmod(width, steps)
        layout = Parameters(width=width, steps=steps, subtraction="final").layout
        assert layout.digits == t + (r > 0)
        assert layout.iterations == layout.digits + 2


def test_the_paper_takes_16_clocks():
    layout = Parameters(width=256, steps=16, word_width=32, subtraction="final").layout
    assert layout.digits == 16
    assert layout.iterations == 18
    # R is four times as large where nothing is subtracted, and the remainder takes a clock.
    assert Parameters(width=256, steps=16).layout.digits == 17


@pytest.mark.parametrize(("options", "compute", "interval"), [
    ({}, 79, 92), ({"subtraction": "final"}, 92, 105),
    ({"steps": 8}, 47, 60), ({"steps": 16}, 40, 44)])
def test_clocks_at_256_bits(options, compute, interval):
    params = Parameters(width=256, **options)
    assert (params.cycles.compute, params.cycles.interval) == (compute, interval)
    assert traits(params).initiation <= interval


@pytest.mark.parametrize(("word_width", "pe_width", "steps", "expected"), [
    (16, 16, 4, 16), (16, 16, 8, 16), (16, 16, 9, 32), (32, 16, 4, 16), (32, 17, 4, 32),
    (16, 8, 2, 8), (16, 8, 5, 16), (1, 16, 4, 16), (7, 10, 2, 14), (64, 16, 40, 128)])
def test_elements_fit_words_and_steps(word_width, pe_width, steps, expected):
    params = Parameters(width=128, word_width=word_width, pe_width=pe_width, steps=steps)
    assert params.layout.pe_width == expected


@pytest.mark.parametrize(("steps", "sizes"), [
    (1, [1]), (3, [3]), (4, [4]), (5, [3, 2]), (7, [4, 3]), (8, [4, 4]), (9, [3, 3, 3]),
    (13, [4, 3, 3, 3])])
def test_look_up_by_at_most_four_bits(steps, sizes):
    groups = Parameters(width=64, steps=steps).layout.groups
    assert [len(group) for group in groups] == sizes
    assert [group.start for group in groups] == [sum(sizes[:index])
                                                  for index in range(len(sizes))]


def test_results_are_reduced():
    # The largest operands give numbers between m and 2 m, the smallest ones below m.
    params = Parameters(width=32, subtraction="final")
    modulus = (1 << 31) + 1
    x = modulus - 1
    products = [(x, x, modulus), (1, 1, modulus), (x, 1, modulus), (0, x, modulus),
                (params.r % modulus, x, modulus), (params.r % modulus, 1, modulus)]
    result = simulate(params, products)
    assert result.products == [params.compute(*vector) for vector in products]
    assert result.products[3:] == [0, x, 1]


@pytest.mark.parametrize(("options", "pauses"), [
    ({"width": 8, "word_width": 4, "pe_width": 4, "steps": 2}, range(20)),
    ({"width": 32, "word_width": 16}, range(24, 32))])
def test_the_last_word_may_come_at_any_time_while_the_others_move(options, pauses):
    """Words that began to move are moved again, also if the last one comes a clock later."""
    params = Parameters(**options)
    assert params.layout.operand_words == 3
    modulus = (1 << params.width) - 17
    vectors = [(modulus - 2, modulus - 3, modulus), (modulus - 5, 77, modulus)]
    for pause in pauses:
        assert stream(params, vectors, put_after=lambda index, pause=pause: pause * (
            index == 2 * params.i_words - 1)) == [params.compute(*vector) for vector in vectors]
