"""RSA with CRT: operands to try."""

from __future__ import annotations

import contextlib
import math
import random
from typing import Any

from montgomery.arithmetic import coprime_below, is_prime
from montgomery.core import ceil_div, key_names, option_names, traits
from montgomery.kinds.rsa_crt import PUBLIC, longest, public_exponent

from .base import SHORT_EXPONENT_BITS, Vector
from .base import Adapter as Base
from .exponentiator import long_exponent_bits, word_lengths

__all__ = ["Adapter", "without_crt"]

#: Messages that are their own result.
_OWN_RESULTS = 24


def without_crt(message: int, exponent: int, modulus: int) -> Vector:
    """Return the inputs of ``message ** exponent mod modulus``, with a key without CRT."""
    return message, exponent, 0, modulus, 1


def _lengthened(exponent: int, order: int, bits: int) -> int:
    """Return the largest number of no more than some bits that is an exponent modulo ``order``."""
    return exponent + max((1 << bits) - 1 - exponent, 0) // order * order


def _prime(rng: random.Random, bits: int) -> int:
    while True:
        number = rng.getrandbits(bits) | (1 << (bits - 1)) | 1
        if is_prime(number):
            return number


class Adapter(Base):
    """The operations of a core for RSA with CRT."""

    def golden(self, message: int, exponent_p: int, exponent_q: int, p: int, q: int) -> int:
        of_p, of_q = pow(message, exponent_p, p), pow(message, exponent_q, q)
        return of_q + q * ((of_p - of_q) * pow(q, -1, p) % p)

    @property
    def longest_exponent(self) -> int:
        return self.params.factor_width

    def longest(self) -> Vector:
        return longest(self.params)

    def lengths(self, message: int, exponent_p: int, exponent_q: int, p: int, q: int
                ) -> tuple[int, ...]:
        # The public exponent is known to everybody.
        public = ((public_exponent(exponent_p, exponent_q, p, q),) if traits(self.params).checks
                  else ())
        return (p.bit_length(), q.bit_length(), (p * q).bit_length(),
                max(exponent_p, exponent_q).bit_length(), *public)

    def edges(self) -> list[Vector]:
        """Factors of the same length and of different ones, messages that one of them divides, and
        exponents as those of exponentiations.
        """
        *exponents, p, q = self.longest()[1:]
        if traits(self.params).checks:
            return [(0, 1, 3, 3, 5), (14, 1, 3, 3, 5), (2, 3, 1, 5, 3), (0, *exponents, p, q),
                    (1, *exponents, p, q), (q, *exponents, p, q), (p * (q - 1), *exponents, p, q),
                    (p * q - 2, *reversed(exponents), q, p)]
        avoided = traits(self.params).coprime_to
        small, short = (next(factor for factor in range(3, p, 2)
                             if math.gcd(factor, avoided * other) == 1) for other in (3, p))
        bits = long_exponent_bits(self.params, self.longest_exponent)
        high, ones = 1 << (bits - 1), (1 << bits) - 1
        singles = [without_crt(*each) for each in (
            (0, 0, 3), (2, 1, 3), (p - 1, ones, p), (2, high, p), (0, ones, small))]
        return [*singles * traits(self.params).single_factor,
                (0, 0, 0, 3, small), (3 * small - 1, 1, 2, small, 3), (1, 1, 2, small, 3),
                (p * short - 2, 3, 2, p, short), (q, 2, 1, p, q), (q * (p - 1), 1, 3, q, p),
                (p * q - 2, ones, 1, p, q), (2, high, high, p, q), (p * q - 1, 0, ones, p, q)]

    def solved(self) -> list[Vector]:
        """Results near the ends of their range and of those of p and q, and exponents of about one
        word and two, of which one is much shorter.
        """
        rng = random.Random(f"{self.params!r} solved")
        *_, p, q = self.longest()
        modulus = p * q
        results = {result % modulus for number in (modulus, modulus // 2, p, q, p * (q // 2))
                   for result in (number - 1, number, number + 1)}
        results |= {rng.randrange(modulus) for _ in range(_OWN_RESULTS)}
        vectors: list[Vector] = [(result, 1, 1, p, q) for result in sorted(results)]
        for length in word_lengths(self.params, self.longest_exponent):
            if traits(self.params).checks:  # any length of exponents for short factors only
                p, q, *shorts = self.key(rng, shorter=True, most=max(length - 1, 3))
                longs = [_lengthened(exponent, factor - 1, length)
                         for exponent, factor in zip(shorts, (p, q), strict=True)]
            else:
                p, q = self.factors(rng)
                longs, shorts = ([rng.getrandbits(bits) | 1 << (bits - 1)] * 2
                                 for bits in (length, 2))
            vectors += [(rng.randrange(p * q), *exponents, p, q)
                        for exponents in ((longs[0], shorts[1]), (shorts[0], longs[1]), longs)]
            if traits(self.params).single_factor:
                vectors.append(without_crt(rng.randrange(p), longs[0], p))
        if traits(self.params).single_factor:
            p = self.longest()[3]
            vectors += [without_crt(result, 1, p)
                        for result in (0, 1, p // 2, p // 2 + 1, p - 2, p - 1)]
        return vectors

    def telling(self) -> list[Vector]:
        """Exponents of two digits or more, of which the last one is 0 or 1: windows of up to five
        bits read the powers 0 and 1.
        """
        if traits(self.params).checks:
            return []
        rng = random.Random(f"{self.params!r} telling")
        high = 1 << (min(SHORT_EXPONENT_BITS, self.longest_exponent) - 1)
        factors = [self.factors(rng) for _ in range(4)]
        return [(rng.randrange(p * q), high | index % 2, high | ~index % 2, p, q)
                for index, (p, q) in enumerate(factors)]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        if traits(self.params).checks:
            p, q, *exponents = self.key(rng, shorter=shorter)
            return rng.randrange(p * q), *exponents, p, q
        p, q = self.factors(rng, shorter=shorter)
        bits = rng.randint(1, min(SHORT_EXPONENT_BITS, self.longest_exponent))
        if traits(self.params).single_factor and rng.getrandbits(1):
            return without_crt(rng.randrange(p), rng.getrandbits(bits), p)
        return rng.randrange(p * q), rng.getrandbits(bits), rng.getrandbits(bits), p, q

    def _widths(self) -> tuple[int, int]:
        return self.params.factor_width, self.params.width - self.params.factor_width

    def factors(self, rng: random.Random, *, shorter: bool = False) -> tuple[int, int]:
        """Return odd p and q that the core works with, coprime, but hardly ever primes.

        A modulus of full length is their product, unless they may be ``shorter``, of any lengths.
        """
        avoided = traits(self.params).coprime_to
        while True:
            lengths = [rng.randint(2, bits) if shorter else bits for bits in self._widths()]
            p, q = (rng.getrandbits(bits) | (1 << (bits - 1)) | 1 for bits in lengths)
            with contextlib.suppress(ValueError):  # too short for one more
                p = coprime_below(p, avoided)
                return p, coprime_below(q, avoided * p)

    def key(self, rng: random.Random, *, shorter: bool = False, most: int = 0) -> Vector:
        """Return p, q, and the exponents for both, of a key with a public exponent that is used.

        The lengths are as of :meth:`factors`; neither factor has more than ``most`` bits, 3 or
        more, unless that is 0.
        """
        while True:
            lengths = [rng.randint(2, bits) if shorter else bits
                       for bits in (min(bits, most or bits) for bits in self._widths())]
            p, q = (_prime(rng, bits) for bits in lengths)
            if p == q or math.gcd(p * q, traits(self.params).coprime_to) > 1:
                continue
            both = math.lcm(p - 1, q - 1)
            if usable := [e for e in PUBLIC if e < max(both, 2) and math.gcd(e, both) == 1]:
                e = rng.choice(usable)
                return p, q, pow(e, -1, p - 1), pow(e, -1, q - 1)

    def refused(self, rng: random.Random) -> list[tuple[Vector, list[int]]]:
        """An exponent is 0 in the wrong key, for p, for q and for both: there the result is 1.

        The messages are such that the number that must be 0 is 1, -1 or 1 at its highest digit.
        """
        params = self.params
        if not traits(params).checks:
            return []
        p, q, *exponents = self.key(rng)
        scale = params._difference_scale(p * q)
        names = dict.fromkeys(option_names(params)) | dict(
            zip(key_names(params), (*exponents, p, q), strict=True))
        highest = 1 << (min(p, q).bit_length() - 1) // params.word_width * params.word_width
        operations = []
        for wrong in (("exponent_p",), ("exponent_q",), ("exponent_p", "exponent_q")):
            words = params.key_operands.encode(names, **dict.fromkeys(wrong, 0))
            for found in (1, -1, highest):
                # A message that is its own power is signed rightly also with a wrong exponent.
                message = (1 - found * pow(scale, -1, p * q)) % (p * q)
                if all(message % {"exponent_p": p, "exponent_q": q}[name] != 1 for name in wrong):
                    operations.append(((message, *exponents, p, q), words))
        return operations

    def whole(self, rng: random.Random) -> tuple[list[Vector], int]:
        bits = self.longest_exponent
        if traits(self.params).checks:
            p, q, *exponents = self.key(rng)
        else:
            p, q = self.factors(rng)
            exponents = [rng.getrandbits(bits) | (1 << (bits - 1)) for _ in range(2)]
        return [(rng.randrange(p * q), *exponents, p, q)], bits

    def moduli(self) -> str:
        params = self.params
        single = ", or 1 as q" if traits(params).single_factor else ""
        rule = f"odd and coprime, from 3 to 2^{ceil_div(params.width, 2)} - 1{single}"
        return rule if traits(params).coprime_to == 1 else (
            f"{rule}, with no factor in common with an element of base B, which are listed below; "
            f"a prime of more than {params.word_width} bits has none")

    def words(self) -> dict[str, Any]:
        own = traits(self.params)
        return {**super().words(), "has_single_factor": own.single_factor, "has_checks": own.checks}
