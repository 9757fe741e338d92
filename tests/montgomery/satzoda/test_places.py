"""How long a word waits for its place, against the hardware."""

import pytest
from bench import offer, run

from explore.simulation.kinds import adapter
from montgomery.core import key_of
from montgomery.satzoda import mmm_cs_1d, mmm_mx_1d


def longest_wait(params):
    """Return the most clocks that a word waits after pauses of all lengths, but for the first."""
    component, words, waits = params.create(), params.encode(*adapter(params).longest()), []
    pauses = range(params.ring_words + params.ratio + 1)

    async def send(ctx):
        ctx.set(component.o.ready, 1)
        await offer(ctx, component.k, params.encode_key(*key_of(
            params, *adapter(params).longest())))
        for late in range(1, len(words)):
            for pause in pauses:
                await multiply(ctx, late, pause)

    async def multiply(ctx, late, pause):
        for index, word in enumerate(words):
            for _ in range(pause if index == late else 0):
                await ctx.tick()
            ctx.set(component.i.payload, word)
            ctx.set(component.i.valid, 1)
            clocks = 0
            while not ctx.get(component.i.ready):
                await ctx.tick()
                clocks += 1
                assert clocks <= 10 * params.cycles.interval
            waits.append(clocks if index else 0)
            await ctx.tick()
            ctx.set(component.i.valid, 0)
        for _ in range(params.result_words):
            await ctx.tick().until(component.o.valid)

    run(component, send)
    return max(waits)


@pytest.mark.parametrize("params", [
    mmm_cs_1d.Parameters(width=9, word_width=4, pe_width=4),
    mmm_mx_1d.Parameters(width=9, word_width=4, pe_width=4),
    mmm_mx_1d.Parameters(width=13, word_width=8, pe_width=4),
    mmm_mx_1d.Parameters(width=9, word_width=4, pe_width=4, arrangement="row"),
])
def test_a_word_waits_as_long_as_the_parameters_say(params):
    assert longest_wait(params) == params.longest_wait
