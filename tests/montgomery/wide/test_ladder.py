"""Parts of the engine for key agreement."""

import random

import pytest
from amaranth.sim import Simulator

from montgomery.montgomery_curves import MONTGOMERY_CURVES
from montgomery.wide.folding_model import FoldedPrime
from montgomery.wide.held import Held
from montgomery.wide.key_agreement import Parameters
from montgomery.wide.ladder_bits import LadderBits, ladder_bits
from montgomery.wide.primes import DIGITS
from montgomery.wide.ranges import BASE
from montgomery.wide.reduced import ReducedNumber

SEED = 7748
CURVE = MONTGOMERY_CURVES["Curve25519"]
P = CURVE.p
PRIME = FoldedPrime("Curve25519", bits=255, less=19)


def _run(core, testbench):
    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def test_digits_of_scalars():
    print("seed", SEED)
    rng, core, found = random.Random(SEED), LadderBits(), []
    scalars = [0, (1 << 256) - 1, 1 << 254, 0x5555 << 200, *(rng.getrandbits(256) for _ in "abc")]

    async def testbench(ctx):
        for scalar in scalars:
            for place in range(DIGITS):
                ctx.set(core.word, scalar >> BASE * place & (1 << BASE) - 1)
                ctx.set(core.push, 1)
                await ctx.tick()
            ctx.set(core.push, 0)
            await ctx.tick().repeat(3)
            digits = []
            for _ in range(255):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                digits.append(ctx.get(core.magnitude))
                await ctx.tick().repeat(3)
            found.append(digits)

    _run(core, testbench)
    assert found == [ladder_bits(CURVE.clamped(scalar), 255) for scalar in scalars]


@pytest.mark.parametrize("stalls", [False, True])
def test_numbers_are_reduced_and_sent(stalls):
    print("seed", SEED)
    rng, core = random.Random(SEED), ReducedNumber(PRIME)
    found, zeros = [], []
    largest = 41_431
    edges = [0, 1, -1, 18, -18, 19, -19, 37, 38, P - 1, P, P + 1, P + 18, P + 19, -P, 1 - P, -P - 1,
             (1 << 255) - 1, 1 << 255, -(1 << 255)]

    def digits_of(number):
        """Return signed digits at random, as results have them."""
        digits = []
        for _ in range(DIGITS - 1):
            digit = number & 0xFFFF
            if digit > 41_000 or (digit > 25_000 and rng.getrandbits(1)):
                digit -= 1 << BASE
            digits.append(digit)
            number = number - digit >> BASE
        return [*digits, number]

    rows = [digits_of(number) for number in edges]
    rows += [[sign * largest] * DIGITS for sign in (1, -1)]
    rows += [[rng.randint(-largest, largest) for _ in range(DIGITS)] for _ in range(6)]

    async def testbench(ctx):
        for row in rows:
            for place, digit in enumerate(row):
                ctx.set(core.number[place], digit)
            for takes in (1, 0):
                ctx.set(core.take, Held.SEND if takes else Held.NOTHING)
                for each in core.loads:
                    ctx.set(each, takes)
                if takes:
                    await ctx.tick()
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
    numbers = [sum(digit << BASE * place for place, digit in enumerate(row)) % P for row in rows]
    assert found == [[number >> BASE * place & 0xFFFF for place in range(DIGITS)]
                     for number in numbers]
    assert zeros == [number == 0 for number in numbers]


def test_microcode():
    program = Parameters(width=255)._program
    names = [segment.name for segment, _, _ in program.walk()]
    assert names.count("step") == 255
    assert program.microcode.layout.size <= 36
    assert len(program.microcode.words) <= 1024
