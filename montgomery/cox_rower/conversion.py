"""Between radix 2**r and residues, Equations 8 and 9."""

import math

from ..core import to_words
from .rns import Residues, cox

__all__ = ["RadixConstants", "carry", "to_radix", "to_rns"]


def to_rns(rns, value, *, digits=None):
    """Return the :class:`~montgomery.cox_rower.rns.Residues` of an integer, by Equation 8.

    It has n digits of r bits, if no other number of ``digits`` is given.
    """
    r, n = rns.bases.r, rns.bases.n
    digits = to_words(value, r, digits or n)
    return Residues(*(tuple(
        rns.reduce(sum(digit * ((1 << r * index) % element)
                       for index, digit in enumerate(digits)), element)
        for element in base) for base in (rns.bases.a, rns.bases.b)))


class RadixConstants:
    """What Equation 9 takes for conversion from a base.

    Parameters
    ----------
    base : tuple of :class:`int`
        Base a, or both together.
    r : :class:`int`
        Bits of a digit.

    Attributes
    ----------
    count : :class:`int`
        Digits of a number.
    to_xi : list of :class:`int`
        For each element, the inverse of the product of the others.
    rows : list
        For each digit: the digits of that place in the product of the others of each element, and
        the one in the negated product of all, as a number modulo 2**(r count).
    """

    def __init__(self, base, r):
        product = math.prod(base)
        others = [product // element for element in base]
        self.count = len(base)
        self.to_xi = [pow(other, -1, element)
                      for other, element in zip(others, base, strict=True)]
        columns = [to_words(other, r, self.count) for other in others]
        negated = to_words(-product % (1 << r * self.count), r, self.count)
        self.rows = [(row, last)
                     for *row, last in zip(*columns, negated, strict=True)]


def carry(sums, r):
    """Return the digits of numbers that are too large for digits; what leaves the last is lost."""
    digits, carried = [], 0
    for each in sums:
        carried += each
        digits.append(carried & (1 << r) - 1)
        carried >>= r
    return digits


def to_radix(rns, residues, constants):
    """Return the digits of the integer with these residues, by Equation 9.

    Parameters
    ----------
    residues : sequence of :class:`int`
        Modulo each element of the base.
    constants : :class:`RadixConstants`
        Of the base.

    Returns
    -------
    list of :class:`int`
        If the integer is less than half of the product of the base.
    """
    bases = rns.bases
    elements = (bases.a + bases.b)[:constants.count]
    xi = rns.each(elements, residues, constants.to_xi)
    carries = cox(xi, r=bases.r, g=bases.g, alpha=True)
    return carry((sum(x * digit + bit * negated
                      for x, digit, bit in zip(xi, row, carries, strict=True))
                  for row, negated in constants.rows), bases.r)
