"""Operands of multiplications that are solved for what the algorithm makes of them."""

from __future__ import annotations

import math
import random
from typing import Any

from montgomery.core import results_of

from .base import Vector

__all__ = ["Solved"]

#: How often operands with a property are looked for.
_TRIES = 32
#: Bits of all moduli of digits at the ends of their range, and the fewest and the most of these.
_EXTREME_BITS, _FEWEST_EXTREMES, _MOST_EXTREMES = 6144, 4, 96


def _repeated(bits: int, word: int) -> list[int]:
    """Return numbers of repeated bits and words: ones, one one at either end, every other bit or
    word, and ones but for the lowest word.
    """
    ones = (1 << bits) - 1
    pairs = sum(((1 << word) - 1) << low for low in range(0, bits, 2 * word)) & ones
    return [0, 1, ones, 1 << max(bits - 1, 0), ones // 3, ones - ones // 3, pairs, ones ^ pairs,
            ones ^ (1 << min(word, bits - 1)) - 1]


def _extreme(rng: random.Random, bits: int, word: int) -> int:
    """Return a number whose digits are close to the ends of their range, mostly to the upper one.

    Products of two such digits make long carries at once.
    """
    number = 0
    for low in range(0, bits, word):
        near = rng.randrange(6)
        size = min(word, bits - low)
        number |= (near if rng.random() < 0.25 else ~near) % (1 << size) << low
    return number


class Solved:
    """Solves for operands of a core of multiplications, whose adapter is given."""

    def __init__(self, kind: Any) -> None:
        self._params, self._usable = kind.params, kind.usable

    def operands(self) -> list[Vector]:
        """Return operands for quotients and for results of repeated digits, for the least and the
        largest results, and for products that the modulus divides; numbers of digits close to the
        ends of their range, and of digits whose products end in ones.
        """
        rng = random.Random(f"{self._params!r} solved")
        width = self._params.width
        half, word = width // 2, min(results_of(self._params).width, width)
        top = (1 << width) - 1
        hollow = top ^ (((1 << word) - 1) << half & top >> 1 & ~1)
        vectors: list[Vector] = []
        for modulus in dict.fromkeys(map(self._usable, (top, hollow))):
            bits = self._params.r.bit_length() - 1
            for quotient in _repeated(bits, word) if self._r_is_power else ():
                vectors.append(self._giving_quotient(rng, quotient, modulus))
            for result in (1, modulus - 1, self._params.r % modulus,
                           *(number % modulus
                             for number in _repeated(self._params.width - 1, word))):
                vectors += self._giving_result(rng, result, modulus)
        for _ in range(_TRIES):
            left, right = (rng.getrandbits(bits) | 1 << (bits - 1) | 1
                           for bits in (self._params.width - half, half))
            modulus = left * right
            if 1 not in (left, right) and self._usable(modulus) == modulus:
                vectors += [(left * rng.randrange(1, right), right * rng.randrange(1, left),
                             modulus) for _ in range(3)]
                break
        vectors += self._giving_ones(rng, word)
        count = min(max(_EXTREME_BITS // self._params.width, _FEWEST_EXTREMES), _MOST_EXTREMES)
        for index in range(count):
            modulus = self._usable(_extreme(rng, self._params.width, word) | 3)
            if index % 2 and self._r_is_power:
                quotient = _extreme(rng, self._params.r.bit_length() - 1, word)
                vectors.append(self._giving_quotient(rng, quotient, modulus))
            else:
                bound = self._params.bound(modulus)
                vectors.append((*(_extreme(rng, (bound - 1).bit_length(), word) % bound
                                  for _ in range(2)), modulus))
        return vectors

    def _giving_ones(self, rng: random.Random, word: int) -> list[Vector]:
        """Return operands of which one digit times each of another number ends in ones.

        The first digit of x and all of y, or of y and all of x; or all of the quotient and of the
        modulus. What is added to such a product carries through all of its lower half.
        """
        base = 1 << word
        modulus = self._usable((1 << self._params.width) - 1)
        bound, vectors = self._params.bound(modulus), list[Vector]()

        def digits(digit: int, bits: int) -> int:
            return sum(digit << low for low in range(0, bits, word)) & ((1 << bits) - 1)

        bits = bound.bit_length() - 1
        for _ in range(2):
            first = rng.randrange(1, base, 2)
            one = (rng.randrange(bound) >> word << word | first) % (1 << bits)
            other = digits(-pow(first, -1, base) % base, bits)
            vectors += [(one, other, modulus), (other, one, modulus)]
            if self._r_is_power:
                divisor = self._usable(digits(-pow(first, -1, base) % base, self._params.width) | 3)
                vectors.append(self._giving_quotient(
                    rng, digits(first, self._params.r.bit_length() - 1), divisor))
        return vectors

    def _giving_quotient(self, rng: random.Random, quotient: int, modulus: int) -> Vector:
        """Return operands whose quotient is a number: x y + quotient modulus is a multiple of R.

        Where x would be too large, the lower bits of the quotient are those of the number.
        """
        bound = self._params.bound(modulus)
        for _ in range(_TRIES):
            y = rng.randrange(1, bound, 2)
            x = -quotient * self._multiple(modulus) * pow(y, -1, self._params.r) % self._params.r
            if x < bound:
                break
        else:
            x %= 1 << (bound.bit_length() - 1)
        return x, y, modulus

    def _giving_result(self, rng: random.Random, result: int, modulus: int) -> list[Vector]:
        """Return up to one pair of operands: the product is congruent to the result."""
        for _ in range(_TRIES):
            x = rng.randrange(1, modulus)
            if math.gcd(x, modulus) == 1:
                return [(x, result * self._params.r * pow(x, -1, modulus) % modulus, modulus)]
        return []

    def _multiple(self, modulus: int) -> int:
        """Return the multiple of the modulus that the quotient is multiplied by."""
        names = self._params.key_operands.named({"modulus": modulus})
        return modulus * names.get("s", 1)

    @property
    def _r_is_power(self) -> bool:
        # Without R there is no quotient.
        return self._params.r > 1 and self._params.r & (self._params.r - 1) == 0
