"""The primes that datapaths are built for, by how they are reduced: those of the catalogue."""

import dataclasses
import functools

from ...core import ceil_div
from ...numbers.catalogue import MONTGOMERY, WEIERSTRASS
from .ranges import BASE, centred_digits

__all__ = ["DIGITS", "FOLDED", "KOBLITZ", "PRIMES", "WIDTHS", "FixedPrime", "FoldedPrime",
           "KoblitzPrime", "Prime", "check_prime", "prime_of"]

#: Digits of a number of 256 bits.
DIGITS = 16


@dataclasses.dataclass(frozen=True)
class FixedPrime:
    """A prime of which all multiples that a reduction takes are sums of few shifted digits.

    Attributes
    ----------
    name : :class:`str`
        That of the first curve over the prime.
    value : :class:`int`
        The prime.
    """

    #: Most digits of x in a clock.
    most_per_clock = 4
    name: str
    value: int

    @property
    def width(self):
        """Bits of the prime."""
        return self.value.bit_length()

    @property
    def digits(self):
        """Digits of a number below the prime."""
        return ceil_div(self.width, BASE)

    @property
    def carry(self):
        """What a 1 above the highest digit is modulo the prime: exponents of 2**16 from 0 on, and
        how often there is that power.
        """
        return self._terms((1 << BASE * self.digits) % self.value)

    def _terms(self, number):
        """Return the centred digits of a number that are not 0, with their exponents."""
        digits = centred_digits(number, self.digits + 1)
        return tuple((place, digit) for place, digit in enumerate(digits) if digit)


@dataclasses.dataclass(frozen=True)
class Prime(FixedPrime):
    """A prime that is -1 modulo a power of the digits: a column is a quotient digit as it is."""

    @functools.cached_property
    def ones(self):
        """The prime, plus one, as powers of 2**16: exponents from the lowest one, and signs. The
        lowest exponent is a multiple of 2, and the others are 6 or more, so that most of what they
        add is known three steps of two digits before it counts.
        """
        return self._terms(self.value + 1)

    @property
    def lowest(self):
        """The lowest exponent."""
        return self.ones[0][0]

    @property
    def most_per_clock(self):
        return self.lowest  # a quotient digit is needed so many digits after its column

    @property
    def fits(self):
        """Whether a number is such a prime."""
        (lowest, _), *others = self.ones
        return (lowest > 0 and lowest % 2 == 0 and bool(others)
                and all(abs(sign) == 1 for _, sign in self.ones)
                and all(place >= 6 for place, _ in others) and self.width % BASE == 0)


@dataclasses.dataclass(frozen=True)
class KoblitzPrime(FixedPrime):
    """The prime ``2**256 - 2**32 - 977`` of secp256k1, a curve of the kind called after Koblitz."""


@dataclasses.dataclass(frozen=True)
class FoldedPrime(FixedPrime):
    """A prime that is a power of two less a small number, of which three bits are ones."""

    @property
    def less(self):
        """What the prime is less than the power of two."""
        return (1 << self.width) - self.value

    @property
    def shifts(self):
        """The three powers of two, as exponents, of which 2**256 is the sum modulo the prime."""
        (_, factor), = self.carry
        return tuple(bit for bit in range(factor.bit_length()) if factor >> bit & 1)


#: From the name of a curve whose a is -3 to its :class:`Prime`.
PRIMES = {name: prime for name, curve in WEIERSTRASS.items()
          if (prime := Prime(name, curve.p)).fits and curve.a == curve.p - 3}
KOBLITZ = KoblitzPrime("secp256k1", WEIERSTRASS["secp256k1"].p)
FOLDED = FoldedPrime("Curve25519", MONTGOMERY["Curve25519"].p)

_BY_VALUE = {prime.value: prime for prime in (*PRIMES.values(), KOBLITZ, FOLDED)}
#: Bits of :data:`PRIMES`.
WIDTHS = sorted(prime.width for prime in PRIMES.values())


def prime_of(curve):
    """Return the :class:`FixedPrime` of a :class:`~montgomery.numbers.curves.Curve`."""
    return _BY_VALUE[curve.p]


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
    if per_clock > (most := prime.most_per_clock):
        raise ValueError(f"Digits per clock must be {most} for {name}, not {per_clock}; choose "
                         f"digits_per_clock={most}")
