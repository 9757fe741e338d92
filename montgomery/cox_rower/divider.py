"""Division in radix 2, for what the Rowers cannot do: B, B**2 and the message modulo N."""

from ..core import ceil_div

__all__ = ["remainder", "steps"]


def steps(dividend_words, divisor_words, r):
    """Return the bits of the dividend that are taken one by one.

    All but the upper ``divisor_words - 1`` words, which are a number below the divisor already.
    """
    return r * (dividend_words - divisor_words + 1)


def remainder(dividend, divisor, r):
    """Return ``dividend % divisor`` by restoring division, whose only secret is its operands.

    The numbers of words, of r bits, are public, and the divisor's highest word must not be 0.
    """
    dividend_words = ceil_div(dividend.bit_length(), r)
    divisor_words = ceil_div(divisor.bit_length(), r)
    if dividend_words < divisor_words:
        return dividend
    left = steps(dividend_words, divisor_words, r)
    rest = dividend >> left
    for index in reversed(range(left)):
        # rest < divisor
        rest = 2 * rest + (dividend >> index & 1)
        difference = rest - divisor
        rest = rest if difference < 0 else difference
    return rest
