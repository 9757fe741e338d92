import pytest

from montgomery.arithmetic import check_modulus, check_operand, division_steps, negated_inverse


@pytest.mark.parametrize("modulus", range(3, 64, 2))
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


def _division_steps(f, g):
    delta, count = 0, 0
    while g:
        if g & 1 and delta >= 0:
            delta, f, g = -delta, g, g - f >> 1
        else:
            delta, g = delta + 1, g + (g & 1) * f >> 1
        count += 1
    return count


@pytest.mark.parametrize("bits", range(2, 9))
def test_division_steps_are_enough_for_all_numbers_of_few_bits(bits):
    most = max(_division_steps(f, g) for f in range(1, 1 << bits, 2) for g in range(f))
    assert 0 <= division_steps(bits) - most <= 3
