import random

import pytest
from bench import run

from montgomery.blocks.banks import BANK, Pointer, WordBuffer

DEPTHS = pytest.mark.parametrize("depth", [1, 2, 3, BANK - 1, BANK, BANK + 1, 2 * BANK - 1,
                                           2 * BANK, 2 * BANK + 1, 5 * BANK + 3])
WIDTH = 9
SEED = 5


def _words(depth):
    return random.Random(f"{depth} {SEED}").choices(range(1 << WIDTH), k=depth)


async def _rewind(ctx, dut):
    ctx.set(dut.available, 0)
    await ctx.tick()


async def _fill(ctx, dut, words, *, gap=0):
    for index, word in enumerate(words):
        for _ in range(gap):
            await ctx.tick()
        ctx.set(dut.data, word)
        ctx.set(dut.push, 1)
        assert ctx.get(dut.full) == (index == len(words) - 1)
        await ctx.tick()
        ctx.set(dut.push, 0)


async def _drain(ctx, dut, words, *, chance=1.0):
    """Take ``words`` and return the clocks it took, the first one of the wait included."""
    rng = random.Random(SEED)
    clocks = index = 0
    while index < len(words):
        accept = rng.random() < chance
        ctx.set(dut.o.ready, accept)
        *_, valid, word, last = await ctx.tick().sample(dut.o.valid, dut.o.payload, dut.last)
        clocks += 1
        assert clocks < 1000
        if valid:
            assert (index, word, last) == (index, words[index], index == dut.depth - 1)
            index += accept
    ctx.set(dut.o.ready, 0)
    return clocks


@DEPTHS
@pytest.mark.parametrize("registered", [False, True])
def test_a_word_a_clock_after_the_first(depth, registered):
    dut = WordBuffer(WIDTH, depth, registered=registered)

    async def testbench(ctx):
        await _rewind(ctx, dut)
        await _fill(ctx, dut, _words(depth))
        ctx.set(dut.available, 1)
        assert await _drain(ctx, dut, _words(depth)) == 1 + registered + depth

    run(dut, testbench)


@DEPTHS
@pytest.mark.parametrize("waiting", [False, True])
def test_what_was_read_ahead_is_dropped(depth, waiting):
    dut = WordBuffer(WIDTH, depth)
    words = _words(depth)

    async def testbench(ctx):
        await _rewind(ctx, dut)
        await _fill(ctx, dut, words)
        for taken in sorted({0, 1, depth // 2, depth}):
            ctx.set(dut.available, 1)
            await _drain(ctx, dut, words[:taken])
            if waiting:
                await ctx.tick().repeat(5)
            await _rewind(ctx, dut)
        ctx.set(dut.available, 1)
        await _drain(ctx, dut, words)

    run(dut, testbench)


@DEPTHS
@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("chance", [0.3, 1.0])
def test_a_queue_of_numbers(depth, turns, chance):
    dut = WordBuffer(WIDTH, depth, turns=turns)
    numbers = 5
    words = _words(numbers * depth)
    free = turns

    async def write(ctx):
        nonlocal free
        for start in range(0, len(words), depth):
            while not free:
                await ctx.tick()
            free -= 1
            await _fill(ctx, dut, words[start:start + depth])

    async def count(ctx):
        nonlocal free
        for _ in range(numbers):
            await ctx.tick().until(dut.freed)
            free += 1

    async def read(ctx):
        for start in range(0, len(words), depth):
            await _drain(ctx, dut, words[start:start + depth], chance=chance)

    run(dut, write, read, count)


@DEPTHS
def test_latency_of_a_queue(depth):
    dut = WordBuffer(WIDTH, depth, turns=1)

    async def write(ctx):
        await _fill(ctx, dut, _words(depth))

    async def read(ctx):
        assert await _drain(ctx, dut, _words(depth)) == WordBuffer.LATENCY + depth

    run(dut, write, read)


@pytest.mark.parametrize("depth", [*range(1, 4), *range(BANK - 2, 3 * BANK + 3)])
def test_a_pointer_goes_round(depth):
    dut = Pointer(depth)

    async def testbench(ctx):
        ctx.set(dut.step, 1)
        for step in range(2 * depth + BANK + 2):
            bank, index = divmod(step % depth, BANK)
            assert ctx.get(dut.bank) == 1 << bank
            assert ctx.get(dut.index) == index
            assert ctx.get(dut.first) == (step % depth == 0)
            assert ctx.get(dut.last) == (step % depth == depth - 1)
            await ctx.tick()

    run(dut, testbench)
