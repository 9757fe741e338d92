"""What is particular to the multi-step multiplier."""

import dataclasses
import random

import pytest
from bench import check_products, run, stream, whole

from explore.simulation import edge_vectors, random_vectors, simulate
from montgomery.multi_step.multiplier import Parameters

SEED = 256
FORMS = pytest.mark.parametrize("quotient", ["ahead", "chained"])
ENDS = pytest.mark.parametrize("subtraction", ["never", "final"])


def _check(params, vectors):
    result = simulate(params, vectors, chained=True, seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    for cycles in result.cycles:
        # The interval of the formula is that of results that are kept.
        found = dataclasses.replace(cycles, interval=params.cycles.interval)
        assert whole(found, params.cycles) == params.cycles


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
    ({}, 79, 92), ({"quotient": "chained"}, 79, 92), ({"subtraction": "final"}, 92, 105),
    ({"steps": 8}, 47, 60), ({"steps": 16}, 40, 44)])
def test_clocks_at_256_bits(options, compute, interval):
    params = Parameters(width=256, **options)
    assert (params.cycles.compute, params.cycles.interval) == (compute, interval)
    assert params.initiation <= interval


@FORMS
@ENDS
@pytest.mark.parametrize(("steps", "word_width", "pe_width"), [(2, 4, 4), (3, 8, 6), (5, 4, 8)])
def test_results_stay_as_operands(steps, word_width, pe_width, quotient, subtraction):
    params = Parameters(width=21, steps=steps, word_width=word_width, pe_width=pe_width,
                        quotient=quotient, subtraction=subtraction)
    vectors, results = params.dependent_operations(random.Random(SEED), 9)
    for gaps in ({}, {"i_gap": 0.4, "o_gap": 0.3, "k_gap": 0.5}):
        result = simulate(params, vectors, seed=SEED, kept=results, **gaps)
        check_products(params, vectors, result.products, seed=SEED)
        if not gaps:
            assert {cycles.interval for cycles in result.cycles[1:]} == {params.cycles.interval}


@FORMS
@ENDS
def test_results_stay_over_another_key(quotient, subtraction):
    params = Parameters(width=12, steps=2, word_width=4, pe_width=4, quotient=quotient,
                        subtraction=subtraction)
    first, second = 4001, 4093
    results, vectors = [params.compute(3000, 2000, first)], [(3000, 2000, first)]
    for squares in (False, True):
        vectors.append((results[-1], results[-1] if squares else 77, second))
        results.append(params.compute(*vectors[-1]))
    result = simulate(params, vectors, kept=results)
    check_products(params, vectors, result.products, seed=None)


@FORMS
@ENDS
@pytest.mark.parametrize("pause", range(1, 7))
def test_words_move_again_after_a_pause(pause, quotient, subtraction):
    # Tables begin to fill before all words are there; each word is late once.
    params = Parameters(width=29, steps=3, word_width=8, pe_width=6, quotient=quotient,
                        subtraction=subtraction)
    vectors = random_vectors(params, 6, SEED)
    words = len(params.encode(1, 1, 3))
    products = stream(params, vectors,
                      put_after=lambda index: pause if index % (words + 1) == 1 else 0)
    check_products(params, vectors, products, seed=SEED)


def test_a_key_waits_for_operations_but_not_for_their_results():
    params = Parameters(width=8, steps=2, word_width=4, pe_width=4)
    core, taken = params.create(), []

    async def send(ctx, port, words):
        for word in words:
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            waits = 0
            while not (await ctx.tick().sample(port.ready))[-1]:
                waits += 1
                assert waits < 200, "a word was not taken"
            ctx.set(port.valid, 0)
            taken.append(waits)

    async def testbench(ctx):
        await send(ctx, core.k, params.encode_key(253))
        await send(ctx, core.i, params.encode(200, 100, 253))
        taken.clear()
        await send(ctx, core.k, params.encode_key(251))
        assert taken[0] > params.layout.iterations
        # Nothing has taken the result.
        words = []
        ctx.set(core.o.ready, 1)
        while len(words) < params.result_words:
            *_, valid, word = await ctx.tick().sample(core.o.valid, core.o.payload)
            words += [word] if valid else []
        assert params.decode(words) == params.compute(200, 100, 253)

    run(core, testbench)


@pytest.mark.sample(13)
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


# Some of all products, for each size of a table and with and without a remainder.
@FORMS
@ENDS
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_products_of_width_4(steps, quotient, subtraction):
    params = Parameters(width=4, steps=steps, word_width=4, quotient=quotient,
                        subtraction=subtraction)
    vectors = [(x, y, modulus) for modulus in range(3, 16, 2)
               for x in range(params.bound(modulus)) for y in range(params.bound(modulus))]
    assert len(vectors) == (679 if subtraction == "final" else 2716)
    _check(params, random.Random(SEED).sample(vectors, 40))


@FORMS
def test_results_are_reduced(quotient):
    # The largest operands give numbers between m and 2 m, the smallest ones below m.
    params = Parameters(width=32, quotient=quotient, subtraction="final")
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
