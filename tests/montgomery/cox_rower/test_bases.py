"""Bases, the Cox and the reduction unit."""

import itertools
import math
from fractions import Fraction

import pytest

from montgomery.cox_rower.bases import BaseSet, Reduction, find_bases
from montgomery.cox_rower.rns import cox, rns_of_lengths

PAPER = rns_of_lengths(32, 11, (512, 1024, 2048))


def test_base_sets_of_the_paper():
    """Sections 3.1 and 4.1: sizes, g, h, z and folds; and the lengths of Section 4.2."""
    assert [rns.bases.n for rns in PAPER] == [22, 33, 66]
    for rns, bits in zip(PAPER, (672, 1024, 2080), strict=True):
        assert rns.bases.bits >= bits
        assert rns.bases.g == 9
        assert rns.reduction == PAPER[0].reduction
    reduction = PAPER[0].reduction
    assert (reduction.mu_width, reduction.width, len(reduction.bounds)) == (10, 72, 3)


@pytest.mark.parametrize("u", [1, 3, 11, 33])
def test_sizes_are_multiples_of_the_number_of_rowers(u):
    sizes = [rns_of_lengths(32, u, (bits,))[0].bases.n for bits in (1024, 1053)]
    assert sizes == [33, 33 + u if u > 1 else 34]


@pytest.mark.parametrize(("r", "n"), [(6, 1), (6, 2), (8, 3), (12, 7), (17, 20), (24, 33)])
def test_conditions_hold(r, n):
    bases = find_bases(r, n)
    elements = bases.a + bases.b
    assert math.lcm(*elements) == math.prod(elements) == bases.a_product * bases.b_product
    assert all(2**r - 2**(r // 2) < element <= 2**r for element in elements)
    assert 8 * bases.capacity < min(bases.a_product, bases.b_product) <= 8 * bases.capacity + 8
    assert 2**bases.bits - 1 <= bases.capacity < 2**(bases.bits + 1) - 1
    assert BaseSet.error(elements, r, bases.g) <= Fraction(1, 2)
    assert bases.g == 1 or BaseSet.error(elements, r, bases.g - 1) > Fraction(1, 2)


@pytest.mark.parametrize(("r", "n"), [(6, 2), (8, 1), (7, 2)])
def test_the_cox_errs_as_its_bounds_say(r, n):
    """For every residue there is, fully reduced or not, and for the least g that is enough."""
    bases = find_bases(r, n)
    for base, product in ((bases.a, bases.a_product), (bases.b, bases.b_product)):
        worst = 0
        for xi in itertools.product(range(1 << r), repeat=n):
            total = sum(Fraction(x, element) for x, element in zip(xi, base, strict=True))
            k = math.floor(total)
            found = [sum(cox(xi, r=r, g=bases.g, alpha=alpha)) for alpha in (False, True)]
            assert found[0] in (k, k - 1)
            if (total - k) * product < product / 2:
                assert found[1] == k
            worst = max(worst, total - sum(x >> (r - bases.g) for x in xi) / Fraction(2**bases.g))
        assert worst == BaseSet.error(base, r, bases.g)


def test_bases_that_there_are_not():
    with pytest.raises(ValueError, match=r"words of 8 bits must have 3 elements or fewer, not 4, "
                                         r".* 2\*\*8 - 2\*\*4 to 2\*\*8; choose a larger word"):
        find_bases(8, 4)


@pytest.mark.parametrize(("r", "mu_width", "terms"), [(6, 3, 4), (6, 1, 1), (7, 3, 2)])
def test_every_number_is_reduced(r, mu_width, terms):
    reduction = Reduction(r, mu_width, terms)
    top = (1 << r) - 1
    assert reduction.bound - 1 == terms * top * (top + 1)
    for mu in range(1 << mu_width):
        results = [reduction(value, mu) for value in range(reduction.bound)]
        assert 0 <= min(results) <= max(results) <= top
        assert all((value - result) % (2**r - mu) == 0 for value, result in enumerate(results))
