import random

import pytest
from bench import run

from montgomery.blocks.banks import BANK
from montgomery.satzoda.result_buffer import ResultBuffer

WIDTH = 5
SEED = 19
RESULTS = 40


def _run(count, pause, take_chance):
    """Push results while there is room for them; return the words pushed and taken, with clocks."""
    dut = ResultBuffer(WIDTH, count)
    rng = random.Random(f"{count} {pause} {take_chance} {SEED}")
    pushed, taken = [], []

    async def testbench(ctx):
        room, left, wait, held = 2, 0, 0, None
        clock = 0
        while len(taken) < RESULTS * count:
            clock += 1
            assert clock < 100 * RESULTS * count
            if not left and room and not wait and len(pushed) < RESULTS * count:
                room, left, wait = room - 1, count, rng.randint(0, pause)
            wait -= wait > 0 and not left
            word = rng.getrandbits(WIDTH)
            take = rng.random() < take_chance
            ctx.set(dut.push, left > 0)
            ctx.set(dut.data, word)
            ctx.set(dut.o.ready, take)
            assert not left or ctx.get(dut.full) == (left == 1)
            if left:
                pushed.append((word, clock))
                left -= 1
            *_, valid, payload, freed = await ctx.tick().sample(
                dut.o.valid, dut.o.payload, dut.freed)
            assert held is None or (valid and payload == held)
            held = payload if valid and not take else None
            if valid and take:
                taken.append((payload, clock))
            room += freed
            assert room <= 2

    run(dut, testbench)
    return pushed, taken


@pytest.mark.parametrize("count", [1, 2, BANK, 2 * BANK + 3])
@pytest.mark.parametrize(("pause", "take_chance"), [(0, 1.0), (0, 0.3), (9, 0.7), (50, 0.5)])
def test_words_come_out_in_order(count, pause, take_chance):
    pushed, taken = _run(count, pause, take_chance)
    assert [word for word, _ in taken] == [word for word, _ in pushed]


@pytest.mark.parametrize("count", [2, BANK + 1])
def test_latency(count):
    pushed, taken = _run(count, 8 * count, 1.0)
    first = pushed[::count], taken[::count]
    assert ResultBuffer.LATENCY in {out - into for (_, into), (_, out) in zip(*first, strict=True)}
    for index in range(0, len(taken), count):
        clocks = [clock for _, clock in taken[index:index + count]]
        assert clocks == list(range(clocks[0], clocks[0] + count))
