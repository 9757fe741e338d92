import itertools

import pytest

from montgomery.arithmetic import (
    check_modulus,
    check_operand,
    from_domain,
    montgomery_product,
    negated_inverse,
    to_domain,
)

MODULI = range(3, 64, 2)


@pytest.mark.parametrize("modulus", MODULI)
def test_product_times_r_is_the_plain_product(modulus):
    for x, y in itertools.product(range(2 * modulus), repeat=2):
        product = montgomery_product(x, y, modulus, 64)
        assert 0 <= product < modulus
        assert (product * 64 - x * y) % modulus == 0


@pytest.mark.parametrize("modulus", MODULI)
def test_the_domain_keeps_products(modulus):
    for x, y in itertools.product(range(modulus), repeat=2):
        inside = montgomery_product(to_domain(x, modulus, 64), to_domain(y, modulus, 64),
                                    modulus, 64)
        assert inside == to_domain(x * y, modulus, 64)
        assert from_domain(inside, modulus, 64) == x * y % modulus


def test_r_need_not_be_a_power_of_two():
    assert montgomery_product(7, 8, 9, 10) == 7 * 8 * pow(10, -1, 9) % 9


def test_r_must_have_an_inverse():
    with pytest.raises(ValueError, match="not invertible"):
        montgomery_product(1, 1, 9, 6)


@pytest.mark.parametrize("modulus", MODULI)
@pytest.mark.parametrize("base", [2, 16, 1 << 17])
def test_negated_inverse_clears_the_lowest_word(modulus, base):
    inverse = negated_inverse(modulus, base)
    assert 0 <= inverse < base
    assert (1 + inverse * modulus) % base == 0


def test_a_modulus_of_any_length_unless_a_width_is_given():
    check_modulus((1 << 5000) + 1)
    check_modulus((1 << 8) - 1, width=8)
    with pytest.raises(ValueError, match="must have 8 bits or fewer, not 9; choose width 9"):
        check_modulus((1 << 8) + 1, width=8)


def test_operands_end_below_the_bound():
    check_operand("x", 0, 10)
    check_operand("x", 9, 10)
    with pytest.raises(ValueError, match="Operand x must be from 0 to 9, not 10; reduce it"):
        check_operand("x", 10, 10)
