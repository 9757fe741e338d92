"""The memory of the modulus of a ring, and what it is for."""

import random

import cases
import pytest
from bench import Resettable, multiply, operate, run

from montgomery import architectures
from montgomery.satzoda.modulus_store import ModulusStore
from montgomery.satzoda.radix2 import Radix2Parameters

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


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", [
    pytest.param(cls(width=13, pe_width=4, word_width=word_width, **variant),
                 id=f"{name}-{word_width}-{variant}")
    for name, cls in architectures().items() if issubclass(cls, Radix2Parameters)
    for variant in cases.variants(cls) for word_width in (4, 16)])
def test_a_product_takes_the_same_clocks_whenever_it_comes(params):
    core = Resettable(params)
    vectors = [(x, y, 8191) for x, y in ((1, 16381), (16381, 5), (8190, 8190))]
    expected = {(params.cycles.load, params.cycles.compute, params.cycles.unload)}
    taken, products = set(), []

    async def testbench(ctx):
        for pause in range(1, params.geometry.words + 3):
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            for index, vector in enumerate(vectors):
                if index == 0:
                    words, cycles = await operate(ctx, core, params, vector)
                else:
                    await ctx.tick().repeat(pause)
                    words, cycles = await multiply(ctx, core, params.encode(*vector),
                                                   params.result_words)
                taken.add((cycles.load, cycles.compute, cycles.unload))
                products.append(params.decode(words))

    run(core, testbench)
    assert taken == expected
    count = len(products) // len(vectors)
    assert products == [params.compute(*vector) for vector in vectors] * count
