"""The memory that is read a clock ahead, against a list."""

import random

import pytest
from bench import run

from montgomery.cox_rower.look_ahead import LookAhead

SEED = 17


@pytest.mark.parametrize("depth", [2, 5, 8])
def test_word_at_the_address(depth):
    rng = random.Random(f"{SEED} {depth}")
    memory, words = LookAhead(6, depth), [0] * depth
    again = 0

    async def testbench(ctx):
        nonlocal again
        for _ in range(200):
            address, target, value, write = (rng.randrange(depth), rng.randrange(depth),
                                             rng.getrandbits(6), rng.randrange(2))
            for port, driven in ((memory.next, address), (memory.target, target),
                                 (memory.value, value), (memory.write, write)):
                ctx.set(port, driven)
            await ctx.tick()
            if write:
                words[target] = value
            assert ctx.get(memory.data) == words[address], f"seed {SEED}"
            again += write and target == address

    run(memory, testbench)
    assert again
