"""The multipliers for 2**255 - 19 and 2**256 - 2**32 - 977: integer models, and datapaths."""

import dataclasses
import functools
import operator
import random
from collections.abc import Callable

import pytest
from amaranth.sim import Simulator
from products import MOST, digits, products

from montgomery.wide.datapath import folding_model, koblitz_model, model
from montgomery.wide.datapath.folding_core import FoldingCore
from montgomery.wide.datapath.koblitz_core import KoblitzCore
from montgomery.wide.datapath.model import RESULT_BITS
from montgomery.wide.datapath.primes import DIGITS, FOLDED, KOBLITZ, FoldedPrime
from montgomery.wide.datapath.ranges import BASE, Range
from montgomery.wide.units.adder import DigitAdder, normalised

SEED = 25519
#: Results of which a sum or difference is an operand.
SUMMED = 3


@dataclasses.dataclass(frozen=True)
class Datapath:
    """A datapath, and its model."""

    core: object
    columns: Callable
    bounds: dict

    @property
    def prime(self):
        return self.core.prime

    @property
    def result(self):
        """The interval of all digits of results."""
        bounds = [self.bounds["result", place] for place in range(DIGITS)]
        return Range(min(each.low for each in bounds), max(each.high for each in bounds))


@pytest.fixture(params=[(name, count) for name in ("Curve25519", "secp256k1") for count in (2, 4)])
def datapath(request):
    name, count = request.param
    if name == "secp256k1":
        return Datapath(KoblitzCore(count),
                        functools.partial(koblitz_model.columns, per_clock=count),
                        koblitz_model.bounds(count))
    return Datapath(FoldingCore(FOLDED, count),
                    functools.partial(folding_model.columns, prime=FOLDED, per_clock=count),
                    folding_model.bounds(FOLDED, count))


def _check(datapath, x, y, short=False):
    """Compute a product, with all registers in their intervals."""
    bounds, prime = datapath.bounds, datapath.prime

    def note(name, value):
        assert value in bounds[name], (name, value, bounds[name], x, y)

    digits = datapath.columns(x, y, note=note, short=short)
    factor = model.value(x[-datapath.core.pace.per_clock:] if short else x)
    difference = model.value(digits) - factor * model.value(y)
    assert difference % prime.value == 0, (x, y)
    return digits


def test_edge_digits(datapath):
    p = datapath.prime.value
    rows = [[digit] * DIGITS for digit in (0, 1, -1, MOST, -MOST - 1, 1 << 16, -(1 << 15))]
    rows += [[(-MOST - 1, MOST)[place >> turn & 1] for place in range(DIGITS)] for turn in range(4)]
    rows += [model.to_digits(number) for number in (
        p, p - 1, p + 1, (1 << 256) - 1, 1 << 255, 1 << 240)]
    for x in rows:
        for y in rows:
            _check(datapath, x, y)
            _check(datapath, x, y, short=True)


def test_random_and_extreme_digits(datapath):
    print("seed", SEED)
    rng = random.Random(SEED)
    for turn in range(400):
        _check(datapath, digits(rng, turn % 2), digits(rng, turn % 3), short=turn % 4 == 3)


def test_sums_of_results_are_operands(datapath):
    print("seed", SEED)
    rng = random.Random(SEED)
    pool = [model.to_digits(rng.randrange(datapath.prime.value)) for _ in range(8)]
    for turn in range(400):
        x, y = ([sum(parts) for parts in zip(*(
            [rng.choice((1, -1)) * digit for digit in rng.choice(pool)] for _ in range(SUMMED)),
            strict=True)] for _ in "xy") if turn >= len(pool) else rng.sample(pool, 2)
        pool[turn % len(pool)] = _check(datapath, x, y)
    result = datapath.result
    assert max(-result.low, result.high) * SUMMED <= MOST


def test_sums_are_small(datapath):
    """So a sum of numbers may be an operand of the next one, over and over."""
    prime, number = datapath.prime, datapath.result
    for _ in range(3):
        six = functools.reduce(operator.add, [number] * 6)
        number = functools.reduce(operator.or_, normalised([six] * DIGITS, prime), number)
    assert (number + number + number).width <= model.DIGIT_BITS
    loaded = Range(0, (1 << BASE) - 1)  # as words come in
    six = functools.reduce(operator.add, [number] * 6)
    for digit, width in ((number + number + number, RESULT_BITS + 1), (six, RESULT_BITS + 2),
                         (loaded + number, RESULT_BITS + 1), (number + -loaded, RESULT_BITS + 1)):
        assert digit.width <= width
        for total in normalised([digit] * DIGITS, prime):
            assert number.low <= total.low
            assert total.high <= number.high


def test_products_back_to_back_and_after_pauses(datapath):
    print("seed", SEED)
    rng, core = random.Random(SEED), datapath.core
    pace = core.pace
    least = pace.interval
    gaps = [least] * 8 + [rng.choice((least, least + 1, 11, 16, 40)) for _ in range(8)]
    shorts = [False] * 16 + [True, True, False, True, True]
    gaps += [1, 1, least, 2, least]
    pairs, found = products(core, rng, gaps, pace.latency, shorts)
    assert found == {
        start + (pace.short if short else pace.latency):
            datapath.columns(x, y, short=short)
        for (start, (x, y)), short in zip(pairs.items(), shorts, strict=True)}


def test_sums(datapath):
    print("seed", SEED)
    prime, limit = datapath.prime, datapath.result.high
    rng, core, found, expected = random.Random(SEED), DigitAdder(prime, RESULT_BITS), [], []

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
            expected.append(normalised(sums, prime))
            assert (model.value(sums) - model.value(found[-1])) % prime.value == 0

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert found == expected


@pytest.mark.parametrize(("bits", "less", "factor"), [(255, 19, 38), (256, 7, 7)])
def test_factors(bits, less, factor):
    prime = FoldedPrime("", (1 << bits) - less)
    assert (1 << 256) % prime.value == prime.factor == factor
    assert sum(1 << shift for shift in prime.shifts) == factor


def test_the_prime_of_secp256k1():
    p = KOBLITZ.value
    assert p == 2**256 - 2**32 - 977
    assert KOBLITZ.carry == ((0, 977), (2, 1))
    assert sum(times << BASE * place for place, times in KOBLITZ.carry) == (1 << 256) % p
