"""Parts of what verifies ECDSA signatures."""

import random

import pytest
from amaranth.sim import Simulator

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.wide.datapath.primes import DIGITS
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.ecdsa_verification import Parameters, Verdict
from montgomery.wide.units import order_arithmetic
from montgomery.wide.units.joint_digits import JointDigits, base_place, joint_digits
from montgomery.wide.units.order_arithmetic import OrderArithmetic, multiplier, scalars
from montgomery.wide.units.order_inverse import OrderInverse, clocks, half_inverse

SEED = 1991
P256 = WEIERSTRASS["P-256"]
N = P256.n
#: A prime of 107 bits, of which few words are inverted in little time.
SMALL = (1 << 107) - 1


def _run(core, testbench):
    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def _words(number, count):
    return [number >> BASE * place & (1 << BASE) - 1 for place in range(count)]


async def _send(ctx, core, words, pause=0):
    for word in words:
        ctx.set(core.i.payload, word)
        ctx.set(core.i.valid, 1)
        await ctx.tick().until(core.i.ready)
        ctx.set(core.i.valid, 0)
        if pause:
            await ctx.tick().repeat(pause)


async def _receive(ctx, core, count, pause=0):
    """Return words, and the clocks until the first one."""
    words, clocks = [], 1
    while not ctx.get(core.o.valid):
        await ctx.tick()
        clocks += 1
    for _ in range(count):
        ctx.set(core.o.ready, 1)
        words.append((await ctx.tick().sample(core.o.payload).until(core.o.valid))[0])
        ctx.set(core.o.ready, 0)
        if pause:
            await ctx.tick().repeat(pause)
    return sum(word << BASE * place for place, word in enumerate(words)), clocks


@pytest.mark.parametrize("pause", [0, 3])
def test_inverses(pause):
    print("seed", SEED)
    rng, core, found = random.Random(SEED), OrderInverse(SMALL, BASE), []
    numbers = [1, 2, SMALL - 1, 0, *(rng.randrange(SMALL) for _ in range(2)), SMALL + 5, 3]

    async def testbench(ctx):
        for number in numbers:
            await _send(ctx, core, _words(number, core.words), pause)
            found.append(await _receive(ctx, core, core.words, pause))

    _run(core, testbench)
    assert [number for number, _ in found] == [half_inverse(each, SMALL) for each in numbers]
    assert {taken + pause for _, taken in found} == {clocks(SMALL, BASE)}


@pytest.mark.parametrize("modulus", [SMALL, N])
def test_half_inverses(modulus):
    print("seed", SEED)
    rng = random.Random(SEED)
    for x in (1, 2, modulus - 1, modulus - 2, *(rng.randrange(1, modulus) for _ in range(20))):
        inverse = half_inverse(x, modulus)
        assert 2 * x * inverse % modulus in (1, modulus - 1)
        assert modulus < 2 * inverse < 4 * modulus


def test_scalars_are_quotients():
    print("seed", SEED)
    rng = random.Random(SEED)
    assert multiplier().bound(N) == 2 * N
    for _ in range(10):
        z, r, s = rng.getrandbits(256), rng.randrange(1, N), rng.randrange(1, N)
        found = [scalar * s % N for scalar in scalars(z, r, s, N)]
        assert found in ([z % N, r], [-z % N, N - r])


def test_digits_of_both_scalars():
    print("seed", SEED)
    rng, core, found = random.Random(SEED), JointDigits(), []
    pairs = [(0, (1 << 256) - 1), (N, 1), (1, sum(512 << 20 * at for at in range(12))),
             *((rng.getrandbits(256), rng.getrandbits(256)) for _ in range(2))]

    async def testbench(ctx):
        for pair in pairs:
            for number in pair:
                for word in _words(number, DIGITS):
                    ctx.set(core.word, word)
                    ctx.set(core.push, 1)
                    await ctx.tick()
            ctx.set(core.push, 0)
            digits = []
            for _ in range(52):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                await ctx.tick().repeat(core.LATENCY - 2)
                for of_base, of_z in ((0, 0), (1, 0), (1, 1)):
                    ctx.set(core.of_base, of_base)
                    ctx.set(core.of_z, of_z)
                    ctx.set(core.negative_of_base, of_base)
                    await ctx.tick()
                    digits.append((ctx.get(core.magnitude), ctx.get(core.odd),
                                   ctx.get(core.negative)))
            found.append([digits[at:at + 3] for at in range(0, len(digits), 3)])

    _run(core, testbench)
    for pair, digits in zip(pairs, found, strict=True):
        expected = joint_digits(*pair)
        for number, (first, second, of_z) in enumerate(digits):
            (size, negative), (base_size, base_negative) = expected[2 * number:2 * number + 2]
            # The sign of 0 says nothing.
            assert (first[0], first[2] and size > 0) == (size, negative and size > 0)
            if number % 2 == 0:
                continue
            entry, part = base_place(base_size, 0)
            assert second[:2] == (entry, part // 2)
            assert of_z[:2] == base_place(base_size, 2)
            assert not base_size or second[2] == base_negative


@pytest.mark.parametrize(("words", "verdict"), [
    ([0] * 16, 0), ([0xFFFF] * 16, 0), ([0] * 15 + [1], 1), ([0xFFFF] * 15 + [0xFFFE], 1),
    ([0xFFFF] * 15 + [0], 1), ([1] + [0] * 15, 1), ([0x7FFF] * 16, 1)])
def test_verdicts(words, verdict):
    core, found = Verdict(), []

    async def testbench(ctx):
        for _ in range(2):
            await _send(ctx, core, words)
            found.append(await _receive(ctx, core, 1, pause=2))

    _run(core, testbench)
    assert found == [(verdict, 1)] * 2


def test_numbers_for_the_engine():
    """Of a signature with numbers at the ends of their ranges."""
    core, found = OrderArithmetic(P256), []
    z, r, s, x, y = 1 << 255, P256.p - N - 1, N - 1, 5, 7

    async def testbench(ctx):
        for number in (z, r, s, x, y):
            await _send(ctx, core, _words(number, DIGITS))
        first, clocks = await _receive(ctx, core, DIGITS)
        found.extend([clocks, first])
        for _ in range(5):
            found.append((await _receive(ctx, core, DIGITS))[0])

    _run(core, testbench)
    of_base, scalar = scalars(z, r, s, N)
    assert found[1:] == [scalar, of_base, x, y, r, N]
    assert found[0] + order_arithmetic.PERIOD * (6 * DIGITS - 1) == order_arithmetic.clocks(N)


def test_tables_are_multiples():
    constants = Parameters(width=256).constants
    scale, p = pow(1 << 256, -1, P256.p), P256.p
    for magnitude in (1, 2, 15, 16):
        assert tuple(constants[f"base_{magnitude}_{part}"] * scale % p
                     for part in "xy") == P256.multiply(magnitude, P256.base)
