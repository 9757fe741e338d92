"""Keys that come when the core has something else to do, on all cores."""


import pytest
from bench import multiply, operate, run

from explore.simulation import random_vectors
from montgomery import architectures, exponentiators, rsa_crt

SEED = 2001
CORES = [architectures()["cox_rower"](width=16, word_width=8, rowers=3),
         exponentiators()["cox_rower"](width=16, word_width=8, rowers=3, window=2),
         rsa_crt()["cox_rower"](width=24, word_width=8, rowers=2, window=1)]
each = pytest.mark.parametrize("params", CORES, ids=[params.kind for params in CORES])


def _vectors(params, count):
    """Return operations with different keys, which take some clocks."""
    vectors = {params.key_of(*vector): vector for vector in random_vectors(params, 20, SEED)}
    return list(vectors.values())[:count]


@each
def test_a_key_does_not_wait_for_a_result_to_be_taken(params):
    """All of it is received meanwhile, and the result is still that of the key before."""
    first, second = _vectors(params, 2)
    component = params.create()
    cycles = params.cycles_of(*first)

    async def testbench(ctx):
        await operate(ctx, component, params, first, patience=10000,
                      clocks=cycles.load_key + cycles.load + cycles.compute - 1)
        await ctx.tick()  # the first word of the result is there and has been for a clock
        for word in params.encode_key(*params.key_of(*second)):
            ctx.set(component.k.valid, 1)
            ctx.set(component.k.payload, word)
            ctx.set(component.i.valid, 1)
            *_, taken, taken_early = await ctx.tick().sample(component.k.ready, component.i.ready)
            assert taken
            assert not taken_early
        ctx.set(component.k.valid, 0)
        ctx.set(component.i.valid, 0)
        # The key is prepared, or waits for the Rowers.
        for _ in range(params.cycles_of(*second).load_key // 2):
            *_, valid = await ctx.tick().sample(component.o.valid)
            assert valid
        words = []
        ctx.set(component.o.ready, 1)
        for _ in range(cycles.unload):
            *_, valid, word = await ctx.tick().sample(component.o.valid, component.o.payload)
            words += [word] if valid else []
        assert params.decode(words) == params.compute(*first), "changed by the next key"
        words, _ = await multiply(ctx, component, params.encode(*second), params.result_words,
                                  patience=20000)
        assert params.decode(words) == params.compute(*second)

    run(component, testbench)


@each
def test_a_key_waits_for_an_operation(params):
    """It is offered all the time, and none of it is taken before the result is ready."""
    first, = _vectors(params, 1)
    component = params.create()
    cycles = params.cycles_of(*first)

    async def testbench(ctx):
        await operate(ctx, component, params, first, patience=10000, clocks=cycles.load_key + 1)
        ctx.set(component.k.valid, 1)
        ctx.set(component.o.ready, 1)
        words = params.encode(*first)[1:]
        for clock in range(cycles.load + cycles.compute - 1):
            ctx.set(component.i.valid, clock < len(words))
            ctx.set(component.i.payload, words[clock] if clock < len(words) else 0)
            *_, taken, valid = await ctx.tick().sample(component.k.ready, component.o.valid)
            assert not taken, clock
            assert valid == (clock == cycles.load + cycles.compute - 2)

    run(component, testbench)
