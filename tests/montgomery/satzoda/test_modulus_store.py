"""The memory of the modulus of a ring, and what it is for."""

import random

import pytest
from bench import run

from montgomery.satzoda.modulus_store import ModulusStore

SEED = 11


@pytest.mark.parametrize("count", [1, 2, 3, 15, 16, 17, 33])
def test_words_are_read_as_often_as_wanted(count):
    rng = random.Random(SEED)
    store = ModulusStore(8, count)
    found, filled = [], []

    async def clock(ctx, **inputs):
        for name in ("push", "data", "rewind", "steps"):
            ctx.set(getattr(store, name), inputs.get(name, 0))
        await ctx.tick()

    async def testbench(ctx):
        for _ in range(3):
            words = [rng.getrandbits(8) for _ in range(count)]
            for index, word in enumerate(words):
                await clock(ctx, push=1, data=word, rewind=index == count - 1)
            for _ in range(2):
                filled.append(ctx.get(store.filled))
                for _ in range(ModulusStore.LATENCY - 1):
                    await clock(ctx)
                read, step = [], False
                while len(read) < count:
                    if step:
                        read.append(ctx.get(store.word))
                    rewind = step and len(read) == count
                    step = len(read) < count and rng.random() < 0.6
                    await clock(ctx, steps=step, rewind=rewind)
                found.append((read, words))

    run(store, testbench)
    assert all(read == words for read, words in found), f"seed {SEED}"
    assert all(filled)
