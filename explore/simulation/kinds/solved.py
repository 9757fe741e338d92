"""Operands of multiplications that are solved for what the algorithm makes of them."""

from __future__ import annotations

import math
import random
from typing import Any

from montgomery.core import results_of

from .base import Vector

__all__ = ["solved"]

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


def solved(kind: Any) -> list[Vector]:
    """Return operands of a core of multiplications, whose adapter is given.

    They give quotients and results of repeated digits, the least and the largest results, and
    products that the modulus divides; or are numbers of digits close to the ends of their range,
    and of digits whose products end in ones.
    """
    params, usable = kind.params, kind.usable
    rng = random.Random(f"{params!r} solved")
    width, has_quotient = params.width, _has_quotient(params)
    half, word = width // 2, min(results_of(params).width, width)
    top = (1 << width) - 1
    hollow = top ^ (((1 << word) - 1) << half & top >> 1 & ~1)
    vectors: list[Vector] = []
    for modulus in dict.fromkeys(map(usable, (top, hollow))):
        bits = params.r.bit_length() - 1
        for quotient in _repeated(bits, word) if has_quotient else ():
            vectors.append(_giving_quotient(params, rng, quotient, modulus))
        for result in (1, modulus - 1, params.r % modulus,
                       *(number % modulus for number in _repeated(width - 1, word))):
            vectors += _giving_result(params, rng, result, modulus)
    for _ in range(_TRIES):
        left, right = (rng.getrandbits(bits) | 1 << (bits - 1) | 1
                       for bits in (width - half, half))
        modulus = left * right
        if 1 not in (left, right) and usable(modulus) == modulus:
            vectors += [(left * rng.randrange(1, right), right * rng.randrange(1, left), modulus)
                        for _ in range(3)]
            break
    vectors += _giving_ones(kind, rng, word)
    for index in range(min(max(_EXTREME_BITS // width, _FEWEST_EXTREMES), _MOST_EXTREMES)):
        modulus = usable(_extreme(rng, width, word) | 3)
        if index % 2 and has_quotient:
            quotient = _extreme(rng, params.r.bit_length() - 1, word)
            vectors.append(_giving_quotient(params, rng, quotient, modulus))
        else:
            bound = params.bound(modulus)
            vectors.append((*(_extreme(rng, (bound - 1).bit_length(), word) % bound
                              for _ in range(2)), modulus))
    return vectors


def _giving_ones(kind: Any, rng: random.Random, word: int) -> list[Vector]:
    """Return operands of which one digit times each of another number ends in ones.

    The first digit of x and all of y, or of y and all of x; or all of the quotient and of the
    modulus. What is added to such a product carries through all of its lower half.
    """
    params, base = kind.params, 1 << word
    modulus = kind.usable((1 << params.width) - 1)
    bound, vectors = params.bound(modulus), list[Vector]()

    def digits(digit: int, bits: int) -> int:
        return sum(digit << low for low in range(0, bits, word)) & ((1 << bits) - 1)

    bits = bound.bit_length() - 1
    for _ in range(2):
        first = rng.randrange(1, base, 2)
        one = (rng.randrange(bound) >> word << word | first) % (1 << bits)
        last = -pow(first, -1, base) % base
        other = digits(last, bits)
        vectors += [(one, other, modulus), (other, one, modulus)]
        if _has_quotient(params):
            vectors.append(_giving_quotient(
                params, rng, digits(first, params.r.bit_length() - 1),
                kind.usable(digits(last, params.width) | 3)))
    return vectors


def _giving_quotient(params: Any, rng: random.Random, quotient: int, modulus: int) -> Vector:
    """Return operands whose quotient is a number: x y + quotient modulus is a multiple of R.

    Where x would be too large, the lower bits of the quotient are those of the number.
    """
    bound = params.bound(modulus)
    # The quotient is multiplied by this multiple of the modulus.
    multiple = modulus * params.key_operands.named({"modulus": modulus}).get("s", 1)
    for _ in range(_TRIES):
        y = rng.randrange(1, bound, 2)
        x = -quotient * multiple * pow(y, -1, params.r) % params.r
        if x < bound:
            break
    else:
        x %= 1 << (bound.bit_length() - 1)
    return x, y, modulus


def _giving_result(params: Any, rng: random.Random, result: int, modulus: int) -> list[Vector]:
    """Return up to one pair of operands: the product is congruent to the result."""
    for _ in range(_TRIES):
        x = rng.randrange(1, modulus)
        if math.gcd(x, modulus) == 1:
            return [(x, result * params.r * pow(x, -1, modulus) % modulus, modulus)]
    return []


def _has_quotient(params: Any) -> bool:
    # Without R there is none.
    return params.r > 1 and params.r & (params.r - 1) == 0
