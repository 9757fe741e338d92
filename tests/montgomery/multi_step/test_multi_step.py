"""What is particular to the multi-step multiplier."""

import random

import pytest
from bench import check_products

from explore.simulation import edge_vectors, random_vectors, simulate
from montgomery.multi_step.multiplier import Parameters

SEED = 256
FORMS = pytest.mark.parametrize("quotient", ["ahead", "chained"])


def _check(params, vectors):
    result = simulate(params, vectors, chained=True, seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    assert result.cycles[1:] == [params.cycles] * (len(vectors) - 1)


def test_steps_beyond_the_width():
    with pytest.raises(ValueError, match=r"^Steps must be at most the width 20, not 21; "
                                         r"the nearest legal value is 20$"):
        Parameters(width=20, steps=21)


@pytest.mark.parametrize("width", [4, 37, 64, 256])
def test_a_clock_for_s_steps_and_one_for_the_remainder(width):
    for steps in range(1, width + 1):
        t, r = divmod(width, steps)
        layout = Parameters(width=width, steps=steps).layout
        assert layout.digits == t + (r > 0)
        assert layout.iterations == layout.digits + 2


def test_the_paper_takes_16_clocks():
    layout = Parameters(width=256, steps=16, word_width=32).layout
    assert layout.digits == 16
    # What the paper does not count: registers on the way in, two clocks for the first product to
    # reach the head, filling tables, and the subtraction.
    assert layout.cycles.compute == 4 + 2 + 16 + layout.preparation + layout.subtraction


@FORMS
@pytest.mark.parametrize("steps", range(1, 14))
def test_every_number_of_steps(steps, quotient):
    params = Parameters(width=13, steps=steps, word_width=8, quotient=quotient)
    _check(params, edge_vectors(params) + random_vectors(params, 4, SEED))


@FORMS
@pytest.mark.parametrize(("steps", "word_width", "pe_width"), [
    (4, 1, 1), (4, 64, 16), (7, 16, 16), (16, 16, 16), (37, 16, 16), (2, 24, 8), (5, 48, 12),
    (3, 16, 40)])
def test_words_of_other_widths_than_the_elements(steps, word_width, pe_width, quotient):
    params = Parameters(width=37, steps=steps, word_width=word_width, pe_width=pe_width,
                        quotient=quotient)
    _check(params, [edge_vectors(params)[-1], *random_vectors(params, 2, SEED)])


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
    assert [group.size for group in groups] == sizes
    assert [group.offset for group in groups] == [sum(sizes[:index])
                                                  for index in range(len(sizes))]


# A tenth of the 679 products, for each size of a table and with and without a remainder.
@FORMS
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_products_of_width_4(steps, quotient):
    params = Parameters(width=4, steps=steps, word_width=4, quotient=quotient)
    vectors = [(x, y, modulus) for modulus in range(3, 16, 2)
               for x in range(modulus) for y in range(modulus)]
    assert len(vectors) == 679
    _check(params, random.Random(SEED).sample(vectors, 68))


@FORMS
def test_results_are_reduced(quotient):
    # The largest operands give numbers between m and 2 m, the smallest ones below m.
    params = Parameters(width=32, quotient=quotient)
    modulus = (1 << 31) + 1
    x = modulus - 1
    products = [(x, x, modulus), (1, 1, modulus), (x, 1, modulus), (0, x, modulus),
                (params.r % modulus, x, modulus), (params.r % modulus, 1, modulus)]
    result = simulate(params, products)
    check_products(params, products, result.products, seed=None)
    assert result.products[3:] == [0, x, 1]


@FORMS
def test_tables_do_not_remember_another_modulus(quotient):
    params = Parameters(width=24, word_width=8, quotient=quotient)
    rng = random.Random(SEED)
    vectors = []
    for modulus in (3, (1 << 24) - 1, 5, (1 << 23) + 1, 3):
        for x, y in ((modulus - 1, rng.randrange(modulus)), (0, 0), (0, modulus - 1)):
            vectors.append((x, y, modulus))
    _check(params, vectors)
