"""Parts of what verifies ECDSA signatures."""

import random

import pytest
from amaranth.sim import Simulator

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.points.microcode import Index
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.ecdsa_verification import Parameters, Verdict
from montgomery.wide.units import order_arithmetic
from montgomery.wide.units.joint_digits import (
    SUMS,
    JointDigits,
    JointHalves,
    base_place,
    joint_digits,
    joint_half_digits,
)
from montgomery.wide.units.order_arithmetic import OrderArithmetic, multiplier, scalars
from montgomery.wide.units.order_inverse import OrderInverse, clocks, half_inverse
from montgomery.wide.units.scalar_halves import LAMBDA

SEED = 1991
CURVES = [WEIERSTRASS[name] for name in ("P-256", "P-384", "secp256k1")]
of_curves = pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
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


@pytest.mark.parametrize("modulus", [SMALL, *(curve.n for curve in CURVES)])
def test_half_inverses(modulus):
    print("seed", SEED)
    rng = random.Random(SEED)
    for x in (1, 2, modulus - 1, modulus - 2, *(rng.randrange(1, modulus) for _ in range(20))):
        inverse = half_inverse(x, modulus)
        assert 2 * x * inverse % modulus in (1, modulus - 1)
        assert modulus < 2 * inverse < 4 * modulus


@of_curves
def test_scalars_are_quotients(curve):
    print("seed", SEED)
    rng, n = random.Random(SEED), curve.n
    assert multiplier(n).bound(n) == 2 * n
    for _ in range(10):
        z, r, s = rng.getrandbits(curve.width), rng.randrange(1, n), rng.randrange(1, n)
        found = [scalar * s % n for scalar in scalars(z, r, s, n)]
        assert found in ([z % n, r], [-z % n, n - r])


@pytest.mark.parametrize(("bits", "count"), [(256, 52), (384, 77)])
def test_digits_of_both_scalars(bits, count):
    """Every second digit for the point, and so the last one, comes with one for the base point."""
    print("seed", SEED)
    rng, core, found = random.Random(SEED), JointDigits(bits // BASE), []
    pairs = [(0, (1 << bits) - 1), (CURVES[0].n, 1), (1, sum(512 << 20 * at for at in range(12))),
             *((rng.getrandbits(bits), rng.getrandbits(bits)) for _ in range(2))]

    async def testbench(ctx):
        for pair in pairs:
            for number in pair:
                for word in _words(number, core.count):
                    ctx.set(core.word, word)
                    ctx.set(core.push, 1)
                    await ctx.tick()
            ctx.set(core.push, 0)
            await ctx.tick()
            digits = []
            for _ in range(count):
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
        expected = joint_digits(*pair, bits)
        for number, (first, second, of_z) in enumerate(digits):
            (size, negative), (base_size, base_negative) = expected[2 * number:2 * number + 2]
            # The sign of 0 says nothing.
            assert (first[0], first[2] and size > 0) == (size, negative and size > 0)
            if (count - 1 - number) % 2:
                continue
            entry, part = base_place(base_size, 0)
            assert second[:2] == (entry, part // 2)
            assert of_z[:2] == base_place(base_size, 2)
            assert not base_size or second[2] == base_negative


@pytest.mark.parametrize("scalar", [0, 1, (1 << 256) - 1, 12345 << 130])
def test_digits_in_halves_add_up_to_both_scalars(scalar):
    """With the constant that is added at first, and halves that belong to two multiples."""
    found, n = joint_half_digits(CURVES[2].n // 3, scalar), CURVES[2].n
    digits = [-size if negative else size for size, negative in found]
    halves = [sum(digit << 5 * at for at, digit in enumerate(digits[which::3][::-1]))
              for which in range(2)]
    assert (halves[0] + LAMBDA * halves[1] - n // 3) % n == 0
    twice = (1 << 260) - 1
    for at, (size, negative) in enumerate(found[2::3][::-1]):
        bits = size | SUMS
        value = sum((1 if bits >> tooth & 1 else -1) << place
                    for tooth, place in enumerate((*range(5), *range(130, 135))))
        twice += (-value if negative else value) << 5 * at
    assert twice == 2 * scalar


def test_digits_of_halves():
    print("seed", SEED)
    rng, core, found = random.Random(SEED), JointHalves(), []
    pairs = [(CURVES[2].n - 1, (1 << 256) - 1), (1, 0),
             *((rng.getrandbits(256), rng.getrandbits(256)) for _ in range(2))]

    async def testbench(ctx):
        for pair in pairs:
            for number in pair:
                for word in _words(number, 16):
                    ctx.set(core.word, word)
                    ctx.set(core.push, 1)
                    await ctx.tick()
            ctx.set(core.push, 0)
            await ctx.tick().repeat(core.DIVIDED)
            for _ in range(26):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                await ctx.tick().repeat(core.LATENCY - 2)
                for of_base, of_half in ((0, 0), (0, 1), (1, 0)):
                    for port in (core.of_half, core.negative_of_half):
                        ctx.set(port, of_half)
                    for port in (core.of_base, core.negative_of_base):
                        ctx.set(port, of_base)
                    await ctx.tick().repeat(2)
                    found.append((ctx.get(core.magnitude), ctx.get(core.odd),
                                  ctx.get(core.negative)))

    _run(core, testbench)
    expected = [digit for pair in pairs for digit in joint_half_digits(*pair)]
    for at, ((entry, odd, sign), (size, negative)) in enumerate(
            zip(found, expected, strict=True)):
        place = base_place(size, 0) if at % 3 == 2 else (size, 0)
        assert (entry, 2 * odd if at % 3 == 2 else 0) == place
        assert sign == negative or size == 0


@pytest.mark.parametrize(("words", "verdict"), [
    ([0] * 16, 0), ([0xFFFF] * 16, 0), ([0] * 15 + [1], 1), ([0xFFFF] * 15 + [0xFFFE], 1),
    ([0xFFFF] * 15 + [0], 1), ([1] + [0] * 15, 1), ([0x7FFF] * 16, 1),
    ([0] * 24, 0), ([0xFFFF] * 24, 0), ([0] * 23 + [1], 1), ([0xFFFF] * 16 + [0] * 8, 1)])
def test_verdicts(words, verdict):
    core, found = Verdict(len(words)), []

    async def testbench(ctx):
        for _ in range(2):
            await _send(ctx, core, words)
            found.append(await _receive(ctx, core, 1, pause=2))

    _run(core, testbench)
    assert found == [(verdict, 1)] * 2


@pytest.mark.parametrize(("curve", "per_clock"), [
    (CURVES[1], 2), (CURVES[2], 2), (CURVES[2], 4)])
def test_multiples_are_stored_before_digits_may_choose_them(curve, per_clock):
    """On P-256 the highest digit, which is there while the last multiple is stored, is 2 at most.
    """
    microcode = Parameters(width=curve.width, curve=curve.name,
                           digits_per_clock=per_clock)._program(1).microcode
    for name, start in microcode.starts.items():
        words = microcode.words[start:start + microcode.clocks[name]]
        stores = [clock for clock, word in enumerate(words) if word.get("store")]
        chosen = [clock for clock, word in enumerate(words) if not word.get("store")
                  and word.get("index") in (Index.DIGIT, Index.SECOND)]
        assert max(stores, default=0) <= min(chosen, default=len(words)), name


@of_curves
def test_numbers_for_the_engine(curve):
    """Of a signature with numbers at the ends of their ranges."""
    core, found, n, count = OrderArithmetic(curve), [], curve.n, curve.width // BASE
    z, r, s, x, y = 1 << curve.width - 1, curve.p - n - 1, n - 1, 5, 7

    async def testbench(ctx):
        for number in (z, r, s, x, y):
            await _send(ctx, core, _words(number, count))
        first, clocks = await _receive(ctx, core, count)
        found.extend([clocks, first])
        for _ in range(5):
            found.append((await _receive(ctx, core, count))[0])

    _run(core, testbench)
    of_base, scalar = scalars(z, r, s, n)
    assert found[1:] == [scalar, of_base, x, y, r, n]
    assert found[0] + order_arithmetic.PERIOD * (6 * count - 1) == order_arithmetic.clocks(n)


def test_the_next_signature_is_taken_when_the_numbers_of_one_have_gone():
    core, curve, taken = OrderArithmetic(CURVES[2]), CURVES[2], []

    async def testbench(ctx):
        ctx.set(core.i.payload, 7)
        ctx.set(core.i.valid, 1)
        ctx.set(core.o.ready, 1)
        clock = 0
        while len(taken) <= 5 * curve.width // BASE:
            if ctx.get(core.i.ready):
                taken.append(clock)
            await ctx.tick()
            clock += 1

    _run(core, testbench)
    assert taken[-1] - taken[0] == order_arithmetic.interval(curve.n)


@pytest.mark.parametrize("curve", CURVES[:2], ids=lambda curve: curve.name)
def test_tables_are_multiples(curve):
    params = Parameters(width=curve.width, curve=curve.name)
    scale, p = pow(params.r, -1, curve.p), curve.p
    for magnitude in (1, 2, 15, 16):
        assert tuple(params.constants[f"base_{magnitude}_{part}"] * scale % p
                     for part in "xy") == curve.multiply(magnitude, curve.base)
