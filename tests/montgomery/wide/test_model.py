"""The integer model of the wide multiplier, and the intervals that give registers their widths."""

import random

import pytest

from montgomery.wide.datapath import model
from montgomery.wide.datapath.primes import PRIMES
from montgomery.wide.datapath.ranges import Range, centred_high, centred_low, high, low

SEED = 2046
MOST = (1 << model.DIGIT_BITS - 1) - 1
#: Results of which a sum or difference is an operand.
SUMMED = 3

all_paces = pytest.mark.parametrize(("prime", "per_clock"), [
    pytest.param(PRIMES[name], per_clock, id=f"{name}-{per_clock}")
    for name, per_clock in (("P-256", 2), ("P-256", 4), ("P-384", 2))])


def _check(prime, per_clock, x, y):
    """Compute a product, with all registers in their intervals."""
    bounds = model.bounds(prime, per_clock)

    def note(name, value):
        assert value in bounds[name], (name, value, bounds[name], x, y)

    digits = model.columns(x, y, prime, per_clock, note)
    difference = (model.value(digits) << prime.width) - model.value(x) * model.value(y)
    assert difference % prime.value == 0, (x, y)
    return digits


def _edges(prime):
    count = prime.digits
    rows = [[digit] * count for digit in (0, 1, -1, MOST, -MOST - 1, 1 << 16, -(1 << 15))]
    rows += [[(-MOST - 1, MOST)[place >> turn & 1] for place in range(count)] for turn in range(4)]
    rows += [model.to_digits(number, count) for number in (
        prime.value, prime.value - 1, prime.value + 1, 2 * prime.value - 1,
        (1 << prime.width) - 1, 1 << 96, 1 << 224)]
    return rows


@all_paces
def test_edge_digits(prime, per_clock):
    for x in _edges(prime):
        for y in _edges(prime):
            _check(prime, per_clock, x, y)


@all_paces
def test_random_and_extreme_digits(prime, per_clock):
    print("seed", SEED)
    rng = random.Random(SEED)
    for turn in range(400):
        _check(prime, per_clock, *([rng.randint(-MOST - 1, MOST) if turn % 2 else
                                    rng.choice((-MOST - 1, MOST)) for _ in range(prime.digits)]
                                   for _ in "xy"))


@all_paces
def test_sums_of_results_are_operands(prime, per_clock):
    print("seed", SEED)
    rng = random.Random(SEED)
    pool = [model.to_digits(rng.randrange(prime.value), prime.digits) for _ in range(8)]
    for turn in range(400):
        x, y = ([sum(parts) for parts in zip(*(
            [rng.choice((1, -1)) * digit for digit in rng.choice(pool)] for _ in range(SUMMED)),
            strict=True)] for _ in "xy") if turn >= len(pool) else rng.sample(pool, 2)
        pool[turn % len(pool)] = _check(prime, per_clock, x, y)


@all_paces
def test_intervals_of_results(prime, per_clock):
    """Three may be added; and a result, plus the prime, is from 0 to twice the prime."""
    digits = [model.bounds(prime, per_clock)["result", place] for place in range(prime.digits)]
    assert max(max(-digit.low, digit.high) for digit in digits) * SUMMED <= MOST
    least, most = (model.value([getattr(digit, end) for digit in digits])
                   for end in ("low", "high"))
    assert 0 <= least + prime.value <= most + prime.value < 2 * prime.value


def test_an_interval_holds_what_its_numbers_become():
    for ends in ((-70_000, 70_000), (3, 9), (-1, -1), (32_767, 32_768)):
        for function in (low, high, centred_low, centred_high):
            whole = function(Range(*ends))
            assert all(function(number) in whole for number in range(ends[0], ends[1] + 1))
    assert [Range(*ends).width for ends in ((0, 0), (-1, 0), (0, 1), (-2, 1), (-3, 1))] == [
        1, 1, 2, 2, 3]


@pytest.mark.parametrize(("name", "bits"), [("P-256", 96), ("P-384", 32)])
def test_a_column_is_a_quotient_digit(name, bits):
    assert PRIMES[name].value % (1 << bits) == (1 << bits) - 1
