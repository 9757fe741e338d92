"""Cores that are reset, starved or blocked at the worst moment."""

import dataclasses

import cases
import pytest
from bench import Resettable, check_products, operate, run, stream, whole

from explore.simulation import edge_vectors, random_vectors

SEED = 1985


@pytest.mark.sample(2, each_core=True)
# Each case has every third clock: the three cases of a variant begin with different ones.
@pytest.mark.parametrize(("params", "first"), [
    pytest.param(*case.values, place % 3, id=case.id) for place, case in enumerate(cases.few())])
def test_reset_at_any_clock(params, first):
    top = edge_vectors(params)[-1]
    vectors = random_vectors(params, 5, SEED)
    cycles = params.cycles
    core = Resettable(params)
    clocks = range(first, cycles.load_key + cycles.load + cycles.compute + cycles.unload, 3)
    products = []

    async def testbench(ctx):
        for clock in clocks:
            await operate(ctx, core, params, top, clocks=clock)
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            vector = vectors[clock % len(vectors)]
            words, measured = await operate(ctx, core, params, vector)
            if params.initiation == 2:  # the next one waits for the clock in which it is taken
                measured = dataclasses.replace(measured,
                                               interval=measured.interval + measured.interval % 2)
            assert whole(measured, cycles) == cycles, f"after a reset in clock {clock}"
            products.append(params.decode(words))

    run(core, testbench)
    expected = [params.compute(*vectors[clock % len(vectors)]) for clock in clocks]
    assert products == expected, f"seed {SEED}"


def _stream(params, count, **pauses):
    vectors = random_vectors(params, count, SEED)
    check_products(params, vectors, stream(params, vectors, **pauses), seed=SEED)


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", cases.few())
def test_a_sender_may_stop_before_any_word(params):
    words = len(params.encode(1, 1, 3))
    # In multiplication n word n comes late: by an odd time, since rings turn in an even one.
    _stream(params, words, put_after=lambda index: 101 if index % (words + 1) == 0 else 0)


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", cases.few())
def test_a_receiver_may_leave_any_word(params):
    # Long enough for the next result to be ready, were it not held back.
    pause = 2 * params.cycles.interval
    size = params.result_words
    _stream(params, size + 1, get_after=lambda index: pause if index % (size + 1) == 0 else 0)


# For each variant, with one shape of its words or two; stalls in test_hardware.py are as slow.
@pytest.mark.parametrize("params", cases.few()[::2])
def test_a_receiver_may_be_slower_than_the_core(params):
    _stream(params, 3, get_after=lambda index: params.cycles.interval // 2)
