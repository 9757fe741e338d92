"""Multiplication, conversion, division and exponentiation, by integers."""

import dataclasses
import itertools
import math
import random

import pytest

from montgomery.core import from_words
from montgomery.cox_rower.bases import find_bases
from montgomery.cox_rower.conversion import RadixConstants, carry, to_radix, to_rns
from montgomery.cox_rower.exponentiation import multiplications, power
from montgomery.cox_rower.key import prepare
from montgomery.cox_rower.rns import Residues, Rns

SEED = 2001


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
    rns = Rns(find_bases(r, n))
    bases, more = rns.bases, 0
    for modulus in _moduli(bases, rng, 3 if n > 9 else 40):
        key = prepare(rns, modulus)
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
    rns = Rns(find_bases(r, n))
    single = RadixConstants(rns.bases.a, r)
    both = RadixConstants(rns.bases.a + rns.bases.b, r)
    half = rns.bases.a_product // 2
    for value in (0, 1, 2**r - 1, 2**r, half, *(rng.randrange(half) for _ in range(20))):
        residues = to_rns(rns, value)
        exact = rns.residues(value)
        assert tuple(map(int.__mod__, residues.a, rns.bases.a)) == exact.a
        assert tuple(map(int.__mod__, residues.b, rns.bases.b)) == exact.b
        residues = _unreduced(rns, residues, rng)
        digits = to_radix(rns, residues.a, single)
        assert len(digits) == n
        assert from_words(digits, r) == value
    half = rns.bases.a_product * rns.bases.b_product // 2
    for value in (0, half, *(rng.randrange(half) for _ in range(20))):
        residues = _unreduced(rns, rns.residues(value), rng)
        assert from_words(to_radix(rns, residues.a + residues.b, both), r) == value


def test_carries():
    assert carry([255, 1, 0], 4) == [15, 0, 1]
    assert carry([0, 0, 255], 4) == [0, 0, 15]


@pytest.mark.parametrize("window", [1, 2, 4, 5, 6])
@pytest.mark.parametrize(("r", "n", "bits"), [(8, 3, 9), (12, 5, 40), (32, 5, 140)])
def test_power(r, n, bits, window):
    rng = random.Random(f"{SEED} {r} {n}")
    rns = Rns(find_bases(r, n))
    for modulus in _moduli(rns.bases, rng, 6):
        key = prepare(rns, modulus)
        b = rns.bases.b_product
        for exponent in (0, 1, 2**bits - 1, 2**(bits - 1), rng.getrandbits(bits)):
            base = rng.randrange(modulus)
            x = rns.residues(base * b % modulus + modulus * rng.randrange(2))
            y = rns.value(power(rns, x, exponent, key, exponent_bits=bits, window=window))
            assert y < 2 * modulus
            assert y % modulus == pow(base, exponent, modulus) * b % modulus


@dataclasses.dataclass(frozen=True)
class _Counting(Rns):
    """Remembers which registers were multiplied."""

    def product(self, x, y, key):
        self.operands.append(x is y)
        return super().product(x, y, key)


@pytest.mark.parametrize("window", range(1, 7))
@pytest.mark.parametrize("bits", [1, 4, 5, 12, 17])
def test_operations_depend_on_the_length_of_the_exponent_alone(bits, window):
    rns = _Counting(find_bases(12, 3))
    key = prepare(rns, 10007)
    x = rns.residues(1234)
    seen = []
    for exponent in (0, 1, 2**bits - 1, 2**(bits - 1)):
        object.__setattr__(rns, "operands", [])
        power(rns, x, exponent, key, exponent_bits=bits, window=window)
        seen.append(rns.operands)
    assert all(operands == seen[0] for operands in seen)
    assert len(seen[0]) == multiplications(bits, window)


def test_multiplications_of_a_1024_bit_exponent():
    assert multiplications(1024) == 14 + 5 * 255
    assert multiplications(1024, 5) == 30 + 6 * 204
    assert multiplications(1024, 1) == 2 * 1023
