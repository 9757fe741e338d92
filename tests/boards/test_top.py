"""What is left in a board of what it was sent."""

import functools
import random

import pytest
from amaranth.sim import Simulator
from toy_key import Keyed
from wire import BAUD

from boards.protocol import Decoder, Reply, Request, packed, unpacked
from boards.top import Line
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.bus.registers import ERRORS, RESULT, Command
from montgomery.core import key_of, name_of, results_of

SEED = 68
#: Clocks in which all of these cores are cleared.
SETTLED = 500
MULTIPLIERS = KINDS["multiplier"].cores()
CORES = [MULTIPLIERS["mmm_mx_2d"](width=16), Keyed(width=8),
         MULTIPLIERS["single_dsp"](width=24, word_width=8)]


def _state(ctx):
    """Return the values of all signals and memories."""
    return [tuple(slot.data) if hasattr(slot, "memory") else slot.curr
            for slot in ctx._engine._state.slots]


async def _exchange(ctx, line, request, bits=0):
    """Send a request, and return the reply, which has registers of so many bits."""
    for byte in request.encode():
        ctx.set(line.i.payload, byte)
        ctx.set(line.i.valid, 1)
        await ctx.tick().until(line.i.ready)
    ctx.set(line.i.valid, 0)
    ctx.set(line.i.payload, 0)
    decoder = Decoder()
    while True:
        byte, = await ctx.tick().sample(line.o.payload).until(line.o.valid)
        for frame in decoder.feed(bytes([byte])):
            return Reply.decode(frame, bits)


async def _operation(ctx, line, core, vector):
    windows = {window.name: window for window in line.top.registers.windows}
    if core.k_words:
        words = core.encode_key(*key_of(core, *vector))
        assert not (await _exchange(ctx, line, Request(
            tag=1, command=Command.LOAD, words=len(words), write=windows["OPERANDS"].slots,
            data=packed(words, core.key_operands.width)))).status & ERRORS
    words, width = core.encode(*vector), results_of(core).width
    reply = await _exchange(ctx, line, Request(
        tag=2, read=RESULT, count=windows["RESULT"].slots, command=Command.START,
        words=len(words), data=packed(words, core.operands.width)), core.result_words * width)
    assert not reply.status & ERRORS
    assert core.decode(unpacked(reply.number, width, core.result_words)) == core.compute(*vector)


@pytest.mark.parametrize("core", CORES, ids=lambda core: f"{name_of(core)}-{core.width}")
def test_nothing_is_left(core):
    """Of an operation, when its result has left a core without keys; of a key that is cleared.

    The next request may begin at once, and is right.
    """
    rng = random.Random(SEED)
    one, *others = (adapter(core).sample(rng) for _ in range(2))

    async def testbench(ctx, line, vectors):
        for vector in vectors:
            await _operation(ctx, line, core, vector)
        if core.k_words:
            await _exchange(ctx, line, Request(tag=3, command=Command.CLEAR))
        await ctx.tick().repeat(SETTLED)
        left.append(_state(ctx))
        await _operation(ctx, line, core, vectors[0])

    left = []
    for vectors in ([one], others):
        simulator = Simulator(line := Line(core, baud=BAUD))
        simulator.add_clock(1e-6)
        simulator.add_testbench(functools.partial(testbench, line=line, vectors=vectors))
        simulator.run()
    assert left[0] == left[1], f"seed {SEED}"
