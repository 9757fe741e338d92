"""The primes that datapaths are built for, by how they are reduced: those of the catalogue."""

import dataclasses
import functools
import itertools

from ...core import ceil_div
from ...numbers.catalogue import MONTGOMERY, WEIERSTRASS
from .ranges import BASE, centred_digits

__all__ = ["DIGITS", "FOLDED", "KOBLITZ", "LADDERS", "PRIMES", "WIDTHS", "FixedPrime",
           "FoldedPrime", "KoblitzPrime", "Prime", "check_prime", "prime_of"]

#: Digits of a number of 256 bits.
DIGITS = 16


@dataclasses.dataclass(frozen=True)
class FixedPrime:
    """A prime of which all multiples that a reduction takes are sums of few shifted digits."""

    #: Most digits of x in a clock.
    most_per_clock = 4
    name: str  # that of the first curve over the prime
    value: int  # the prime

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
        """Pairs of a place k and a number c: ``2**(16 * digits)`` is the sum of ``c * 2**(16 * k)``
        modulo the prime.
        """
        return self._terms((1 << BASE * self.digits) % self.value)

    def _terms(self, number):
        """Return the centred digits of a number that are not 0, each after its place."""
        digits = centred_digits(number, self.digits + 1)
        return tuple((place, digit) for place, digit in enumerate(digits) if digit)


@dataclasses.dataclass(frozen=True)
class Prime(FixedPrime):
    """A prime that is -1 modulo a power of the digits: a column is a quotient digit as it is."""

    @functools.cached_property
    def ones(self):
        """Pairs of a place k and a sign: the prime plus 1 is the sum of ``± 2**(16 * k)``."""
        return self._terms(self.value + 1)

    @property
    def lowest(self):
        """The lowest place."""
        return self.ones[0][0]

    @property
    def most_per_clock(self):
        return 4 if self._suits(4) else 2

    @property
    def fits(self):
        """Whether :class:`~.from_below.FromBelow` multiplies modulo the number."""
        return (len(self.ones) > 1 and all(abs(sign) == 1 for _, sign in self.ones)
                and self.lowest % 2 == self.width % BASE == 0 and self._suits(2))

    def _suits(self, per_clock):
        """Whether quotient digits are added in time, with so many digits of x in a clock.

        What they add counts three steps later, of so many places each, or at the lowest place one
        and a half or one. Where two meet the lower one is added and the upper one subtracted, above
        the first three steps, and with nothing a step below; at the highest places the other way
        round, which nothing is above.
        """
        step, (lowest, sign), (below, _) = per_clock, self.ones[0], self.ones[-2]
        soon = sign > 0 and step <= lowest and 2 * lowest <= 3 * step
        return ((soon or lowest >= 3 * step) and self.digits % step == 0
                and all(place >= 3 * step for place, _ in self.ones[1:])
                and below < self.digits - 1 and all(
            one < other if b == self.digits else (
                one > other and (b >= 4 * step or 2 * lowest == 3 * step)
                and not any(b - 2 * step < place < a for place, _ in self.ones))
            for (a, one), (b, other) in itertools.combinations(self.ones, 2) if b - a < step))


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
        """Three exponents: 2**256 is the sum of these powers of two modulo the prime."""
        (_, factor), = self.carry
        return tuple(bit for bit in range(factor.bit_length()) if factor >> bit & 1)


#: From the name of a curve whose a is -3 to its :class:`Prime`.
PRIMES = {name: prime for name, curve in WEIERSTRASS.items()
          if (prime := Prime(name, curve.p)).fits and curve.a == curve.p - 3}
KOBLITZ = KoblitzPrime("secp256k1", WEIERSTRASS["secp256k1"].p)
FOLDED = FoldedPrime("Curve25519", MONTGOMERY["Curve25519"].p)
#: The same of curves in Montgomery's form.
LADDERS = {prime.name: prime for prime in (
    FOLDED, *(Prime(name, curve.p) for name, curve in MONTGOMERY.items())) if prime is FOLDED
    or prime.fits}

_BY_VALUE = {prime.value: prime for prime in (*PRIMES.values(), KOBLITZ, *LADDERS.values())}
#: Bits of :data:`PRIMES`.
WIDTHS = sorted(prime.width for prime in PRIMES.values())


def prime_of(curve):
    """Return the :class:`FixedPrime` of a :class:`~montgomery.numbers.curves.Curve`."""
    return _BY_VALUE[curve.p]


def check_prime(prime, width, per_clock, primes=PRIMES):
    """Raise :exc:`ValueError` for a prime that has another width, or needs its quotient digits
    earlier than so many digits of x in a clock give them. ``primes`` has others, by their names.
    """
    name = prime.name
    if width != prime.width:
        fitting = [f"{other.name}, which has {width}" for other in primes.values()
                   if other.width == width]
        raise ValueError(f"Width must be {prime.width} for {name}, not {width}; choose "
                         f"{(fitting or ['another width'])[0]}")
    if per_clock > (most := prime.most_per_clock):
        raise ValueError(f"Digits per clock must be {most} for {name}, not {per_clock}; choose "
                         f"digits_per_clock={most}")
