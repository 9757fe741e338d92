import itertools
import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from bench import run

from montgomery.blocks.carry_save import (
    Resolver,
    decremented,
    full_adder,
    gate,
    half_adder,
    incremented,
)
from montgomery.core import from_words, to_words

SEED = 11


@pytest.mark.parametrize("width", [1, 2, 3])
def test_adders_for_all_words(width):
    a, b, c = (Signal(width, name=name) for name in "abc")
    sums = {"full": full_adder(a, b, c), "half": half_adder(a, b)}
    m = Module()
    m.d.comb += Signal().eq(a.any() | b.any() | c.any())

    async def testbench(ctx):
        for values in itertools.product(range(1 << width), repeat=3):
            for signal, value in zip((a, b, c), values, strict=True):
                ctx.set(signal, value)
            found = {name: tuple(map(ctx.get, pair)) for name, pair in sums.items()}
            assert found["full"][0] + 2 * found["full"][1] == sum(values)
            assert found["half"][0] + 2 * found["half"][1] == sum(values[:2])
            assert ctx.get(gate(a[0], b)) == (values[1] if values[0] & 1 else 0)

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_next_number_and_the_one_before(width):
    number = Signal(width)
    found = {1: incremented(number), -1: decremented(number)}
    m = Module()
    m.d.comb += Signal().eq(number.any())

    async def testbench(ctx):
        for value in range(1 << width):
            ctx.set(number, value)
            for step, result in found.items():
                assert ctx.get(result) == (value + step) % (1 << width)

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_full_adder_takes_integers():
    for a, b, c in itertools.product(range(8), repeat=3):
        s, carry = full_adder(a, b, c)
        assert s + 2 * carry == a + b + c


@pytest.mark.parametrize("gap", [0, 1, 5])
@pytest.mark.parametrize("width", range(4, 34))
def test_resolver_is_addition(width, gap):
    rng = random.Random(SEED)
    count, dut = 3, Resolver(width)
    size = width * count
    ones = (1 << size) - 1
    # Carries that run all the way, and random ones.
    numbers = [(ones, 1), (1, ones), (ones, ones), (0, 0), (ones, 0), (ones >> 1, 1)]
    numbers += [(rng.getrandbits(size), rng.getrandbits(size)) for _ in range(10)]
    clocks, places = [(0, 0, 0)], []
    for s, c in numbers:
        # What stands there between two numbers must not matter.
        clocks += [(0, (1 << width) - 1, (1 << width) - 1)] * gap
        places.append(len(clocks))
        clocks += [(0, *words) for words in zip(to_words(s, width, count),
                                                to_words(c, width, count), strict=True)]
    for place in places:
        clocks[place - 1] = (1, *clocks[place - 1][1:])
    clocks += [(0, 0, 0)] * dut.latency
    words = []

    async def testbench(ctx):
        for first, s, c in clocks:
            ctx.set(dut.first, first)
            ctx.set(dut.s, s)
            ctx.set(dut.c, c)
            words.append((await ctx.tick().sample(dut.word))[-1])

    run(dut, testbench)
    starts = [place + dut.latency for place in places]
    sums = [from_words(words[start:start + count], width) for start in starts]
    assert sums == [(s + c) & ones for s, c in numbers], f"seed {SEED}"


@pytest.mark.parametrize("width", range(1, 65))
def test_resolver_latency_needs_no_instance(width):
    # Geometries are worked out from it before there is any hardware.
    assert Resolver.latency_of(width) == (1 if width <= Resolver.CHUNK else 4)
