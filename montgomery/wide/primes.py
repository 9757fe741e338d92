"""The primes that the reduction is built for: those that are -1 modulo a power of the digits."""

import dataclasses

from .ranges import BASE

__all__ = ["DIGITS", "PRIMES", "Prime"]

#: Digits of a number.
DIGITS = 16


@dataclasses.dataclass(frozen=True)
class Prime:
    """A prime whose multiples by a digit are sums and differences of that digit.

    Attributes
    ----------
    name : :class:`str`
    ones : tuple of pairs of :class:`int`
        The prime, plus one, as powers of 2**16: exponents from the lowest one, and signs. The
        lowest exponent is 6 or more, so that a column is a quotient digit as it is, and is known
        three steps of two digits before it counts.
    """

    name: str
    ones: tuple[tuple[int, int], ...]

    @property
    def value(self):
        """The prime."""
        return sum(sign << BASE * place for place, sign in self.ones) - 1

    @property
    def lowest(self):
        """The lowest exponent."""
        return self.ones[0][0]

    @property
    def carry(self):
        """What 2**256 is modulo the prime: pairs as those of :attr:`ones`, from exponent 0."""
        return ((0, 1), *((place, -sign) for place, sign in self.ones if place < DIGITS))


#: From name to :class:`Prime`.
PRIMES = {prime.name: prime for prime in (
    Prime("P-256", ((6, 1), (12, 1), (14, -1), (16, 1))),
)}
