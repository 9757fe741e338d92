"""Exponentiation by windows, Figure 3."""

from ..core import ceil_div, to_words

__all__ = ["WINDOW", "digits_of", "exponent_words", "multiplications", "power", "words_of"]

#: Bits of a digit in the paper.
WINDOW = 4


def digits_of(exponent_bits, window):
    """Return the number of digits of an exponent, at least one."""
    return max(ceil_div(exponent_bits, window), 1)


def exponent_words(exponent_bits, r, window):
    """Return the number of words of r bits of an exponent, as many digits as fit in each."""
    return ceil_div(ceil_div(exponent_bits, window), r // window)


def words_of(exponent, digits, count, r, window):
    """Return ``count`` words of an exponent: its highest digits first, in a word's first bits."""
    in_word = r // window
    aligned = exponent << window * (in_word * count - digits)
    return to_words(aligned, window * in_word, count)[::-1]


def power(rns, x, exponent, key, *, exponent_bits, window=WINDOW):
    """Return the power of a number in the Montgomery domain.

    What is multiplied by when depends on the length of the exponent alone: also where a digit of it
    is 0 there is a product, by B_N.

    Parameters
    ----------
    x : :class:`~montgomery.cox_rower.rns.Residues`
        Of x B mod N or that plus N.
    exponent : :class:`int`
        Below ``2**exponent_bits``.
    key : :class:`~montgomery.cox_rower.key.Key`
    window : :class:`int`
        Bits of a digit.

    Returns
    -------
    :class:`~montgomery.cox_rower.rns.Residues`
        Of y < 2N, congruent to x**exponent B.
    """
    # 1 to 3
    powers = [key.one, x]
    while len(powers) < 1 << window:
        powers.append(rns.product(powers[-1], x, key))
    # 4
    *rest, first = to_words(exponent, window, ceil_div(exponent_bits, window))
    y = powers[first]
    # 5 to 10
    for digit in reversed(rest):
        for _ in range(window):
            y = rns.product(y, y, key)
        y = rns.product(y, powers[digit], key)
    return y


def multiplications(exponent_bits, window=WINDOW):
    """Return the number of products of :func:`power`."""
    return (1 << window) - 2 + (window + 1) * (ceil_div(exponent_bits, window) - 1)
