"""Every core against its integer model and its cycle formula, at its ports."""

import dataclasses
import itertools
import random

import cases
import pytest
from bench import check_products, kept, whole

from explore.simulation import edge_vectors, random_vectors, simulate
from montgomery.core import ceil_div

SEED = 2003
#: Probabilities in a clock that the environment sends no word and takes none, and whether each
#: operation is sent when the one before has ended.
STALLS = list(itertools.product([(0.3, 0.0), (0.0, 0.3), (0.6, 0.2), (0.2, 0.8)], (False, True)))
# The scope "module" of parameters has the tests of a core follow each other, which share its
# simulator.


def _vectors(params, count):
    """Edges that differ most, and random operands."""
    edges = edge_vectors(params)
    return [edges[-1], *random_vectors(params, count, SEED), edges[0]]


def _check_cycles(params, result):
    for cycles in result.cycles:
        # The interval of a core that keeps results is not that of operands that are sent.
        found = dataclasses.replace(cycles, interval=0) if params.chains else cycles
        assert whole(found, params.cycles) == params.cycles


@pytest.mark.sample(4, each_core=True)
@pytest.mark.parametrize("params", cases.small(4), scope="module")
def test_products_and_cycles_at_small_widths(params):
    vectors = _vectors(params, 4)
    result = simulate(params, vectors, engine=kept(params), chained=True, seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    _check_cycles(params, result)


@pytest.mark.parametrize("params", cases.few()[::7])
def test_a_simulator_that_was_used_before_does_the_same(params):
    vectors = _vectors(params, 3)
    for options in ({"seed": 1, "i_gap": 0.3, "o_gap": 0.3}, {"chained": True, "prelude": 9}):
        assert (simulate(params, vectors, engine=kept(params), **options)
                == simulate(params, vectors, **options)), options


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", cases.large())
def test_products_and_cycles_at_large_widths(params):
    vectors = _vectors(params, 1)
    result = simulate(params, vectors, chained=True, seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    _check_cycles(params, result)


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", cases.few(), scope="module")
def test_cycles_do_not_depend_on_operands(params):
    vectors = edge_vectors(params)
    result = simulate(params, vectors, engine=kept(params), chained=True)
    check_products(params, vectors, result.products, seed=None)
    _check_cycles(params, result)


@pytest.mark.parametrize("params", cases.few(), scope="module")
def test_a_result_is_the_next_operand(params):
    modulus = cases.top(params)
    vectors, x = [], params.bound(modulus) - 1
    for _ in range(12):
        vectors.append((x, x, modulus))
        x = params.compute(x, x, modulus)
    result = simulate(params, vectors, engine=kept(params), chained=True)
    assert [*(x for x, _, _ in vectors[1:]), x] == result.products


@pytest.mark.parametrize("params", cases.few(), scope="module")
def test_back_to_back_is_no_slower_than_one_by_one(params):
    vectors = _vectors(params, 6)
    result = simulate(params, vectors, engine=kept(params), seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    slowest = max(params.cycles.interval, params.initiation)
    assert all(cycles.interval <= slowest for cycles in result.cycles)


# Each case has one of the eight combinations. They take turns, so that the cases of a core and of
# its variants have different ones, and neighbours have all.
@pytest.mark.parametrize(("params", "place"), [
    pytest.param(*case.values, place, id=case.id) for place, case in enumerate(cases.few())],
    scope="module")
def test_products_when_the_environment_stalls(params, place):
    (i_gap, o_gap), chained = STALLS[place % len(STALLS)]
    vectors = _vectors(params, 3)
    result = simulate(params, vectors, engine=kept(params), chained=chained, seed=SEED,
                      i_gap=i_gap, o_gap=o_gap)
    check_products(params, vectors, result.products, seed=SEED)


# test_exhaustive.py has the others.
@pytest.mark.parametrize("params", [case for case in cases.few() if case.values[0].width == 4
                                    and case.values[0].bound(3) > 6], scope="module")
def test_products_of_width_4(params):
    vectors = [(x, y, modulus) for modulus in params.every_modulus()
               for x in cases.operands(params, modulus) for y in cases.operands(params, modulus)]
    vectors = random.Random(SEED).sample(vectors, min(len(vectors), 388))
    result = simulate(params, vectors, engine=kept(params))
    check_products(params, vectors, result.products, seed=SEED)


@pytest.mark.parametrize("params", cases.small(4), scope="module")
def test_independent_multiplications_follow_at_the_rate_of_the_formula(params):
    # More than can be under way, so that a place too few somewhere would show.
    vectors = _vectors(params, 2 * ceil_div(params.cycles.interval, params.initiation) + 2)
    if params.key_inputs:  # another key would come in between
        modulus = cases.top(params)
        bound = params.bound(modulus)
        vectors = [(x % bound, y % bound, modulus) for x, y, _ in vectors]
    result = simulate(params, vectors, engine=kept(params), seed=SEED)
    check_products(params, vectors, result.products, seed=SEED)
    assert {cycles.interval for cycles in result.cycles[1:]} == {params.initiation}
