"""Dataflows that multiply modulo fixed primes: on integers, on intervals, and as hardware."""

import functools
import operator
import random

import pytest
from products import MOST, digits, normalised, products

from montgomery.numbers.catalogue import MONTGOMERY
from montgomery.wide.datapath.core import FixedPrimeCore, dataflow
from montgomery.wide.datapath.primes import FOLDED, KOBLITZ, PRIMES, Prime
from montgomery.wide.datapath.ranges import (
    BASE,
    DIGIT_BITS,
    RESULT_BITS,
    Range,
    centred_high,
    centred_low,
    high,
    low,
    to_digits,
    value,
)

SEED = 2046
#: Results of which a sum or difference is an operand.
SUMMED = 3
#: By the name of a prime and digits of x in a clock: clocks to the result.
LATENCIES = {("P-256", 2): 18, ("P-256", 4): 16, ("P-384", 2): 23, ("Curve25519", 2): 17,
             ("Curve25519", 4): 14, ("secp256k1", 2): 19, ("secp256k1", 4): 16,
             ("Curve448", 4): 18}
_PRIMES = PRIMES | {
    "Curve25519": FOLDED, "secp256k1": KOBLITZ,
    # No core has this one; a prime of a known form takes no more than its value.
    "Curve448": Prime("Curve448", MONTGOMERY["Curve448"].p)}


@pytest.fixture(params=LATENCIES, ids=lambda case: "-".join(map(str, case)))
def flow(request):
    name, per_clock = request.param
    return dataflow(_PRIMES[name], per_clock)


def _check(flow, x, y, short=False):
    """Compute a product, with all registers in their intervals."""
    found = flow.trace(x, y, short=short)
    for name, values in found.items():
        assert all(each in flow.bounds[name] for each in values), (name, values, x, y)
    result = [found["out", place][-1] for place in range(len(x))]
    assert result == flow.compute(x, y, short=short)
    divided = 1 if flow.short else 1 << flow.prime.width
    factor = value(x[-flow.per_clock:] if short else x)
    assert (divided * value(result) - factor * value(y)) % flow.prime.value == 0, (x, y)
    return result


def _result(flow):
    """Return the interval of all digits of results."""
    return functools.reduce(operator.or_, (flow.bounds["out", place]
                                           for place in range(flow.prime.digits)))


def test_edge_digits(flow):
    count, p = flow.prime.digits, flow.prime.value
    rows = [[digit] * count for digit in (0, 1, -1, MOST, -MOST - 1, 1 << 16, -(1 << 15))]
    rows += [[(-MOST - 1, MOST)[place >> turn & 1] for place in range(count)] for turn in range(4)]
    rows += [to_digits(number, count) for number in (
        p, p - 1, p + 1, 2 * p - 1, (1 << BASE * count) - 1, 1 << 96, 1 << 224, 1 << 240)]
    for turn, x in enumerate(rows):
        for y in rows[turn % 4::4]:
            _check(flow, x, y)
            if flow.short:
                _check(flow, x, y, short=True)


def test_random_and_extreme_digits(flow):
    print("seed", SEED)
    rng = random.Random(SEED)
    for turn in range(100):
        x, y = (digits(rng, turn % extreme, flow.prime.digits) for extreme in (2, 3))
        _check(flow, x, y, short=bool(flow.short) and turn % 4 == 3)


def test_sums_of_results_are_operands(flow):
    print("seed", SEED)
    rng = random.Random(SEED)
    pool = [to_digits(rng.randrange(flow.prime.value), flow.prime.digits) for _ in range(8)]
    for turn in range(100):
        x, y = ([sum(parts) for parts in zip(*(
            [rng.choice((1, -1)) * digit for digit in rng.choice(pool)] for _ in range(SUMMED)),
            strict=True)] for _ in "xy") if turn >= len(pool) else rng.sample(pool, 2)
        pool[turn % len(pool)] = _check(flow, x, y)
    result = _result(flow)
    assert max(-result.low, result.high) * SUMMED <= MOST


def test_a_result_and_the_prime_are_from_0_to_twice_the_prime(flow):
    if flow.short:
        pytest.skip("results of this form are reduced once more")
    ends = [flow.bounds["out", place] for place in range(flow.prime.digits)]
    least, most = (value([getattr(digit, end) for digit in ends]) for end in ("low", "high"))
    p = flow.prime.value
    assert 0 <= least + p <= most + p < 2 * p


def test_sums_are_small(flow):
    """So a sum of numbers may be an operand of the next one, over and over."""
    prime, number = flow.prime, _result(flow)
    for _ in range(3):
        six = functools.reduce(operator.add, [number] * 6)
        number = functools.reduce(operator.or_, normalised([six] * prime.digits, prime), number)
    assert (number + number + number).width <= DIGIT_BITS
    loaded = Range(0, (1 << BASE) - 1)  # as words come in
    six = functools.reduce(operator.add, [number] * 6)
    for digit, width in ((number + number + number, RESULT_BITS + 1), (six, RESULT_BITS + 2),
                         (loaded + number, RESULT_BITS + 1), (number + -loaded, RESULT_BITS + 1),
                         (-loaded, RESULT_BITS + 1)):
        assert digit.width <= width
        for total in normalised([digit] * prime.digits, prime):
            assert number.low <= total.low
            assert total.high <= number.high


def test_products_back_to_back_and_after_pauses(flow):
    print("seed", SEED)
    rng, least = random.Random(SEED), flow.interval
    assert flow.latency == LATENCIES[flow.prime.name, flow.per_clock]
    gaps = [least] * 8 + [rng.choice((least, least + 1, least + 3, 16, 40)) for _ in range(8)]
    shorts = []
    if flow.short:
        shorts = [False] * 16 + [True, True, False, True, True]
        gaps += [1, 1, least, 2, least]
    pairs, found = products(FixedPrimeCore(flow), rng, gaps, flow.latency, shorts)
    assert found == {
        start + (flow.short if short else flow.latency): flow.compute(x, y, short=short)
        for (start, (x, y)), short in zip(pairs.items(), shorts or [False] * len(pairs),
                                          strict=True)}


def test_an_interval_holds_what_its_numbers_become():
    for ends in ((-70_000, 70_000), (3, 9), (-1, -1), (32_767, 32_768)):
        for function in (low, high, centred_low, centred_high):
            whole = function(Range(*ends))
            assert all(function(number) in whole for number in range(ends[0], ends[1] + 1))
    assert [Range(*ends).width for ends in ((0, 0), (-1, 0), (0, 1), (-2, 1), (-3, 1))] == [
        1, 1, 2, 2, 3]


@pytest.mark.parametrize(("number", "most"), [
    (2**448 - 2**224 - 1, 4), (2**384 - 2**128 - 2**96 + 2**32 - 1, 2), (2**192 - 2**64 - 1, 0),
    (2**256 - 2**224 - 2**96 + 2**64 - 1, 0)])
def test_primes_of_the_form(number, most):
    """Quotient digits of P-192 and SM2 are not added in time."""
    prime = Prime("", number)
    assert prime.most_per_clock * prime.fits == most
