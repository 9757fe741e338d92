"""Exponentiation by fixed windows, as integers: which products there are, and in which order.

The exponent is a number of digits of ``window`` bits. A table holds the powers of the base from 0
to ``2**window - 1``. From the highest digit on, each digit takes ``window`` squares and one product
with an entry of the table: entry 0 for a digit 0, so that all exponents of a length take the same
products. See Menezes, van Oorschot, Vanstone: Handbook of Applied Cryptography, Algorithm 14.82,
which leaves out the products with entry 0.

Hardware that follows the schedule reads the table at an address that depends on the exponent. Its
time does not, but its power and its emissions may tell the address.
"""

from ..core import ceil_div

__all__ = ["MOST_BITS", "best_window", "digit_count", "digits_of", "power", "products"]

#: Bits of the longest window.
MOST_BITS = 6


def digit_count(bits, window):
    """Return the number of digits of an exponent of ``bits`` bits, at least one."""
    return max(ceil_div(bits, window), 1)


def digits_of(exponent, bits, window):
    """Return the digits of an exponent of ``bits`` bits, the highest one first."""
    return [exponent >> (window * index) & ((1 << window) - 1)
            for index in reversed(range(digit_count(bits, window)))]


def products(bits, window):
    """Return the number of products of :func:`power`: of the table, and of the digits."""
    return (1 << window) - 2 + (window + 1) * (digit_count(bits, window) - 1)


def best_window(bits):
    """Return the window with the fewest products for exponents of ``bits`` bits.

    A shorter one, whose table is smaller, is preferred if it takes up to a hundredth more.
    """
    counts = {window: products(bits, window) for window in range(1, MOST_BITS + 1)}
    return next(window for window in counts if 100 * counts[window] <= 101 * min(counts.values()))


def power(multiply, one, base, exponent, bits, window):
    """Return the power of ``base`` by fixed windows, for an exponent cut into digits by ``bits``.

    ``multiply`` returns the product of two elements, and ``one`` is the neutral one.
    """
    table = [one, base]
    while len(table) < 1 << window:
        table.append(multiply(table[-1], base))
    first, *others = digits_of(exponent, bits, window)
    result = table[first]
    for digit in others:
        for _ in range(window):
            result = multiply(result, result)
        result = multiply(result, table[digit])
    return result
