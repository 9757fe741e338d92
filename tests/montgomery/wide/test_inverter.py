"""Quotients by division steps, and how many steps there are."""

import random

import pytest
from bench import run
from division_steps import check

from montgomery.wide.datapath.primes import FOLDED, KOBLITZ, PRIMES
from montgomery.wide.datapath.ranges import BASE, centred_high, centred_low, value
from montgomery.wide.units.inverter import DigitInverter

SEED = 2019
ALL = {prime.name: prime for prime in (
    *PRIMES.values(), KOBLITZ, FOLDED)}


def _digits(number, count, rng):
    """Return signed digits of a number, some of them not the least there may be."""
    digits = []
    for _ in range(count - 1):
        digits.append(centred_low(number))
        number = centred_high(number)
        turn = (1 << BASE) * (1 if digits[-1] < 0 else -1)
        if abs(digits[-1] + turn) <= (1 << BASE - 1) + (1 << 13) and rng.getrandbits(1):
            digits[-1] += turn
            number -= turn >> BASE
    return [*digits, number]


def _pairs(prime, rng):
    """Yield a random pair, and some at the ends: others for each prime."""
    p, r = prime.value, 1 << BASE * prime.digits
    most = r - (r >> BASE)  # of which the highest digit has 17 bits
    edges = (1, -1, 2, -2, p // 2, p // 2 + 1, 1 - p, -most, most, r // 2 - 1, -r // 2, r // 3)
    below = min(p, most)
    for divisor in edges[sorted(ALL).index(prime.name)::4]:
        yield divisor, rng.choice((1, below - 1, 1 - below))
    yield rng.randrange(-most, most), rng.randrange(-below, below)


@pytest.mark.parametrize("name", sorted(ALL))
def test_quotients_of_numbers_of_either_sign(name):
    print("seed", SEED)
    prime, rng = ALL[name], random.Random(SEED)
    core, p, count = DigitInverter(prime), prime.value, prime.digits
    found = []

    async def operation(ctx, divisor, dividend):
        await ctx.tick().repeat(rng.randrange(1, 5))
        for number in (divisor, divisor, dividend):
            ctx.set(core.will_take, 1)
            await ctx.tick()
            ctx.set(core.take, 1)
            for place, digit in enumerate(_digits(number, count, rng)):
                ctx.set(core.number[place], digit)
        ctx.set(core.will_take, 0)
        await ctx.tick()
        ctx.set(core.take, 0)
        for place in range(count):
            ctx.set(core.number[place], rng.getrandbits(16))
        await ctx.tick().repeat(core.latency(prime) - 3 + rng.randrange(5))
        found.append([ctx.get(digit) for digit in core.quotient])
        await ctx.tick().repeat(rng.randrange(1, 4))
        ctx.set(core.ends, 1)
        await ctx.tick()
        ctx.set(core.ends, 0)
        await ctx.tick().repeat(core.ENDS - 1)
        assert not any(ctx.get(digit) for digit in core.quotient)

    async def testbench(ctx):
        await ctx.tick().repeat(core.ENDS)
        for pair in pairs:
            await operation(ctx, *pair)

    pairs = list(_pairs(prime, rng))
    run(core, testbench)
    for (divisor, dividend), digits in zip(pairs, found, strict=True):
        product = value(digits) * divisor % p
        assert product in (dividend % p, -dividend % p), (divisor, dividend)
        assert max(map(abs, digits[:-1])) <= (1 << BASE) + (1 << 10)
        assert abs(value(digits)) <= 3 * p // 2 + p // 1000


def test_steps_are_enough_for_any_numbers(capsys):
    check(40)
    assert len(capsys.readouterr().out.splitlines()) > 90
