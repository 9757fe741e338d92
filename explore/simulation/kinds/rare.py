"""Numbers that random ones hardly ever are: by their digits, and where words and moduli end."""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["around", "by_one_bit", "halved", "places", "recoded", "root"]


def root(square: int, p: int) -> int | None:
    """Return a square root modulo a prime that is not 1 modulo 8; None if there is none."""
    found = pow(square, (p + 1) // 4 if p % 4 == 3 else (p + 3) // 8, p)
    for each in (found, found * pow(2, (p - 1) // 4, p) % p):
        if each * each % p == square % p:
            return each
    return None


def places(bits: int, word: int, every: int = 1) -> list[int]:
    """Return the places of the lowest bits and of the highest ones of all words of a number, or of
    every so many of these.
    """
    return sorted({place for low in range(0, bits, word)
                   for place in (low, min(low + word, bits) - 1)})[::every]


def around(limit: int, bits: int, word: int, every: int = 1) -> list[int]:
    """Return numbers of so many bits that are a power of two or three times one, that differ by one
    from a limit or from 2**bits, and runs of ones between the ends of words.
    """
    ends = places(bits, word, every)
    found = [number for end in ends for number in (
        1 << end, 3 << end, limit - (1 << end), limit + (1 << end), (1 << bits) - (1 << end))]
    found += [(1 << high + 1) - (1 << low) for low, high in zip(ends, ends[3:], strict=False)]
    return [each for each in dict.fromkeys(found) if 0 <= each < 1 << bits]


def by_one_bit(limit: int, bits: int, word: int) -> Iterator[tuple[int, int, int]]:
    """Yield differences from a limit whose sign one bit decides where words are compared.

    In the highest word that is another one than that of the limit, the bit of weight 2**place alone
    is another one; the words below, without it, would say the opposite. Each bit of a word and each
    word but the lowest one are among them, for numbers above the limit (sign 1) and for numbers
    below it (sign -1). The difference is 2**place - d for any d from 1 to the last value.
    """
    for sign in (1, -1):
        left = {("word", index) for index in range(1, -(-bits // word))}
        left |= {("bit", index) for index in range(word)}
        for place in range(word, bits):
            below = (1 << place // word * word) - 1
            most = limit & below if sign == 1 else below - (limit & below)
            shown = {("word", place // word), ("bit", place % word)} & left
            if (limit >> place & 1) == (sign < 0) and most and shown:
                left -= shown
                yield sign, place, most


def recoded(bits: int, window: int, *, everywhere: bool) -> Iterator[int]:
    """Yield scalars among whose digits is each value that there is, ``everywhere`` or at any place.

    Digits are signed: of as many bits as a window has, of which the highest counts as negative, and
    of the bit below, which counts as one.
    """
    rng = random.Random(f"{bits} {window}")
    half = 1 << window - 1
    count = bits // window
    every = range(-half, half + 1)
    # Below the lowest digit there is no bit.
    left = [rng.sample(every[:-1] if place == 0 else every, 2 * half + (place > 0))
            for place in range(count)]
    if not everywhere:
        left = [left[-1]] * count
    while any(left):
        scalar, below = rng.getrandbits(bits) >> count * window << count * window, 0
        for place, wanted in enumerate(left):
            fitting = [value for value in wanted if -half <= value - below < half]
            digit = rng.randrange(-half, half)
            if fitting:
                wanted.remove(fitting[0])
                digit = fitting[0] - below
            scalar |= digit % (2 * half) << place * window
            below = int(digit < 0)
        yield scalar


def halved(n: int) -> Iterator[int]:
    """Yield scalars for a curve of the form y² = x³ + b, modulo a prime order n.

    Such a scalar may be taken in two halves, k + l m, where m² + m + 1 is 0 modulo n. Digits of the
    halves have all values, and pairs of halves are at the corners of all pairs that there are.
    """
    cube = next(found for base in range(2, n) if (found := pow(base, (n - 1) // 3, n)) != 1)
    bits = n.bit_length() // 2
    # Two short pairs that give 0, by Euclid's algorithm.
    rows = [(n, 0), (cube, 1)]
    while rows[-1][0] >> bits:
        (a, b), (c, d) = rows[-2:]
        rows.append((a % c, b - a // c * d))
    (a, b), (c, d) = (rows[-1][0], -rows[-1][1]), (rows[-2][0], -rows[-2][1])
    corners = [((i * a + j * c) // 2 + more, (i * b + j * d) // 2 + more)
               for i in (-1, 1) for j in (-1, 1) for more in (-1, 0, 1)]
    numbers = [scalar for window in (4, 5) for scalar in
               recoded(bits - 2, window, everywhere=True)]
    pairs = [(first * sign, second) for sign in (1, -1)
             for first, second in zip(numbers, [-each for each in numbers[::-1]], strict=True)]
    for first, second in [*corners, *pairs]:
        yield (first + cube * second) % n
