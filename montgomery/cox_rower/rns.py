"""The arithmetic of a residue number system: Figures 1 and 2, Equations 7 to 9, as integers.

These are the numbers that the registers of the hardware hold, in their order: residues are below
2**r, not below their element, as in Section 4.1.
"""

import dataclasses
import functools
import math
from operator import mul
from typing import NamedTuple

from ..core import to_words
from .bases import BaseSet, Reduction, carmichael, find_bases, smallest_size

__all__ = ["Residues", "Rns", "carry", "cox", "rns_of_lengths"]


class Residues(NamedTuple):
    """A number by its residues modulo both bases, each of them below 2**r.

    A key takes the place of a number, too: in base a N (B A_j)**-1, and in base b -(N B_j)**-1.
    """

    a: tuple
    b: tuple


def cox(residues, *, r, g, alpha):
    """Return the carry k of each addition of Equation 7, 0 or 1, with an offset of 0 or ``alpha``.

    Their sum is the multiple of the base's product that a sum over ξ has too many. It does not
    depend on the order of the ξ.
    """
    total, carries = alpha << (g - 1), []
    for residue in residues:
        total += residue >> (r - g)
        carries.append(total >> g)
        total &= (1 << g) - 1  # sigma < 1
    return carries


def carry(sums, r):
    """Return the digits of numbers that are too large for digits; what leaves the last is lost."""
    digits, carried = [], 0
    for each in sums:
        carried += each
        digits.append(carried & (1 << r) - 1)
        carried >>= r
    return digits


def _others(elements):
    """Return, for each element, the product of the others."""
    product = math.prod(elements)
    return [product // element for element in elements]


def _transformation(source, target):
    return [(element, tuple(other % element for other in _others(source)),
             -math.prod(source) % element) for element in target]


@dataclasses.dataclass(frozen=True)
class Rns:
    """The arithmetic of a :class:`~montgomery.cox_rower.bases.BaseSet`.

    The :class:`~montgomery.cox_rower.bases.Reduction` is that of the Rowers, which may be made for
    other bases too.
    """

    bases: BaseSet
    reduction: Reduction

    def reduce(self, value, element):
        """Return ``value`` modulo an element, below 2**r."""
        return self.reduction(value, self.bases.mu(element))

    def residues(self, value):
        """Return the :class:`Residues` of an integer, each reduced fully."""
        return Residues(*(tuple(value % element for element in base)
                          for base in (self.bases.a, self.bases.b)))

    def value(self, residues):
        """Return the integer below AB of :class:`Residues`, by the Chinese remainder theorem."""
        elements = self.bases.a + self.bases.b
        return sum(map(math.prod, zip(residues.a + residues.b, self.to_xi(True), _others(elements),
                                      strict=True))) % math.prod(elements)

    def each(self, base, *factors):
        """Return for each element ``u v``, or ``u v + x y``, with factors ``u, v, x, y``."""
        return tuple(self.reduce(sum(map(mul, values[::2], values[1::2])), element)
                     for element, *values in zip(base, *factors, strict=True))

    # -- Figures 1 and 2.

    def transform(self, xi, rows, *, alpha):
        """Return the residues in the other base: steps 2 to 9 of Figure 2, for the ξ_i of step 1.

        The ``rows`` are :attr:`a_to_b` or :attr:`b_to_a`, and ``alpha`` is that of :func:`cox`.
        """
        multiple = sum(cox(xi, r=self.bases.r, g=self.bases.g, alpha=alpha))
        return tuple(self.reduce(sum(map(mul, xi, row)) + multiple * negated, element)
                     for element, row, negated in rows)

    def product(self, x, y, key):
        """Return the Montgomery product modulo N, w < 2N congruent to x y / B: Figure 1.

        Two numbers that are multiplied one after the other by what is known before are multiplied
        by the product of that: the residues are those of the figure, but step 2 and step 1 of the
        base transformation are one, as are steps 4 to 6 and the next step 1. All arguments are
        :class:`Residues`, and x and y those of numbers below 2N.
        """
        a, b = self.bases.a, self.bases.b
        # 1
        s_a = self.each(a, x.a, y.a)
        s_b = self.each(b, x.b, y.b)
        # 2, 3: t = -s/N mod B, or B more than that
        xi = self.each(b, s_b, key.b)
        t_a = self.transform(xi, self.b_to_a, alpha=False)
        # 4 to 7: w = (s + tN) / B
        xi = self.each(a, s_a, self.s_to_xi, t_a, key.a)
        w_a = self.each(a, xi, self.from_xi)
        w_b = self.transform(xi, self.a_to_b, alpha=True)
        return Residues(w_a, w_b)

    @functools.cached_property
    def a_to_b(self):
        """For each element of b: the element, the residues of all A_i, and that of -A."""
        return _transformation(self.bases.a, self.bases.b)

    @functools.cached_property
    def b_to_a(self):
        """For each element of a: the element, the residues of all B_i, and that of -B."""
        return _transformation(self.bases.b, self.bases.a)

    @functools.cached_property
    def s_to_xi(self):
        """For each element of a, (B A_j)**-1."""
        return tuple(pow(self.bases.b_product * other, -1, element)
                     for element, other in zip(self.bases.a, _others(self.bases.a), strict=True))

    @functools.cached_property
    def from_xi(self):
        """For each element of a, A_j."""
        return tuple(map(int.__mod__, _others(self.bases.a), self.bases.a))

    # -- Section 3: what depends on the modulus alone.

    @functools.cached_property
    def negated_inverse_of_b_j(self):
        """For each element of b, -B_j**-1."""
        return tuple(-pow(other, -1, element) % element
                     for element, other in zip(self.bases.b, _others(self.bases.b), strict=True))

    @functools.cached_property
    def exponents(self):
        """For each element of b, λ - 1: powers to this are inverses; λ is Carmichael's function."""
        return tuple(carmichael(element) - 1 for element in self.bases.b)

    def key(self, modulus):
        """Return the key of a modulus, with residues below their elements."""
        a, b, n = self.bases.a, self.bases.b, self.residues(modulus)
        return Residues(
            tuple(x * y % e for x, y, e in zip(n.a, self.s_to_xi, a, strict=True)),
            tuple(pow(x, -1, e) * y % e
                  for x, y, e in zip(n.b, self.negated_inverse_of_b_j, b, strict=True)))

    # -- Equations 8 and 9: from digits of r bits, and to them.

    def from_digits(self, digits):
        """Return the :class:`Residues` of a number, by Equation 8."""
        r = self.bases.r
        return Residues(*(tuple(
            self.reduce(sum(digit * ((1 << r * index) % element)
                            for index, digit in enumerate(digits)), element)
            for element in base) for base in (self.bases.a, self.bases.b)))

    def to_xi(self, both):
        """Return the inverse of the product of the others: for each element of a, or of a and b."""
        elements = self.bases.a + self.bases.b * both
        return tuple(pow(other, -1, element)
                     for element, other in zip(elements, _others(elements), strict=True))

    def digit_rows(self, both):
        """Return what Equation 9 takes for each digit of a number.

        These are the digits of that place in the product of the other elements, for each element,
        and the one in the negated product of all, as a number modulo 2**(r n).
        """
        elements, r = self.bases.a + self.bases.b * both, self.bases.r
        count = len(elements)
        columns = [to_words(other, r, count) for other in _others(elements)]
        negated = to_words(-math.prod(elements) % (1 << r * count), r, count)
        return [(row, last) for *row, last in zip(*columns, negated, strict=True)]

    def to_digits(self, x, y=None):
        """Return the digits of the integer x, or of x + y from both bases, by Equation 9.

        It must be less than half of the product of the elements.
        """
        both = y is not None
        to_xi, a, b = self.to_xi(both), self.bases.a, self.bases.b
        xi = (self.each(a, x.a, to_xi) if not both else
              self.each(a + b, x.a + x.b, to_xi, y.a + y.b, to_xi))
        carries = cox(xi, r=self.bases.r, g=self.bases.g, alpha=True)
        return carry((sum(map(mul, (*xi, *carries), (*row, *[negated] * len(xi))))
                      for row, negated in self.digit_rows(both)), self.bases.r)


def rns_of_lengths(r, u, lengths):
    """Return the :class:`Rns` of each base size for moduli of some lengths, in rising order.

    They are for the same u Rowers, with residues of r bits. The Cox adds as many bits as the
    largest bases need, and µ has the bits of the largest one. No more products are accumulated than
    in the conversion from both of the largest bases.

    With r = 32 and u = 11, lengths of 512, 1024 and 2048 bits give the sizes 22, 33 and 66 of the
    paper, which serve moduli of all but the last three bits of a size's residues.
    """
    bases = [find_bases(r, n) for n in sorted({smallest_size(bits, r, u) for bits in lengths})]
    g, mu_width = (max(getattr(each, name) for each in bases) for name in ("g", "mu_width"))
    reduction = Reduction(r, mu_width, 2 * bases[-1].n)
    return tuple(Rns(dataclasses.replace(each, g=g), reduction) for each in bases)
