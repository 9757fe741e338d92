"""Several processors behind one set of ports."""

import random

import pytest
from amaranth.hdl import Fragment
from bench import Resettable, multiply, operate, run, whole
from single_dsp_words import offer, random_vector

from explore.simulation import simulate, verify
from montgomery import exponentiators

SEED = 2010
EXPONENTIATOR = exponentiators()["single_dsp"]


@pytest.mark.parametrize("processors", [1, 2])
def test_create_has_the_ports_of_the_parameters(processors):
    params = EXPONENTIATOR(width=64, processors=processors)
    component = params.create()
    assert component.signature == params.signature
    Fragment.get(component, None)  # or it would be said to be unused


@pytest.mark.parametrize("gaps", [{}, {"i_gap": 0.3, "o_gap": 0.9, "k_gap": 0.3}])
def test_an_array_gives_results_in_order(gaps):
    params = EXPONENTIATOR(width=12, word_width=8, processors=3)
    rng = random.Random(SEED)
    modulus = params.random_modulus(rng)
    vectors = [(rng.randrange(modulus), exponent, modulus)
               for exponent in (19, 30) for _ in range(8)]
    result = simulate(params, vectors, seed=SEED, **gaps)
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    one = sum(params.cycles(*vector).interval for vector in vectors)
    assert result.clocks < one / 2 or gaps


@pytest.mark.parametrize("processors", [2, 5])  # one branch, and one after the other
def test_clocks_of_an_array(processors):
    core = EXPONENTIATOR(width=12, word_width=8, processors=processors)
    component = core.create()
    rng = random.Random(SEED)

    async def testbench(ctx):
        for width in (12, 5, 9, 12, 5, 12):  # more than there are processors
            params = core.shorter(width)
            vector = random_vector(params, rng)
            words, cycles = await operate(ctx, component, params, vector, patience=10000)
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"
            formula = params.cycles_of(*vector)
            assert whole(cycles, formula) == formula

    run(component, testbench)


@pytest.mark.sample(1)
@pytest.mark.parametrize("processors", [2, 5])
def test_an_array_is_verified(processors, compiled):
    """As a sweep does: with resets after which all clocks are right."""
    params = EXPONENTIATOR(width=12, word_width=8, processors=processors)
    report = verify(params, vectors=4, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message


@pytest.mark.parametrize("processors", [2, 5])
def test_an_array_is_reset(processors):
    """At any time, while some of them compute and one is sent words, or sends its result."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=processors)
    core = Resettable(params)
    rng = random.Random(SEED)
    key, longest = params.encode_key(31, 31), params.encode(30) * processors
    cycles = params.cycles(30, 31, 31)
    end = cycles.load_key + cycles.load + cycles.compute
    for_results = range(end, end + (processors - 1) * cycles.load + 16)
    clocks = [*rng.sample(range(end), 1), *rng.sample(for_results, 9 - processors)]

    async def testbench(ctx):
        for clock in clocks:
            await multiply(ctx, core, longest, processors, key=key, clocks=clock, patience=10000)
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            _, exponent, modulus = random_vector(params, rng)
            bases = [rng.randrange(modulus) for _ in range(processors)]
            words, _ = await multiply(
                ctx, core, [word for base in bases for word in params.encode(base)],
                processors, key=params.encode_key(exponent, modulus), patience=10000)
            assert words == [pow(base, exponent, modulus) for base in bases], (
                f"reset in {clock} seed {SEED}")

    run(core, testbench)


def test_an_array_says_what_is_done():
    """A processor is done before its result is taken."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=2)
    component = params.create()
    seen = []

    async def testbench(ctx):
        assert ctx.get(component.all_done)
        await offer(ctx, component.k, params.encode_key(30, 31))
        for base in (2, 3):
            await offer(ctx, component.i, params.encode(base))
        while len(seen) < 2 or seen[-1] != (3, 1):
            await ctx.tick()
            state = ctx.get(component.done), ctx.get(component.all_done)
            if seen[-1:] != [state]:
                seen.append(state)

    run(component, testbench)
    # The first one began first.
    assert seen == [(0b11, 1), (0b10, 0), (0b00, 0), (0b01, 0), (0b11, 1)]
