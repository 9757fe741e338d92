"""Numbers in rows of registers: compared with 0, reduced and sent, and sums of them."""

import functools
import random

import pytest
from bench import Simulated, run
from products import normalised

from montgomery.wide.datapath.primes import FOLDED, KOBLITZ, PRIMES
from montgomery.wide.datapath.ranges import BASE, RESULT_BITS, value
from montgomery.wide.units.adder import DigitAdder
from montgomery.wide.units.held import Held, HeldNumber, ReducedNumber

SEED = 1985
#: The largest digit of a result modulo 2**255 - 19.
LARGEST = 41_431


def _rng():
    print("seed", SEED)
    return random.Random(SEED)


def _loose(number, count, rng, always, never):
    """Return signed digits of a number, as results have them: above ``always`` they are negative,
    up to ``never`` they are not.
    """
    digits = []
    for _ in range(count - 1):
        digit = number & 0xFFFF
        if digit > always or (digit > never and rng.getrandbits(1)):
            digit -= 1 << BASE
        digits.append(digit)
        number = number - digit >> BASE
    return [*digits, number]


def _of_prime(prime, rng):
    """Return a core, and rows of digits of numbers that it may hold."""
    p, half = prime.value, 1 << prime.width - 1
    numbers = [0, 1, -1, p // 2, -p // 2, half, -half, *(
        rng.randint(-p // 2, p // 2) for _ in range(6))]
    return [_loose(number, prime.digits, rng, 32_968, 32_568) for number in numbers]


def _of_folded(prime, rng):
    p, count = prime.value, prime.digits
    edges = [0, 1, -1, 18, -18, 19, -19, 37, 38, p - 1, p, p + 1, p + 18, p + 19, -p, 1 - p, -p - 1,
             (1 << 255) - 1, 1 << 255, -(1 << 255), 0]
    return [*(_loose(number, count, rng, 41_000, 25_000) for number in edges),
            *([sign * LARGEST] * count for sign in (1, -1)),
            *([rng.randint(-LARGEST, LARGEST) for _ in range(count)] for _ in range(6))]


CASES = pytest.mark.parametrize(("make", "prime", "rows"), [
    *((HeldNumber, prime, _of_prime) for prime in PRIMES.values()),
    (lambda prime: ReducedNumber(prime, compares=True), FOLDED, _of_folded)],
    ids=[*PRIMES, FOLDED.name])


@functools.cache
def _simulated(make, prime):
    return Simulated(make(prime))


async def _taken(ctx, core, row, what):
    """Have a core take a number, in one clock."""
    for place, digit in enumerate(row):
        ctx.set(core.number[place], digit)
    for now in (what, Held.NOTHING):
        ctx.set(core.take, now)
        for each in core.loads:
            ctx.set(each, now != Held.NOTHING)
        if now != Held.NOTHING:
            await ctx.tick()


@CASES
def test_numbers_are_compared(make, prime, rows):
    rows, simulated, found = rows(prime, _rng()), _simulated(make, prime), []
    core = simulated.component
    latency = getattr(core, "COMPARED", None) or core.compared(prime.digits)

    async def testbench(ctx):
        for row in rows:
            await _taken(ctx, core, row, Held.ZERO)
            not_zero = clocks = 0
            while not ctx.get(core.idle) or clocks < latency:
                assert not ctx.get(core.o.valid)
                await ctx.tick()
                not_zero |= ctx.get(core.not_zero)
                clocks += 1
            assert clocks == latency
            found.append(not_zero)

    simulated.run(testbench)
    assert found == [value(row) % prime.value != 0 for row in rows]


@pytest.mark.parametrize("stalls", [False, True])
@CASES
def test_numbers_are_reduced_and_sent(make, prime, rows, stalls):
    rng = _rng()
    rows, simulated, found, zeros = rows(prime, rng), _simulated(make, prime), [], []
    core = simulated.component

    async def testbench(ctx):
        for row in rows:
            await _taken(ctx, core, row, Held.SEND)
            words, zero = [], 0
            while not ctx.get(core.idle):
                zero |= hasattr(core, "zero") and ctx.get(core.zero) and not words
                ready = not stalls or rng.getrandbits(1)
                ctx.set(core.o.ready, ready)
                if ready and ctx.get(core.o.valid):
                    words.append(ctx.get(core.o.payload))
                await ctx.tick()
            found.append(words)
            zeros.append(zero)

    simulated.run(testbench)
    numbers = [value(row) % prime.value for row in rows]
    assert found == [[number >> BASE * place & 0xFFFF for place in range(prime.digits)]
                     for number in numbers]
    assert not hasattr(core, "zero") or zeros == [number == 0 for number in numbers]


@pytest.mark.parametrize("prime", PRIMES.values(), ids=PRIMES)
def test_numbers_that_come_in_are_below_the_prime(prime):
    core, outside, p = HeldNumber(prime), [], prime.value

    async def testbench(ctx):
        for number in (p - 1, p, p + 1, (1 << prime.width) - 1, 0, 1 << 192):
            for place in range(prime.digits):
                ctx.set(core.pushes, 1)
                await ctx.tick()
                ctx.set(core.word, number >> BASE * place & 0xFFFF)
            ctx.set(core.pushes, 0)
            await ctx.tick().repeat(2)
            outside.append(ctx.get(core.outside))
            assert value([ctx.get(digit) for digit in core.digits]) == number

    run(core, testbench)
    assert outside == [0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(("prime", "width", "limit"), [
    (PRIMES["P-256"], RESULT_BITS, 33_119), (PRIMES["P-256"], RESULT_BITS + 1, 2 * 33_119),
    (PRIMES["P-384"], RESULT_BITS, 41_440), (FOLDED, RESULT_BITS, LARGEST),
    (KOBLITZ, RESULT_BITS, 33_744)])
def test_sums(prime, width, limit):
    """Digits are those of sums of some results."""
    rng, core, loose, found, expected = _rng(), DigitAdder(prime, width), [], [], []

    async def testbench(ctx):
        for turn in range(300):
            a, b = ([rng.choice((-limit, limit)) if turn % 3 == 0 else rng.randint(-limit, limit)
                     for _ in range(prime.digits)] for _ in "ab")
            twice, has_a, negative = (rng.getrandbits(1) for _ in range(3))
            b = [digit << twice for digit in b]
            negative &= has_a
            if turn < 4:  # the largest sums, and the smallest
                twice, has_a, negative = 1, 1, turn >> 1
                a = [(-limit if turn in (1, 2) else limit)] * prime.digits
                b = [(-2 * limit if turn & 1 else 2 * limit)] * prime.digits
            for place in range(prime.digits):
                for name, given in (("a", a[place]), ("b", b[place]), ("has_a", has_a),
                                    ("negative", negative)):
                    ctx.set(getattr(core, name)[place], given)
            sums = [y + (-x if negative else x) * has_a for x, y in zip(a, b, strict=True)]
            await ctx.tick()
            if width > RESULT_BITS:
                half = 1 << width - 1
                loose.extend(ctx.get(digit) == total for digit, total in
                             zip(core.loose, sums, strict=True) if -half <= total < half)
            await ctx.tick().repeat(core.LATENCY - 1)
            found.append([ctx.get(digit) for digit in core.total])
            expected.append(normalised(sums, prime))
            assert (value(sums) - value(found[-1])) % prime.value == 0

    run(core, testbench)
    assert found == expected
    assert all(loose)
    assert (len(loose) > 1000) == (width > RESULT_BITS)
