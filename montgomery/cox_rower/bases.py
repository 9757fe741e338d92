"""The two bases of a residue number system, and reduction modulo their elements (Figure 8)."""

import dataclasses
import functools
import itertools
import math
from fractions import Fraction

from ..core import ceil_div

__all__ = ["BaseSet", "Reduction", "carmichael", "factors", "find_bases", "smallest_size"]

#: The offset of the Cox at step 7 of Figure 1; at step 3 it is 0.
ALPHA = Fraction(1, 2)


@dataclasses.dataclass(frozen=True)
class Reduction:
    """The modular reduction unit, Figure 8: modulo elements 2**r - µ, by multiplications by µ.

    A number v is congruent to (v // 2**r) µ + v mod 2**r. This fold is done as often as it takes to
    make every number smaller than 2**r; which still may be its element or more, by less than µ. The
    paper needs three folds, of which the last has no multiplication: v // 2**r is one bit.
    """

    r: int
    #: Bits of the largest µ, no more than half of those of the result.
    mu_width: int
    #: A number is a sum of so many products, each with a product by a carry of the Cox.
    terms: int

    @property
    def bound(self):
        """Numbers to be reduced are below it."""
        top = (1 << self.r) - 1
        return self.terms * (top * top + top) + 1

    @property
    def width(self):
        """Bits z of a number to be reduced, which are those of the accumulator."""
        return (self.bound - 1).bit_length()

    @functools.cached_property
    def bounds(self):
        """Bounds of the number before each fold.

        v // 2**r gets fewer bits with each fold, since µ < 2**(r / 2). In the end it is 0 or 1, and
        if 1, µ is added to less than 2**r - µ.
        """
        bounds, bound, top = [], self.bound, 1 << self.r
        while bound > top:
            bounds.append(bound)
            upper = (bound - 1) >> self.r
            if upper == 1 and bound - top + (1 << self.mu_width) <= top + 1:
                break
            bound = upper * ((1 << self.mu_width) - 1) + top
        return bounds

    def __call__(self, value, mu):
        """Return a number below 2**r that is congruent to ``value``."""
        for _ in self.bounds:
            value = (value >> self.r) * mu + (value & (1 << self.r) - 1)
        return value


@functools.cache
def factors(number):
    """Return the tuple of a number's prime factors, rising, each as often as it divides."""
    found = []
    for candidate in itertools.chain((2,), itertools.count(3, 2)):
        if candidate * candidate > number:
            break
        while number % candidate == 0:
            found.append(candidate)
            number //= candidate
    return (*found, *[number] * (number > 1))


def carmichael(number):
    """Return the smallest exponent with ``x**exponent % number == 1`` for each unit ``x``."""
    orders = [1]
    for prime, power in itertools.groupby(factors(number)):
        times = len(list(power))
        order = prime ** (times - 1) * (prime - 1)
        orders.append(order // 2 if prime == 2 and times > 2 else order)
    return math.lcm(*orders)


@dataclasses.dataclass(frozen=True, kw_only=True)
class BaseSet:
    """Bases a and b with the precision of the Cox, as :func:`find_bases` finds them.

    Elements are of the form 2**r - µ with 0 <= µ < 2**(r // 2).
    """

    r: int
    #: Bits of a residue, from the highest on, that the Cox adds.
    g: int
    a: tuple
    b: tuple

    @property
    def n(self):
        """Size of each base."""
        return len(self.a)

    @functools.cached_property
    def a_product(self):
        """A, the product of base a."""
        return math.prod(self.a)

    @functools.cached_property
    def b_product(self):
        """B, the product of base b, which is the Montgomery constant."""
        return math.prod(self.b)

    def mu(self, element):
        """Return µ of the element 2**r - µ."""
        return (1 << self.r) - element

    @property
    def mu_width(self):
        """Bits h of the largest µ."""
        return max(self.mu(element) for element in self.a + self.b).bit_length()

    @property
    def capacity(self):
        """The largest modulus: A, B > 8 N."""
        return (min(self.a_product, self.b_product) - 1) // 8

    @property
    def bits(self):
        """All moduli of so many bits are small enough."""
        return (self.capacity + 1).bit_length() - 1

    @staticmethod
    def error(base, r, g):
        """Return the largest error of the Cox's sum over a base, exactly.

        In place of ξ/a it adds trunc(ξ)/2**r, which is less: by ξ µ / (a 2**r), since a = 2**r - µ,
        and by the lower r - g bits of ξ. Here ξ < 2**r, where the paper's other analyses have
        ξ < a: a residue is not always reduced fully.
        """
        top = 1 << r
        return sum(Fraction((top - 1) * (top - element), element * top) for element in base) + \
            len(base) * Fraction((1 << r - g) - 1, top)


@functools.cache
def find_bases(r, n):
    """Find bases of ``n`` elements of ``r`` bits each, with the smallest µ.

    Elements are taken from 2**r downwards if they are coprime to those before. A modulus must be
    coprime to B but need not be to A, so those whose smallest prime factors are the largest become
    base b: few numbers share a factor with them. (2**r itself shares none with an odd number.)

    The :class:`BaseSet` has the smallest g with an error of at most the offset 1/2. Then the Cox is
    right for all x < A/2, as at step 7 of Figure 1, where w < 2N < A/2, and in Equation 9, which
    with CRT is used over both bases together. With the offset 0 of step 3 it may be one too low,
    which adds B to t: v = s + tN < 4N**2 + (1 + error) BN, and w = v/B < 2N as long as
    4N/B + error < 1, which holds with B > 8N.
    """
    top, found, product = 1 << r, [], 1
    for mu in range(1 << r // 2):
        if len(found) == 2 * n:
            break
        if math.gcd(top - mu, product) == 1:
            found.append(top - mu)
            product *= top - mu
    if len(found) < 2 * n:
        raise ValueError(f"Bases of words of {r} bits must have {len(found) // 2} elements or "
                         f"fewer, not {n}, since there are no more coprime numbers from 2**{r} - "
                         f"2**{r // 2} to 2**{r}; choose a larger word width")
    found.sort(key=lambda element: math.inf if element == top else factors(element)[0])
    a, b = (tuple(sorted(half, reverse=True)) for half in (found[:n], found[n:]))
    return BaseSet(r=r, g=next(g for g in range(1, r) if BaseSet.error(a + b, r, g) <= ALPHA),
                   a=a, b=b)


@functools.cache
def smallest_size(bits, r, u):
    """Return the base size n for all moduli of ``bits`` bits: a multiple of ``u``."""
    # n elements below 2**r are not enough for less than this.
    n = u * ceil_div(bits + 3, r * u)
    while find_bases(r, n).bits < bits:
        n += u
    return n
