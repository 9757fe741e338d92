import random

import pytest
from bench import run

from montgomery.blocks.gather import Gather

SEED = 11


@pytest.mark.parametrize(("count", "latency"), [(1, 1), (2, 1), (8, 1), (9, 2), (17, 2), (32, 2),
                                                (33, 3), (128, 3), (129, 4)])
def test_a_word_a_clock_and_0_between(count, latency):
    assert Gather.latency_of(count) == latency
    gather = Gather(5, count)
    rng = random.Random(SEED)
    # Words in order, words at random, and clocks in which none is chosen.
    choices = [*range(count), *(rng.choice([None, rng.randrange(count)]) for _ in range(40))]
    found, expected = [], []

    async def testbench(ctx):
        for choice in choices:
            words = [rng.getrandbits(5) for _ in range(count)]
            for index, word in enumerate(words):
                ctx.set(gather.words[index], word)
            ctx.set(gather.chosen, 0 if choice is None else 1 << choice)
            expected.append(0 if choice is None else words[choice])
            *_, word = await ctx.tick().sample(gather.word)
            found.append(word)
        for _ in range(latency):
            *_, word = await ctx.tick().sample(gather.word)
            found.append(word)

    run(gather, testbench)
    assert found[latency:] == expected, f"seed {SEED}"
