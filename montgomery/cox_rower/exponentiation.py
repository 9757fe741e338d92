"""Exponentiation by windows, Figure 3."""

from ..core import Field, Number, ceil_div, plural, to_words

__all__ = ["WINDOW", "digits_of", "exponent_fields", "exponent_words", "multiplications", "power"]

#: Bits of a digit in the paper.
WINDOW = 4


def digits_of(exponent_bits, window):
    """Return the number of digits of an exponent, at least one."""
    return max(ceil_div(exponent_bits, window), 1)


def exponent_words(exponent_bits, r, window):
    """Return the number of words of r bits of an exponent, as many digits as fit in each."""
    return ceil_div(ceil_div(exponent_bits, window), r // window)


def exponent_fields(names, bits, r, window):
    """Return how exponents of up to some bits are sent in words of r bits.

    Parameters
    ----------
    names : tuple of :class:`str`
    window : :class:`int`
        Bits of a digit.

    Returns
    -------
    number : :class:`~montgomery.core.Number`
        ``digits``, by the number ``exponent_bits``.
    fields : list of :class:`~montgomery.core.Field`
        That number, and each exponent.
    """
    count, in_word = exponent_words(bits, r, window), r // window
    places, used = in_word * count, window * in_word
    unused = f", in the lowest {used} bits of each" if r % window else ""
    digits = Number("digits", f"`exponent_bits` / {window}, rounded up, and at least 1",
                    f"max(-(-exponent_bits // {window}), 1)")
    meaning = (f"{1 << window}^({places} - `digits`), {plural(in_word, 'digit')} of "
               f"{plural(window, 'bit')} per word{unused}, **highest word first**: the highest "
               "digit of the first word is the highest digit of the exponent")
    return digits, [Field("digits", 1, digits.meaning, filler=1),
                    *(Field(name, count, f"{name} · {meaning}",
                            f"{name} << {window} * ({places} - digits)", used, highest_first=True)
                      for name in names)]


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
