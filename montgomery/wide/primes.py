"""The primes that the reduction is built for: those that are -1 modulo a power of the digits."""

import dataclasses

from .ranges import BASE

__all__ = ["DIGITS", "PRIMES", "WIDTHS", "Prime", "check_prime"]

#: Digits of a number of 256 bits.
DIGITS = 16


@dataclasses.dataclass(frozen=True)
class Prime:
    """A prime whose multiples by a digit are sums and differences of that digit.

    Attributes
    ----------
    name : :class:`str`
    ones : tuple of pairs of :class:`int`
        The prime, plus one, as powers of 2**16: exponents from the lowest one, and signs. A column
        is a quotient digit as it is. The lowest exponent is a multiple of 2, and the others are 6
        or more, so that most of what they add is known three steps of two digits before it counts.
    """

    name: str
    ones: tuple[tuple[int, int], ...]

    @property
    def value(self):
        """The prime."""
        return sum(sign << BASE * place for place, sign in self.ones) - 1

    @property
    def digits(self):
        """Digits of a number below the prime."""
        return self.ones[-1][0]

    @property
    def width(self):
        """Bits of the prime."""
        return BASE * self.digits

    @property
    def lowest(self):
        """The lowest exponent."""
        return self.ones[0][0]

    @property
    def carry(self):
        """What a 1 above the highest digit is modulo the prime: pairs as those of :attr:`ones`,
        from exponent 0.
        """
        return ((0, 1), *((place, -sign) for place, sign in self.ones[:-1]))


#: From name to :class:`Prime`.
PRIMES = {prime.name: prime for prime in (
    Prime("P-256", ((6, 1), (12, 1), (14, -1), (16, 1))),
    Prime("P-384", ((2, 1), (6, -1), (8, -1), (24, 1))),
)}

#: Bits of the primes.
WIDTHS = sorted(prime.width for prime in PRIMES.values())


def check_prime(prime, width, per_clock):
    """Raise :exc:`ValueError` for a prime that has another width, or needs its quotient digits
    earlier than so many digits of x in a clock give them.
    """
    name = prime.name
    if width != prime.width:
        fitting = [f"{other.name}, which has {width}" for other in PRIMES.values()
                   if other.width == width]
        raise ValueError(f"Width must be {prime.width} for {name}, not {width}; choose "
                         f"{(fitting or ['another width'])[0]}")
    if per_clock > prime.lowest:
        raise ValueError(f"Digits per clock must be {prime.lowest} for {name}, not {per_clock}; "
                         f"choose digits_per_clock={prime.lowest}")
