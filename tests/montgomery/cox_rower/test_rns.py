"""Multiplication and conversion, by integers."""

import itertools
import math
import random

import pytest

from montgomery.core import from_words, to_words
from montgomery.cox_rower.bases import Reduction, find_bases
from montgomery.cox_rower.rns import Residues, Rns

SEED = 2001


def _rns(r, n):
    bases = find_bases(r, n)
    return Rns(bases, Reduction(r, bases.mu_width, 2 * n))


def _moduli(bases, rng, count):
    """Return the smallest and largest moduli there are, and some between."""
    usable = [modulus for modulus in itertools.chain(
        range(3, 99, 2), range(bases.capacity - 1 | 1, max(bases.capacity - 99, 3), -2),
        (rng.randrange(3, bases.capacity + 1) | 1 for _ in range(count)))
        if modulus <= bases.capacity and math.gcd(modulus, bases.b_product) == 1]
    return rng.sample(usable, min(count, len(usable)))


def _unreduced(rns, residues, rng):
    """Return the same residues, where there is room often increased by their element."""
    return Residues(*(tuple(
        value + element * (value + element < 1 << rns.bases.r and rng.random() < 0.5)
        for value, element in zip(part, base, strict=True))
        for part, base in ((residues.a, rns.bases.a), (residues.b, rns.bases.b))))


@pytest.mark.parametrize(("r", "n"), [(6, 1), (6, 2), (7, 2), (8, 3), (12, 7), (32, 5), (32, 33)])
def test_product(r, n):
    """Against Figure 1 by integers: w is (s + tN) / B, or N more where the Cox erred at step 3."""
    rng = random.Random(f"{SEED} {r} {n}")
    rns = _rns(r, n)
    bases, more = rns.bases, 0
    for modulus in _moduli(bases, rng, 3 if n > 9 else 40):
        key = rns.key(modulus)
        for x, y in [(0, 0), (1, 2 * modulus - 1), (2 * modulus - 1, 2 * modulus - 1),
                     *((rng.randrange(2 * modulus), rng.randrange(2 * modulus))
                       for _ in range(20))]:
            w = rns.product(*(_unreduced(rns, rns.residues(value), rng) for value in (x, y)), key)
            assert all(0 <= value < 1 << r for value in w.a + w.b)
            value = rns.value(w)
            t = -x * y * pow(modulus, -1, bases.b_product) % bases.b_product
            exact = (x * y + t * modulus) // bases.b_product
            assert value in (exact, exact + modulus), f"{modulus=} {x=} {y=}"
            assert value < 2 * modulus
            more += value != exact
            reduced = rns.residues(value)
            for found, expected, base in ((w.a, reduced.a, bases.a), (w.b, reduced.b, bases.b)):
                assert tuple(map(int.__mod__, found, base)) == expected
    assert more or n == 1 or r > 8  # the case is not left out


@pytest.mark.parametrize(("r", "n"), [(6, 2), (8, 3), (12, 5), (32, 33)])
def test_there_and_back(r, n):
    rng = random.Random(f"{SEED} {r} {n}")
    rns = _rns(r, n)
    half = rns.bases.a_product // 2
    for value in (0, 1, 2**r - 1, 2**r, half, *(rng.randrange(half) for _ in range(20))):
        residues = rns.from_digits(to_words(value, r, n))
        exact = rns.residues(value)
        assert tuple(map(int.__mod__, residues.a, rns.bases.a)) == exact.a
        assert tuple(map(int.__mod__, residues.b, rns.bases.b)) == exact.b
        residues = _unreduced(rns, residues, rng)
        digits = rns.to_digits(residues)
        assert len(digits) == n
        assert from_words(digits, r) == value
    half = rns.bases.a_product * rns.bases.b_product // 2
    for value in (0, half, *(rng.randrange(half) for _ in range(20))):
        part = rng.randint(0, value)
        x, y = (_unreduced(rns, rns.residues(each), rng) for each in (part, value - part))
        assert from_words(rns.to_digits(x, y), r) == value
