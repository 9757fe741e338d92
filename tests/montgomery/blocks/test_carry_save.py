import itertools

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from montgomery.blocks.carry_save import Resolver, full_adder, gate, incremented


@pytest.mark.parametrize("width", [1, 2, 3])
def test_adders_for_all_words(width):
    a, b, c = (Signal(width, name=name) for name in "abc")
    sums = full_adder(a, b, c)
    m = Module()
    m.d.comb += Signal().eq(a.any() | b.any() | c.any())

    async def testbench(ctx):
        for values in itertools.product(range(1 << width), repeat=3):
            for signal, value in zip((a, b, c), values, strict=True):
                ctx.set(signal, value)
            total, carry = map(ctx.get, sums)
            assert total + 2 * carry == sum(values)
            assert ctx.get(gate(a[0], b)) == (values[1] if values[0] & 1 else 0)

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_next_number(width):
    number = Signal(width)
    found = incremented(number)
    m = Module()
    m.d.comb += Signal().eq(number.any())

    async def testbench(ctx):
        for value in range(1 << width):
            ctx.set(number, value)
            assert ctx.get(found) == (value + 1) % (1 << width)

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("width", range(1, 65))
def test_resolver_latency_needs_no_instance(width):
    # Geometries are worked out from it before there is any hardware.
    assert Resolver.latency_of(width) == (1 if width <= Resolver.CHUNK else 4)
