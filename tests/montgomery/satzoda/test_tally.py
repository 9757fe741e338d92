import random

import pytest
from bench import run

from montgomery.satzoda.tally import Tally

SEED = 11


@pytest.mark.parametrize("limit", [1, 7, 8, 9, 150])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("drift", [0.3, 0.6])
def test_outputs_are_right_or_late(limit, full, drift):
    dut = Tally(limit, init=limit if full else 0)
    rng = random.Random(f"{limit} {full} {drift} {SEED}")

    async def testbench(ctx):
        number = before = limit if full else 0
        since_8 = 100  # clocks since it rose to 8
        for clock in range(1500):
            some, enough = ctx.get(dut.some), ctx.get(dut.enough)
            assert not some or number > 0
            assert not enough or before >= Tally.ENOUGH
            if since_8 > 3:
                assert some == (number > 0)
            if since_8 > 3 and clock:
                assert enough == (before >= Tally.ENOUGH)
            # Who goes down must have seen that it can. The drift changes its direction at times.
            likely = drift if clock % 300 < 200 else 1 - drift
            down = some and rng.random() >= likely
            up = rng.random() < likely and (number < limit or down)
            ctx.set(dut.up, up)
            ctx.set(dut.down, down)
            before, number = number, number + up - down
            since_8 = 1 if (before, number) == (7, 8) else since_8 + 1
            held = some and not down
            await ctx.tick()
            assert not held or ctx.get(dut.some)

    run(dut, testbench)
