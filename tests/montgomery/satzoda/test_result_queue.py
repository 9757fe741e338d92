import random

import pytest
from bench import run

from montgomery.blocks.banks import BANK
from montgomery.satzoda.array import ResultQueue

WIDTH = 9
SEED = 7


def _run(depth, clocks, push_chance, take_chance):
    """Push and take at random; return the words pushed and taken, each with its clock.

    Whoever pushes has as many places as the queue, and gets back those that are freed.
    """
    dut = ResultQueue(WIDTH, depth)
    rng = random.Random(f"{depth} {SEED}")
    pushed, taken, freed = [], [], []

    async def testbench(ctx):
        places, coming, data, held = depth, None, None, None
        for clock in range(clocks):
            ctx.set(dut.data, rng.getrandbits(WIDTH) if data is None else data)
            push = places > 0 and rng.random() < push_chance(clock)
            take = rng.random() < take_chance(clock)
            ctx.set(dut.push, push)
            ctx.set(dut.o.ready, take)
            data, coming = coming, rng.getrandbits(WIDTH) if push else None
            if push:
                pushed.append((coming, clock + 2))
            *_, valid, word, free = await ctx.tick().sample(dut.o.valid, dut.o.payload, dut.freed)
            assert held is None or (valid and word == held)
            held = word if valid and not take else None
            if valid and take:
                taken.append((word, clock))
            places += free - push
            if free:
                freed.append(clock)

    run(dut, testbench)
    return pushed, taken, freed


@pytest.mark.parametrize("depth", [1, 2, 8, BANK, 3 * BANK + 5])
@pytest.mark.parametrize("chances", [(0.5, 0.5), (1.0, 0.7), (0.7, 1.0)])
def test_words_come_out_in_order(depth, chances):
    idle = 800
    pushed, taken, freed = _run(depth, 1000, lambda clock: chances[0] * (clock < idle),
                                lambda clock: chances[1] if clock < idle else 1.0)
    assert len(pushed) > 100
    assert [word for word, _ in taken] == [word for word, _ in pushed]
    assert len(freed) == len(pushed)


@pytest.mark.parametrize("depth", [8, BANK, 2 * BANK + 1])
def test_latency(depth):
    pushed, taken, freed = _run(depth, 200, lambda clock: clock % 20 == 0, lambda clock: 1.0)
    assert len(pushed) == 10
    for (_, into), (_, out), free in zip(pushed, taken, freed, strict=True):
        assert (out - into, free - into) == (ResultQueue.LATENCY, ResultQueue.RELEASE)


@pytest.mark.parametrize("depth", [8, BANK, 2 * BANK + 1])
def test_a_word_a_clock(depth):
    pushed, taken, _ = _run(depth, 200, lambda clock: 1.0, lambda clock: 1.0)
    assert [clock for _, clock in pushed] == list(range(2, 202))
    assert len(taken) == 200 - ResultQueue.LATENCY - 2


@pytest.mark.parametrize("depth", [8, BANK, 2 * BANK + 1])
def test_a_queue_that_was_full_is_emptied_without_gaps_but_at_eight(depth):
    stop = 100
    pushed, taken, _ = _run(depth, 300, lambda clock: clock < stop, lambda clock: clock >= stop)
    # The outlet keeps three places for words that may be on their way.
    assert depth + BANK - 3 <= len(pushed) <= depth + BANK
    assert len(taken) == len(pushed)
    # Where the room in the outlet rises to 8, the words wait for two clocks at most.
    assert taken[-1][1] - taken[0][1] <= len(taken) + 1
