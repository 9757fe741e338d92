import random

import pytest
from bench import run

from montgomery.blocks.banks import BANK
from montgomery.satzoda.serial_bits import SerialBits

SEED = 31


@pytest.mark.parametrize("count", [1, 2, 3, BANK, BANK + 1, BANK + 2])
@pytest.mark.parametrize("width", [4, 9])
@pytest.mark.parametrize(("window", "revolution"), [(1, 1), (1, 2), (5, 5), (3, 7)])
def test_bits_come_in_order(count, width, window, revolution):
    dut = SerialBits(width, count)
    rng = random.Random(f"{count} {width} {window} {SEED}")

    async def testbench(ctx):
        for _ in range(3):
            x = rng.getrandbits(width * count)
            for index in range(count):
                ctx.set(dut.load, 1)
                ctx.set(dut.first, index == 0)
                ctx.set(dut.x, x >> (width * index))
                await ctx.tick()
                assert not ctx.get(dut.bit)
            ctx.set(dut.load, 0)
            ctx.set(dut.first, 0)
            found, clock = [], 0
            while len(found) < width * count:
                served = clock % revolution < window
                ctx.set(dut.running_next, 1)
                ctx.set(dut.window, served)
                following = ctx.get(dut.next_bit)
                await ctx.tick()
                assert ctx.get(dut.bit) == following
                if served:
                    found.append(following)
                clock += 1
            assert found == [x >> index & 1 for index in range(width * count)]
            ctx.set(dut.running_next, 0)
            await ctx.tick()
            assert not ctx.get(dut.bit)

    run(dut, testbench)
