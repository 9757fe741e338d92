"""A core that is cleared keeps nothing of what it was sent, and goes on as a new one."""

import random

import pytest
from bench import Simulated, offer, receive
from cases import each_core

from explore.simulation.kinds import adapter
from montgomery.blocks.clearable import Clearable
from montgomery.core import expected_words, key_of

SEED = 44
#: More clocks than any of these cores takes.
PATIENCE = 100_000
CORES = each_core({"hash": 64})


def _state(simulator):
    """Return the values of all signals and memories."""
    return [tuple(slot.data) if hasattr(slot, "memory") else slot.curr
            for slot in simulator._engine._state.slots]


async def _operate(ctx, core, params, vector):
    if params.k_words:
        await offer(ctx, core.k, params.encode_key(*key_of(params, *vector)))
    await offer(ctx, core.i, params.encode(*vector))


async def _silence(ctx, core, params):
    """Leave nothing on the wires, which some cores take in also without a word."""
    for name in "ik"[:1 + bool(params.k_words)]:
        ctx.set(getattr(core, name).payload, 0)


def _cleared(simulated, params, vectors, *, after):
    """Return what is left of a core that is cleared some clocks after its last operation was sent:
    the clocks by which it is quicker than it says, and its state.
    """
    core, found = simulated.component, []

    async def testbench(ctx):
        for index, vector in enumerate(vectors):
            await _operate(ctx, core, params, vector)
            if after is not None and index == len(vectors) - 1:
                await ctx.tick().repeat(after)
            else:
                words = await receive(ctx, core.o, params.result_words, patience=PATIENCE)
                assert words == expected_words(params, *vector)
        await _silence(ctx, core, params)
        ctx.set(core.clear, 1)
        await ctx.tick()
        ctx.set(core.clear, 0)
        clocks = 0
        while ctx.get(core.busy):
            assert not ctx.get(core.i.ready)
            await ctx.tick()
            clocks += 1
            assert clocks <= core.clocks
        found.extend([core.clocks - clocks, _state(simulated.simulator)])
        await _operate(ctx, core, params, vectors[0])
        words = await receive(ctx, core.o, params.result_words, patience=PATIENCE)
        assert words == expected_words(params, *vectors[0])

    simulated.run(testbench)
    return found


@pytest.mark.parametrize("params", CORES)
def test_nothing_is_left(params):
    rng = random.Random(SEED)
    sample = adapter(params).sample
    longest = params.cycles
    after = rng.randrange(1, longest.compute + longest.unload)
    simulated = Simulated(Clearable(params))
    (quicker, state), (slower, other) = (
        _cleared(simulated, params, [sample(rng) for _ in range(count)], after=when)
        for count, when in ((1, None), (2, after)))
    assert state == other, f"seed {SEED}"
    # Where words may wait for others after a reset, it counts them once more.
    spare = params.cycles.load if params.cycles.load > params.i_words else 0
    assert {quicker, slower} <= {*range(2 + spare)}
