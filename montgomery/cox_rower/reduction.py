"""What units of the hardware compute, as integers: Figure 8, the Cox, carries, the correction."""

import dataclasses
import functools

__all__ = ["Reduction", "carry", "correct", "cox"]


@dataclasses.dataclass(frozen=True)
class Reduction:
    """The modular reduction unit, Figure 8: modulo elements 2**r - µ, by multiplications by µ.

    A number v is congruent to (v // 2**r) µ + v mod 2**r. This fold is done as often as it takes to
    make every number below ``bound`` smaller than 2**r; which still may be its element or more, by
    less than µ. The paper needs three folds, of which the last has no multiplication: v // 2**r is
    one bit.

    Parameters
    ----------
    r : :class:`int`
        Bits of the result.
    mu_width : :class:`int`
        Every µ is below ``2**mu_width``.
    bound : :class:`int`
        Numbers to be reduced are below it.
    """

    r: int
    mu_width: int
    bound: int

    def __post_init__(self):
        if 2 * self.mu_width > self.r:
            raise ValueError(f"Bits of µ must be {self.r // 2} or less, half of r, not "
                             f"{self.mu_width}; choose bases of fewer elements or a larger r")

    @classmethod
    def of_products(cls, r, mu_width, terms):
        """Return that of a sum of so many products, each with a product by a carry of the Cox."""
        top = (1 << r) - 1
        return cls(r, mu_width, terms * (top * top + top) + 1)

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


def carry(sums, r):
    """Return the digits of numbers that are too large for digits; what leaves the last is lost."""
    digits, carried = [], 0
    for each in sums:
        carried += each
        digits.append(carried & (1 << r) - 1)
        carried >>= r
    return digits


def correct(value, modulus, multiples):
    """Return ``value - c modulus`` below the modulus, for a value below ``multiples`` times it.

    Each multiple of a power of two is subtracted, and the difference taken if it is not negative.
    """
    for power in reversed(range((multiples - 1).bit_length())):
        difference = value - (modulus << power)
        value = value if difference < 0 else difference
    return value
