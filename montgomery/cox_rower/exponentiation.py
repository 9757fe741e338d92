"""Exponentiation by windows of four bits, Figure 3."""

from ..core import ceil_div, to_words
from ..operations import Definition, Operand

__all__ = ["WINDOW", "described", "digits_of", "exponent_words", "multiplications", "power",
           "words_of"]

WINDOW = 4


def digits_of(exponent_bits):
    """Return the number of digits of an exponent, at least one."""
    return max(ceil_div(exponent_bits, WINDOW), 1)


def exponent_words(exponent_bits, r):
    """Return the number of words of r bits of an exponent, as many digits as fit in each."""
    return ceil_div(ceil_div(exponent_bits, WINDOW), r // WINDOW)


def words_of(exponent, digits, count, r):
    """Return ``count`` words of an exponent: its highest digits first, in a word's first bits."""
    in_word = r // WINDOW
    aligned = exponent << WINDOW * (in_word * count - digits)
    return to_words(aligned, WINDOW * in_word, count)[::-1]


def described(names, length, count, r):
    """Return how the words of exponents come about.

    Parameters
    ----------
    names : list of :class:`str`
        Of the exponents.
    length : :class:`~montgomery.operations.Definition`
        What ``exponent_bits`` is.
    count : :class:`int`
        Words of each.
    r : :class:`int`
        Bits of a word.

    Returns
    -------
    constants : list of :class:`~montgomery.operations.Definition`
    operands : list of :class:`~montgomery.operations.Operand`
    """
    in_word = r // WINDOW
    places = in_word * count
    digits = Definition("digits", f"`exponent_bits` / 4, rounded up, and at least 1, where "
                        f"`exponent_bits` is {length.meaning}",
                        f"max(-(-exponent_bits // {WINDOW}), 1)")
    unused = f", in the lowest {WINDOW * in_word} bits of each" if r % WINDOW else ""
    meaning = (f"16^({places} - `digits`), {in_word} digits of four bits per word{unused}, "
               f"**highest word first**: the highest digit of the first word is the highest digit "
               "of the exponent")
    return [digits], [
        Operand("digits", 1, digits.meaning, "[digits]"),
        *(Operand(name, count, f"{name} · {meaning}",
                  f"split({name} << {WINDOW} * ({places} - digits), {count}, "
                  f"{WINDOW * in_word})[::-1]") for name in names)]


def power(rns, x, exponent, key, *, exponent_bits):
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

    Returns
    -------
    :class:`~montgomery.cox_rower.rns.Residues`
        Of y < 2N, congruent to x**exponent B.
    """
    # 1 to 3
    powers = [key.one, x]
    while len(powers) < 1 << WINDOW:
        powers.append(rns.product(powers[-1], x, key))
    # 4
    *rest, first = to_words(exponent, WINDOW, ceil_div(exponent_bits, WINDOW))
    y = powers[first]
    # 5 to 10
    for digit in reversed(rest):
        for _ in range(WINDOW):
            y = rns.product(y, y, key)
        y = rns.product(y, powers[digit], key)
    return y


def multiplications(exponent_bits):
    """Return the number of products of :func:`power`."""
    return (1 << WINDOW) - 2 + (WINDOW + 1) * (ceil_div(exponent_bits, WINDOW) - 1)
