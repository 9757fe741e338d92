"""RNS Montgomery multiplication, Figures 1 and 2."""

import dataclasses
import functools
import math
from operator import mul

from .bases import BaseSet
from .reduction import Reduction

__all__ = ["Residues", "Rns", "cox"]


@dataclasses.dataclass(frozen=True)
class Residues:
    """A number by its residues modulo both bases, each of them below 2**r.

    Attributes
    ----------
    a, b : tuple of :class:`int`
    """

    a: tuple
    b: tuple


def cox(residues, *, r, g, alpha):
    """Return the multiple of the base's product that a sum over ξ has too many, by Equation 7.

    Parameters
    ----------
    residues : iterable of :class:`int`
        All ξ, in any order, since what has been carried out of the sum does not depend on it.
    alpha : bool
        The offset is 0.5, not 0.

    Returns
    -------
    list of :class:`int`
        The carry k of each addition, 0 or 1. Their sum is the multiple.
    """
    total, carries = alpha << (g - 1), []
    for residue in residues:
        total += residue >> (r - g)
        carries.append(total >> g)
        total &= (1 << g) - 1  # sigma < 1
    return carries


@dataclasses.dataclass(frozen=True)
class Rns:
    """The arithmetic of a :class:`~montgomery.cox_rower.bases.BaseSet`.

    Parameters
    ----------
    bases : :class:`~montgomery.cox_rower.bases.BaseSet`
    reduction : :class:`~montgomery.cox_rower.reduction.Reduction` or ``None``
        Of the Rowers, if these are made for other bases too.
    """

    bases: BaseSet
    reduction: Reduction | None = None

    def __post_init__(self):
        if self.reduction is None:
            own = Reduction.of_products(self.bases.r, self.bases.mu_width, 2 * self.bases.n)
            object.__setattr__(self, "reduction", own)

    def reduce(self, value, element):
        """Return ``value`` modulo an element, below 2**r."""
        return self.reduction(value, self.bases.mu(element))

    def residues(self, value):
        """Return the :class:`Residues` of an integer, each reduced fully."""
        return Residues(tuple(value % element for element in self.bases.a),
                        tuple(value % element for element in self.bases.b))

    def value(self, residues):
        """Return the integer below AB of :class:`Residues`, by the Chinese remainder theorem."""
        product = self.bases.a_product * self.bases.b_product
        return sum(residue * weight for residue, weight in
                   zip(residues.a + residues.b, self._weights, strict=True)) % product

    @functools.cached_property
    def _weights(self):
        elements = self.bases.a + self.bases.b
        others = [math.prod(elements) // element for element in elements]
        return [pow(other, -1, element) * other
                for other, element in zip(others, elements, strict=True)]

    def transform(self, xi, *, source, alpha):
        """Return the residues in the other base: steps 2 to 9 of Figure 2.

        Parameters
        ----------
        xi : list of :class:`int`
            The ξ_i of step 1.
        source : :class:`str`
            The base that they belong to, ``a`` or ``b``.
        alpha : bool
            The offset is 0.5, not 0.
        """
        rows = self.a_to_b if source == "a" else self.b_to_a
        multiple = sum(cox(xi, r=self.bases.r, g=self.bases.g, alpha=alpha))
        return tuple(self.reduce(sum(map(mul, xi, row)) + multiple * negated, element)
                     for element, row, negated in rows)

    def product(self, x, y, key):
        """Return the Montgomery product modulo ``key.modulus``: Figure 1.

        Two numbers that are multiplied one after the other by what is known before are multiplied
        by the product of that: the residues are those of the figure, but step 2 and step 1 of the
        base transformation are one, as are steps 4 to 6 and the next step 1.

        Parameters
        ----------
        x, y : :class:`Residues`
            Of numbers below 2N.
        key : :class:`~montgomery.cox_rower.key.Key`

        Returns
        -------
        :class:`Residues`
            Of w < 2N, congruent to x y / B.
        """
        a, b = self.bases.a, self.bases.b
        # 1
        s_a = self.each(a, x.a, y.a)
        s_b = self.each(b, x.b, y.b)
        # 2, 3: t = -s/N mod B, or B more than that
        xi = self.each(b, s_b, key.to_xi)
        t_a = self.transform(xi, source="b", alpha=False)
        # 4 to 7: w = (s + tN) / B
        xi = self.each(a, s_a, self.s_to_xi, t_a, key.t_to_xi)
        w_a = self.each(a, xi, self.from_xi)
        w_b = self.transform(xi, source="a", alpha=True)
        return Residues(w_a, w_b)

    @functools.cached_property
    def a_to_b(self):
        """For each element of b: the element, the residues of all A_i, and that of -A."""
        return _transformation(self.bases.a, self.bases.b)

    @functools.cached_property
    def b_to_a(self):
        """Likewise, from b to a."""
        return _transformation(self.bases.b, self.bases.a)

    def each(self, base, *factors):
        """Return for each element ``u v``, or ``u v + x y``, with factors ``u, v, x, y``."""
        pairs = list(zip(factors[::2], factors[1::2], strict=True))
        return tuple(self.reduce(sum(u[index] * v[index] for u, v in pairs), element)
                     for index, element in enumerate(base))

    @functools.cached_property
    def s_to_xi(self):
        """For each element of a, (B A_j)**-1."""
        return tuple(pow(self.bases.b_product * (self.bases.a_product // element), -1, element)
                     for element in self.bases.a)

    @functools.cached_property
    def negated_inverse_of_b_j(self):
        """For each element of b, -B_j**-1."""
        return tuple(-pow(self.bases.b_product // element, -1, element) % element
                     for element in self.bases.b)

    @functools.cached_property
    def from_xi(self):
        """For each element of a, A_j."""
        return tuple(self.bases.a_product // element % element for element in self.bases.a)


def _transformation(source, target):
    product = math.prod(source)
    return [(element, tuple(product // other % element for other in source), -product % element)
            for element in target]
