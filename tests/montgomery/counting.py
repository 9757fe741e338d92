"""Counts what the multiplier of ``single_dsp`` does, clock by clock."""

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator
from bench import operate

__all__ = ["count"]


def count(params, vector):
    """Do one multiplication.

    Returns
    -------
    product : :class:`int`
    clocks : :class:`int`
        For which the multiplier was taken.
    products : :class:`int`
        In how many of them it did what the algorithm asks for: a product by X, M or -1/M.
    """
    core = params.create()
    m = Module()
    m.domains.sync = ClockDomain()
    m.submodules.core = core
    sequencer = core.processor.sequencer
    taken, received = [], []

    async def counter(ctx):
        async for values in ctx.tick().sample(sequencer.busy, sequencer.pair, sequencer.beyond,
                                              sequencer.special, sequencer.odd):
            *_, busy, pair, beyond, special, odd = values
            if busy:
                # Of a special pair, the second clock; X_0 Y is multiplied again in pair 0.
                taken.append((pair and not beyond) or (special and odd))

    async def testbench(ctx):
        words, _ = await operate(ctx, core, params, vector, patience=10 * params.cycles.interval)
        received.append(params.decode(words))

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_process(counter)
    simulator.add_testbench(testbench)
    simulator.run()
    return received[0], len(taken), sum(map(bool, taken))
