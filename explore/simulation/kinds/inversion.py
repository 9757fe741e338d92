"""Inversions modulo a number: numbers to try."""

import itertools
import math

from . import rare
from .base import Adapter as Base

__all__ = ["Adapter"]


class Adapter(Base):
    """The operations of an inverter."""

    def golden(self, x, modulus):
        return pow(x, -1, modulus) if math.gcd(x, modulus) == 1 else 0

    def longest(self):
        modulus = (1 << self.params.width) - 1
        return modulus - 1, modulus

    def edges(self):
        """Ends of the ranges of numbers, moduli and results, and numbers without an inverse."""
        high = self.longest()[1]
        return [*((x, modulus) for modulus in (3, 9, 15, high) for x in (0, 1, 2, modulus - 1)),
                *((x, 15) for x in (3, 5, 6, 9, 10, 12)),
                *((self.golden(result, high), high) for result in (high // 2, high - 2, high - 1))]

    def rare(self, every=1):
        """Numbers near powers of two and near the modulus, of which some are its own inverse."""
        width, word, high = self.params.width, self.params.word_width, self.longest()[1]
        moduli = [high, high // 3 | 1, (1 << width - 1) + 1]
        return [(x, modulus) for x, modulus in itertools.product(
            rare.around(high, width, word, every), moduli) if x < modulus]

    def sample(self, rng, *, shorter=False):
        modulus = self.modulus(rng, shorter=shorter)
        return rng.randrange(modulus), modulus

    def check_enumerable(self):
        """All of them are."""

    def every(self, size):
        for modulus in range(3, 1 << self.params.width, 2):
            yield [(x, modulus) for x in range(modulus)]
