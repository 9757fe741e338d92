"""Exponentiations: operands to try."""

from __future__ import annotations

import math
import random

from montgomery.kinds.exponentiator import longest

from .base import SHORT_EXPONENT_BITS, Vector
from .base import Adapter as Base

__all__ = ["Adapter", "long_exponent_bits", "word_lengths"]

#: Most bits of a base that are tried one by one, and most bits of an exponent of some words.
_MOST_BITS, _MOST_EXPONENT_BITS = 12, 72


def long_exponent_bits(params, most: int) -> int:
    """Return the length of an exponent that takes more than a word, but no long time."""
    return min(most, params.operands.width + 1, 4 * SHORT_EXPONENT_BITS)


def word_lengths(params, most: int) -> list[int]:
    """Return the lengths of exponents of about one word and two that take no long time."""
    word = params.word_width
    return [length for length in (word - 1, word, word + 1, 2 * word, 2 * word + 1)
            if 1 < length <= min(most, _MOST_EXPONENT_BITS)]


class Adapter(Base):
    """The operations of an exponentiator."""

    def golden(self, base: int, exponent: int, modulus: int) -> int:
        return pow(base, exponent, modulus)

    @property
    def longest_exponent(self) -> int:
        return self.params.width

    def longest(self) -> Vector:
        return longest(self.params)

    def lengths(self, base: int, exponent: int, modulus: int) -> tuple[int, ...]:
        return modulus.bit_length(), exponent.bit_length()

    def edges(self) -> list[Vector]:
        """Short exponents, one that is longer than a word and has few ones or many, with the
        smallest and the largest bases, two bases of one key, and a power of a modulus with a
        square factor that is 0.
        """
        width = self.params.width
        top = self.usable((1 << width) - 1)
        vectors: list[Vector] = [(0, 0, 3), (2, 1, 3), (3, 2, 9)]
        for modulus in (top, self.usable((1 << (width - 1)) + 1)):
            vectors += [(0, 2, modulus), (modulus - 1, 2, modulus), (1, 1, modulus),
                        (modulus - 1, 3, modulus)]
        bits = long_exponent_bits(self.params, self.longest_exponent)
        return [*vectors, (2, 1 << (bits - 1), top), (top - 2, (1 << bits) - 1, top),
                (top - 1, 0, top)]

    def solved(self) -> list[Vector]:
        """Last products that differ from the modulus in one bit, powers that are 0 in all words,
        and exponents of about one word and two.
        """
        rng = random.Random(f"{self.params!r} solved")
        width, word = self.params.width, self.params.word_width
        top = self.usable((1 << width) - 1)
        ends = {bit for low in range(0, width, word) for bit in (low, low + word - 1)}
        bits = [bit for bit in range(width) if top >> bit & 1]
        bits = ([bit for bit in bits if bit in ends] + bits)[:_MOST_BITS // 2] + rng.sample(
            bits, min(len(bits), _MOST_BITS // 2))
        vectors: list[Vector] = [(top ^ 1 << bit, 1, top)
                                 for bit in dict.fromkeys([*bits, top.bit_length() - 1])]
        root = math.isqrt(top) - 1 | 1
        if root > 1 and self.usable(root * root) == root * root:
            vectors += [(root * rng.randrange(1, root), exponent, root * root)
                        for exponent in (2, 3)]
        for length in word_lengths(self.params, self.longest_exponent):
            modulus, high = self.modulus(rng), 1 << (length - 1)
            vectors += [(rng.randrange(modulus), exponent, modulus)
                        for exponent in (high, high | rng.getrandbits(length))]
        return vectors

    def telling(self) -> list[Vector]:
        """Exponents of two digits or more, of which the last one is 0 or 1: windows of up to five
        bits read the powers 0 and 1.
        """
        rng = random.Random(f"{self.params!r} telling")
        bits = min(SHORT_EXPONENT_BITS, self.longest_exponent)
        moduli = [self.modulus(rng) for _ in range(4)]
        return [(rng.randrange(modulus), 1 << (bits - 1) | index % 2, modulus)
                for index, modulus in enumerate(moduli)]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        modulus = self.modulus(rng, shorter=shorter)
        bits = rng.randint(1, min(SHORT_EXPONENT_BITS, self.longest_exponent))
        return rng.randrange(modulus), rng.getrandbits(bits), modulus

    def whole(self, rng: random.Random) -> tuple[list[Vector], int]:
        modulus, width = self.modulus(rng), self.params.width
        base = rng.randrange(modulus)
        exponent = rng.getrandbits(width) | 1 << (width - 1)
        return [(base, exponent, modulus)], exponent.bit_length()
