"""Copies of a core whose ports have words of different widths."""

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from bench import offer, receive, run

from explore.simulation import random_vectors
from montgomery import architectures
from montgomery.blocks.parallel_cores import ParallelCores

SEED = 44


class Counted(wiring.Component):
    """A core that says which word of a result is the last."""

    def __init__(self, params):
        self.params, self.last = params, Signal()
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.params.create()
        for port in ("i", "k"):
            wiring.connect(m, wiring.flipped(getattr(self, port)), getattr(core, port))
        wiring.connect(m, core.o, wiring.flipped(self.o))
        words = self.params.result_words
        sent = Signal(range(words))
        m.d.comb += self.last.eq(sent == words - 1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += sent.eq(sent + 1)
            with m.If(self.last):
                m.d.sync += sent.eq(0)
        return m


@pytest.mark.parametrize("count", [1, 3, 6])
def test_results_come_in_the_order_of_the_operations(count):
    params = architectures()["mmm_cs_1d"](width=13, word_width=8, pe_width=8)
    key = params.encode_key(8191)
    vectors = [(x, y, 8191) for x, y, _ in random_vectors(params, 3 * count, SEED)]
    words = params.encode(1, 1)
    cores = ParallelCores(params.signature, [Counted(params) for _ in range(count)],
                          lambda word: (Const(len(key) - 1), Const(len(words))))

    async def send(ctx):
        await offer(ctx, cores.k, key)
        for x, y, _ in vectors:
            await offer(ctx, cores.i, params.encode(x % 16382, y % 16382))

    async def take(ctx):
        for x, y, modulus in vectors:
            found = await receive(ctx, cores.o, params.result_words)
            assert params.decode(found) == params.compute(x % 16382, y % 16382, modulus)

    run(cores, send, take)
