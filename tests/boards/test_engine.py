"""What an engine takes, and what is left in it of what it was sent."""

import functools
import random

import pytest
from amaranth.sim import Simulator
from toy_key import Keyed

from boards.engine import Engine
from boards.protocol import packed, unpacked, word_bytes
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import LEAST_WIDTH, key_of, name_of, results_of, traits

SEED = 68
#: As many clocks as a byte takes on the fastest line.
BYTE = 40
#: Clocks in which all of these cores are cleared.
SETTLED = 2000
MULTIPLIERS = KINDS["multiplier"].cores()
CORES = [MULTIPLIERS["mmm_mx_2d"](width=8), KINDS["inversion"].cores()["divsteps"](width=32),
         Keyed(width=8), MULTIPLIERS["single_dsp"](width=60, word_width=8)]
each_core = pytest.mark.parametrize("core", CORES, ids=name_of)


def _state(ctx):
    """Return the values of all signals and memories."""
    return [tuple(slot.data) if hasattr(slot, "memory") else slot.curr
            for slot in ctx._engine._state.slots]


def _run(core, testbench):
    simulator = Simulator(engine := Engine(core))
    simulator.add_clock(1e-6)
    simulator.add_testbench(functools.partial(testbench, engine=engine))
    simulator.run()


async def _pulse(ctx, port):
    ctx.set(port, 1)
    await ctx.tick()
    ctx.set(port, 0)


async def _send(ctx, engine, words, width, *, key=False):
    """Send a request, and return whether it has as many words as it must have."""
    ctx.set(engine.key, key)
    await _pulse(ctx, engine.clear)
    for byte in bytes(2) + packed(words, width):
        ctx.set(engine.request.payload, byte)
        await _pulse(ctx, engine.request.valid)
        await ctx.tick().repeat(BYTE)
    ctx.set(engine.request.payload, 0)
    return ctx.get(engine.whole)


async def _done(ctx, engine, count=0):
    """Start what was sent, and return the bytes of the reply."""
    await _pulse(ctx, engine.start)
    await ctx.tick().until(engine.ready)
    reply = bytearray()
    ctx.set(engine.reply.ready, 1)
    while len(reply) < count:
        byte, = await ctx.tick().sample(engine.reply.payload).until(engine.reply.valid)
        reply.append(byte)
    ctx.set(engine.reply.ready, 0)
    await _pulse(ctx, engine.finish)
    return bytes(reply)


async def _operation(ctx, engine, core, vector):
    if core.k_words:
        assert await _send(ctx, engine, core.encode_key(*key_of(core, *vector)),
                           core.key_operands.width, key=True)
        await _done(ctx, engine)
    assert await _send(ctx, engine, core.encode(*vector), core.operands.width)
    width = results_of(core).width
    reply = await _done(ctx, engine, 8 + core.result_words * word_bytes(width))
    assert core.decode(unpacked(reply[8:], width)) == core.compute(*vector)


@each_core
def test_nothing_is_left(core):
    """Of an operation, when its result has left a core without keys; of a key that is forgotten.

    The next request may begin at once, and is right.
    """
    rng = random.Random(SEED)
    one, *others = (adapter(core).sample(rng) for _ in range(3))

    async def testbench(ctx, engine, vectors):
        for vector in vectors:
            await _operation(ctx, engine, core, vector)
        if core.k_words:
            await _pulse(ctx, engine.forget)
        await ctx.tick().repeat(SETTLED)
        left.append(_state(ctx))
        await _operation(ctx, engine, core, vectors[0])

    left = []
    for vectors in ([one], others):
        _run(core, functools.partial(testbench, vectors=vectors))
    assert left[0] == left[1], f"seed {SEED}"


@pytest.mark.parametrize("core", [core for core in CORES if core.k_words], ids=name_of)
def test_requests_with_words_too_few_or_too_many(core):
    """Nothing that is no operation or key of the core, or of a shorter one, is given to it."""
    vector = adapter(core).sample(random.Random(SEED))
    cores = [core.shorter(bits) for bits in range(
        LEAST_WIDTH, core.width + 1)] if traits(core).takes_shorter else [core]

    async def testbench(ctx, engine):
        for is_key, message, name in ((True, core.key_operands, "k_words"),
                                      (False, core.operands, "i_words")):
            right = {getattr(each, name) for each in cores}
            for count in range(max(core.i_words, core.k_words) + 1):
                assert await _send(ctx, engine, [0] * count, message.width,
                                   key=is_key) == (count in right)
        await _operation(ctx, engine, core, vector)

    _run(core, testbench)
