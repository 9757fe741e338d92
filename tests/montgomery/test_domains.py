"""Cores in designs of others: in another clock domain, or stopped by an enable."""

import random

import pytest
from amaranth.hdl import DomainRenamer, EnableInserter, Fragment, Signal
from amaranth.sim import Simulator
from cases import each_core

from explore.simulation.kinds import adapter
from montgomery.core import about, expected_words, key_of, traits
from montgomery.technology import technologies

SEED = 7
CORES = each_core({"hash": 64})


def _operate(core, params, design, *, domain="sync", enable=None):
    """Compare the results of two operations with a key each."""
    rng, found = random.Random(SEED), []
    vectors = [adapter(params).sample(rng) for _ in range(2)]

    async def testbench(ctx):
        async def tick():
            # Nothing moves while the core is stopped.
            while enable is not None and rng.getrandbits(1):
                ctx.set(enable, 0)
                await ctx.tick(domain)
            if enable is not None:
                ctx.set(enable, 1)
            await ctx.tick(domain)

        async def send(port, words):
            for word in words:
                ctx.set(port.payload, word)
                ctx.set(port.valid, 1)
                while not ctx.get(port.ready):
                    await tick()
                await tick()
                ctx.set(port.valid, 0)

        for vector in vectors:
            if params.k_words:
                await send(core.k, params.encode_key(*key_of(params, *vector)))
            await send(core.i, params.encode(*vector))
            ctx.set(core.o.ready, 1)
            for _ in range(params.result_words):
                while not ctx.get(core.o.valid):
                    await tick()
                found.append(ctx.get(core.o.payload))
                await tick()
            ctx.set(core.o.ready, 0)

    simulator = Simulator(design)
    simulator.add_clock(1e-6, domain=domain)
    simulator.add_testbench(testbench)
    simulator.run()
    assert found == [word for each in vectors for word in expected_words(params, *each)], SEED


@pytest.mark.parametrize("params", CORES)
def test_another_domain(params):
    core = params.create()
    _operate(core, params, DomainRenamer("fast")(core), domain="fast")


@pytest.mark.parametrize("params", CORES)
def test_a_core_that_is_stopped_goes_on_where_it_was(params):
    core, enable = params.create(), Signal(init=1)
    _operate(core, params, EnableInserter(enable)(core), enable=enable)


@pytest.mark.parametrize("params", [core for core in CORES if about(core.values[0]).uses_blocks])
def test_blocks_of_a_device_are_not_stopped_by_half(params):
    ecp5 = technologies()["ecp5"]
    renamed = DomainRenamer("fast")(params.create())
    assert Fragment.get(renamed, ecp5).prepare().fragment
    if traits(params).blocks(ecp5):
        with pytest.raises(NotImplementedError, match=r"^EnableInserter must not be applied to a "):
            Fragment.get(EnableInserter(Signal())(params.create()), ecp5)
