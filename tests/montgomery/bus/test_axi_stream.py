"""Cores with ports of AXI-Stream."""

import types

from amaranth.sim import Simulator
from bench import offer
from cxxrtl import seeded

from montgomery import architectures
from montgomery.bus import AxisCore

MODULUS = 251


def test_axi_stream_marks_the_last_word(request):
    params = architectures()["mmm_mx_1d"](width=8, word_width=4, pe_width=4)
    core, rng = AxisCore(params, clear=True), seeded(request)
    pairs = [(rng.randrange(MODULUS), rng.randrange(MODULUS)) for _ in range(4)]
    found, lasts = [], []

    def stream(port):
        return types.SimpleNamespace(payload=port.tdata, valid=port.tvalid, ready=port.tready)

    async def sender(ctx):
        await offer(ctx, stream(core.s_axis_key), params.encode_key(MODULUS))
        for pair in pairs:
            await offer(ctx, stream(core.s_axis), params.encode(*pair))

    async def receiver(ctx):
        while len(found) < len(pairs) * params.result_words:
            ctx.set(core.m_axis.tready, rng.random() < 0.5)
            if ctx.get(core.m_axis.tvalid) and ctx.get(core.m_axis.tready):
                found.append(ctx.get(core.m_axis.tdata))
                lasts.append(ctx.get(core.m_axis.tlast))
            await ctx.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(sender)
    simulator.add_testbench(receiver)
    simulator.run()
    size = params.result_words
    assert [params.decode(found[start:start + size]) for start in range(0, len(found), size)] == [
        params.compute(*pair, MODULUS) for pair in pairs]
    assert lasts == ([0] * (size - 1) + [1]) * len(pairs)
