"""Several processors behind one set of ports."""

import pytest
from bench import offer, run

from explore.simulation import verify
from montgomery import exponentiators

SEED = 2010
EXPONENTIATOR = exponentiators()["single_dsp"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("processors", [2, 5])  # one branch, and one after the other
def test_an_array_is_verified(processors, compiled):
    """As a sweep does: with resets after which all clocks are right."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=processors)
    report = verify(params, vectors=4, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message


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
