"""The modular reduction unit, Figure 8."""

import dataclasses
import functools

__all__ = ["Reduction"]


@dataclasses.dataclass(frozen=True)
class Reduction:
    """Reduction modulo elements 2**r - µ by multiplications by µ.

    A number v is congruent to (v // 2**r) µ + v mod 2**r. This is done as often as it takes to make
    every number below ``bound`` smaller than 2**r; which still may be its element or more, by less
    than µ. The paper needs three such folds, of which the last has no multiplication: v // 2**r is
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
        """Return that of so many products added up, each with a product by a carry of the Cox."""
        top = (1 << r) - 1
        return cls(r, mu_width, terms * (top * top + top) + 1)

    @property
    def width(self):
        """Bits z of a number to be reduced, which are those of the accumulator."""
        return (self.bound - 1).bit_length()

    @functools.cached_property
    def bounds(self):
        """Bounds of the number before each fold.

        While v // 2**r has several bits they get fewer, since µ < 2**(r / 2). In the end it is 0 or
        1, and if 1, µ is added to less than 2**r - µ.
        """
        bounds, bound, top = [], self.bound, 1 << self.r
        while bound > top:
            bounds.append(bound)
            upper = (bound - 1) >> self.r
            if upper == 1 and bound - top + (1 << self.mu_width) <= top + 1:
                break
            bound = upper * ((1 << self.mu_width) - 1) + top
        return bounds

    @functools.cached_property
    def folds(self):
        """How often a number is folded."""
        return len(self.bounds)

    def __call__(self, value, mu):
        """Return a number below 2**r that is congruent to ``value``."""
        for _ in range(self.folds):
            value = (value >> self.r) * mu + (value & (1 << self.r) - 1)
        return value
