"""The buffer of operands and results, which is read as often as it is wanted."""

import pytest
from bench import run

from montgomery.multi_step.store import Store


async def _write(ctx, store, words):
    for index, word in enumerate(words):
        ctx.set(store.push, 1)
        ctx.set(store.data, word)
        assert ctx.get(store.full) == (index == len(words) - 1)
        await ctx.tick()
    ctx.set(store.push, 0)


async def _read(ctx, store, count):
    """Read some words, and pause for a clock."""
    found = []
    for clock in range(count + 1):
        ctx.set(store.read, clock < count)
        *_, valid, first, last, word = await ctx.tick().sample(
            store.valid, store.first, store.last, store.word)
        assert valid == (clock > 0)
        if valid:
            assert (first, last) == (not found, len(found) == store.depth - 1)
            found.append(word)
    return found


@pytest.mark.parametrize("depth", [1, 2, 15, 16, 17, 32, 33])
def test_words_are_read_from_the_first_at_each_time(depth):
    store = Store(8, depth)

    async def testbench(ctx):
        for offset in (3, 100):
            words = [(offset + 5 * index) % 256 for index in range(depth)]
            await _write(ctx, store, words)
            for count in (depth, depth // 2, depth):
                assert await _read(ctx, store, count) == words[:count]

    run(store, testbench)


def test_words_are_read_while_others_are_written_behind_them():
    store = Store(8, 20)
    found = []

    async def testbench(ctx):
        await _write(ctx, store, range(20))
        for clock in range(21):
            ctx.set(store.read, clock < 20)
            ctx.set(store.push, clock > 0)
            ctx.set(store.data, 100 + clock)
            *_, valid, word = await ctx.tick().sample(store.valid, store.word)
            found.extend([word] if valid else [])
        ctx.set(store.push, 0)
        await ctx.tick()
        assert found == list(range(20))
        assert await _read(ctx, store, 20) == list(range(101, 121))

    run(store, testbench)
