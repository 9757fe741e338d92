"""The memory of a lane, in one block RAM and in two."""

import random

import pytest
from bench import run

from montgomery.dsp_systolic.lane import ColumnMemory

SEED = 2031


@pytest.mark.parametrize(("rows", "bits"), [(3, 5), (5, 12)])
def test_reads_what_was_written(rows, bits):
    """Also where the port that reads stands still in between."""
    rng = random.Random(SEED)
    memory = ColumnMemory(8, rows, bits)
    words = {address: rng.getrandbits(8) for address in rng.sample(range(rows << bits), 40)}

    async def testbench(ctx):
        for address, word in words.items():
            for name, value in (("write", 1), ("address", address), ("data", word)):
                ctx.set(getattr(memory.a, name), value)
            await ctx.tick()
        ctx.set(memory.a.write, 0)
        asked = []
        for address in [*words, 0]:
            ctx.set(memory.b.address, address)
            ctx.set(memory.b.enable, 0)
            await ctx.tick().repeat(rng.randrange(1, 4))
            ctx.set(memory.b.enable, 1)
            await ctx.tick()
            asked.append(address)
            if len(asked) > 1:
                assert ctx.get(memory.b.q) == words[asked[-2]]

    run(memory, testbench)
