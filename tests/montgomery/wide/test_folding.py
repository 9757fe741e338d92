"""The multiplier for 2**255 - 19: its integer model, and its datapath."""

import random

import pytest
from amaranth.sim import Simulator
from products import MOST, digits, products

from montgomery.wide import folding_model, model
from montgomery.wide.adder import DigitAdder, normalised
from montgomery.wide.core import RESULT_BITS
from montgomery.wide.folding_core import FoldingCore
from montgomery.wide.folding_model import CLOCKS, FoldedPrime
from montgomery.wide.primes import DIGITS
from montgomery.wide.ranges import BASE, Range

SEED = 25519
PRIME = FoldedPrime("Curve25519", bits=255, less=19)
#: Results of which a sum or difference is an operand.
SUMMED = 3


def _check(x, y, short=False):
    """Compute a product, with all registers in their intervals."""
    bounds = folding_model.bounds(PRIME)

    def note(name, value):
        assert value in bounds[name], (name, value, bounds[name], x, y)

    digits = folding_model.columns(x, y, PRIME, note, short=short)
    factor = x[-2] + (x[-1] << BASE) if short else model.value(x)
    difference = model.value(digits) - factor * model.value(y)
    assert difference % PRIME.value == 0, (x, y)
    return digits


def _result():
    """Return the interval of all digits of results."""
    bounds = [folding_model.bounds(PRIME)["result", place] for place in range(DIGITS)]
    return Range(min(each.low for each in bounds), max(each.high for each in bounds))


def test_edge_digits():
    rows = [[digit] * DIGITS for digit in (0, 1, -1, MOST, -MOST - 1, 1 << 16, -(1 << 15))]
    rows += [[(-MOST - 1, MOST)[place >> turn & 1] for place in range(DIGITS)] for turn in range(4)]
    rows += [model.to_digits(number) for number in (
        PRIME.value, PRIME.value - 1, PRIME.value + 1, (1 << 256) - 1, 1 << 255, 1 << 240)]
    for x in rows:
        for y in rows:
            _check(x, y)
            _check(x, y, short=True)


def test_random_and_extreme_digits():
    print("seed", SEED)
    rng = random.Random(SEED)
    for turn in range(400):
        _check(digits(rng, turn % 2), digits(rng, turn % 3), short=turn % 4 == 3)


def test_sums_of_results_are_operands():
    print("seed", SEED)
    rng = random.Random(SEED)
    pool = [model.to_digits(rng.randrange(PRIME.value)) for _ in range(8)]
    for turn in range(400):
        x, y = ([sum(parts) for parts in zip(*(
            [rng.choice((1, -1)) * digit for digit in rng.choice(pool)] for _ in range(SUMMED)),
            strict=True)] for _ in "xy") if turn >= len(pool) else rng.sample(pool, 2)
        pool[turn % len(pool)] = _check(x, y)
    result = _result()
    assert max(-result.low, result.high) * SUMMED <= MOST


def test_a_sum_is_as_small_as_a_result():
    """So a sum of results may be an operand of the next one, over and over."""
    result = _result()
    loaded = Range(0, (1 << BASE) - 1)  # as words come in
    for digit in (result + result + result, loaded + result, result + -loaded):
        assert digit.width <= RESULT_BITS + 1
        for total in normalised([digit] * DIGITS, PRIME):
            assert result.low <= total.low
            assert total.high <= result.high


def test_products_back_to_back_and_after_pauses():
    print("seed", SEED)
    rng, core = random.Random(SEED), FoldingCore(PRIME)
    gaps = [CLOCKS] * 8 + [rng.choice((CLOCKS, CLOCKS + 1, 11, 16, 40)) for _ in range(8)]
    shorts = [False] * 16 + [True, True, False, True, True]
    gaps += [1, 1, CLOCKS, 2, CLOCKS]
    pairs, found = products(core, rng, gaps, core.LATENCY, shorts)
    assert found == {
        start + (core.SHORT if short else core.LATENCY):
            folding_model.columns(x, y, PRIME, short=short)
        for (start, (x, y)), short in zip(pairs.items(), shorts, strict=True)}


def test_sums():
    print("seed", SEED)
    rng, core, found, expected = random.Random(SEED), DigitAdder(PRIME, RESULT_BITS), [], []
    limit = _result().high

    async def testbench(ctx):
        for turn in range(200):
            a, b = ([rng.choice((-limit, limit)) if turn % 3 == 0 else rng.randint(-limit, limit)
                     for _ in range(DIGITS)] for _ in "ab")
            negative = rng.getrandbits(1)
            for place in range(DIGITS):
                ctx.set(core.a[place], a[place])
                ctx.set(core.b[place], b[place])
                ctx.set(core.has_a[place], 1)
                ctx.set(core.negative[place], negative)
            await ctx.tick().repeat(core.LATENCY)
            found.append([ctx.get(digit) for digit in core.total])
            sums = [y - x if negative else y + x for x, y in zip(a, b, strict=True)]
            expected.append(normalised(sums, PRIME))
            assert (model.value(sums) - model.value(found[-1])) % PRIME.value == 0

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert found == expected


@pytest.mark.parametrize(("bits", "less", "factor"), [(255, 19, 38), (256, 7, 7)])
def test_factors(bits, less, factor):
    prime = FoldedPrime("", bits=bits, less=less)
    assert (1 << 256) % prime.value == prime.factor == factor
    assert sum(1 << shift for shift in prime.shifts) == factor
