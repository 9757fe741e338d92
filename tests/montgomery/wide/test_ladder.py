"""Parts of the engine for key agreement."""

import collections
import random

import pytest
from amaranth.sim import Simulator

from montgomery.numbers.catalogue import MONTGOMERY
from montgomery.wide.datapath.primes import DIGITS, FOLDED
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.key_agreement import Parameters
from montgomery.wide.units.held import Held, ReducedNumber
from montgomery.wide.units.scalar_digits import LadderBits, ladder_bits

SEED = 7748
CURVE = MONTGOMERY["Curve25519"]
P = CURVE.p


def _run(core, testbench):
    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("slots", [1, 2])
def test_digits_of_scalars(slots):
    """Of each operation after half of the digits of the one before."""
    print("seed", SEED)
    rng, core = random.Random(SEED), LadderBits(CURVE, slots)
    scalars = [0, (1 << 256) - 1, 1 << 254, 0x5555 << 200, *(rng.getrandbits(256) for _ in "abc")]
    found = [[] for _ in scalars]

    async def testbench(ctx):
        for number in range(len(scalars) + slots - 1):
            scalar = scalars[number] if number < len(scalars) else 0
            for place in range(DIGITS):
                ctx.set(core.word, scalar >> BASE * place & (1 << BASE) - 1)
                ctx.set(core.slot_in, number % slots)
                ctx.set(core.push, 1)
                await ctx.tick()
            ctx.set(core.push, 0)
            await ctx.tick().repeat(3)
            for _ in range(256 // slots):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                for before in range(min(slots, number + 1)):
                    if number - before < len(scalars):
                        found[number - before].append(
                            ctx.get(core.magnitude) >> (number - before) % slots & 1)
                await ctx.tick().repeat(3)

    _run(core, testbench)
    assert [digits[:255] for digits in found] == [
        ladder_bits(CURVE.clamped(scalar), 255) for scalar in scalars]


def _rows(rng):
    """Return signed digits of numbers, as results have them."""
    largest = 41_431
    edges = [0, 1, -1, 18, -18, 19, -19, 37, 38, P - 1, P, P + 1, P + 18, P + 19, -P, 1 - P, -P - 1,
             (1 << 255) - 1, 1 << 255, -(1 << 255)]

    def digits_of(number):
        digits = []
        for _ in range(DIGITS - 1):
            digit = number & 0xFFFF
            if digit > 41_000 or (digit > 25_000 and rng.getrandbits(1)):
                digit -= 1 << BASE
            digits.append(digit)
            number = number - digit >> BASE
        return [*digits, number]

    return [*map(digits_of, edges), *([sign * largest] * DIGITS for sign in (1, -1)),
            *([rng.randint(-largest, largest) for _ in range(DIGITS)] for _ in range(6))]


def _number(row):
    return sum(digit << BASE * place for place, digit in enumerate(row)) % P


def _take(ctx, core, row, held):
    """Give a number to hold, in the next clock."""
    for place, digit in enumerate(row):
        ctx.set(core.number[place], digit)
    ctx.set(core.take, held)
    for each in core.loads:
        ctx.set(each, held != Held.NOTHING)


def test_numbers_are_compared():
    print("seed", SEED)
    rng, core = random.Random(SEED), ReducedNumber(FOLDED, compares=True)
    rows, found = _rows(rng), []
    rows += [rows[0], rows[1], rows[0]]

    async def testbench(ctx):
        for row in rows:
            _take(ctx, core, row, Held.ZERO)
            await ctx.tick()
            _take(ctx, core, row, Held.NOTHING)
            not_zero = clocks = 0
            while not ctx.get(core.idle) or clocks < core.COMPARED:
                assert not ctx.get(core.o.valid)
                await ctx.tick()
                not_zero |= ctx.get(core.not_zero)
                clocks += 1
            assert clocks == core.COMPARED
            found.append(not_zero)

    _run(core, testbench)
    assert found == [_number(row) != 0 for row in rows]


@pytest.mark.parametrize("stalls", [False, True])
def test_numbers_are_reduced_and_sent(stalls):
    print("seed", SEED)
    rng, core = random.Random(SEED), ReducedNumber(FOLDED)
    rows, found, zeros = _rows(rng), [], []

    async def testbench(ctx):
        for row in rows:
            _take(ctx, core, row, Held.SEND)
            await ctx.tick()
            _take(ctx, core, row, Held.NOTHING)
            words, zero = [], 0
            while not ctx.get(core.idle):
                zero |= ctx.get(core.zero) and not words
                ready = not stalls or rng.getrandbits(1)
                ctx.set(core.o.ready, ready)
                if ready and ctx.get(core.o.valid):
                    words.append(ctx.get(core.o.payload))
                await ctx.tick()
            found.append(words)
            zeros.append(zero)

    _run(core, testbench)
    numbers = [_number(row) for row in rows]
    assert found == [[number >> BASE * place & 0xFFFF for place in range(DIGITS)]
                     for number in numbers]
    assert zeros == [number == 0 for number in numbers]




@pytest.mark.parametrize("in_flight", [1, 2])
def test_microcode(in_flight):
    program = Parameters(width=255, in_flight=in_flight)._program(in_flight)
    names = collections.Counter(segment.name for segment, _, _ in program.walk())
    assert names["step"] + 2 * names["both"] == 255
    assert program.microcode.layout.size <= 36
    assert len(program.microcode.words) <= 1024
