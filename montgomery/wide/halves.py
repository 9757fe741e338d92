"""Scalars for secp256k1 in two halves: how they are computed, column by column.

Gallant, Lambert, Vanstone: Faster point multiplication on elliptic curves with efficient
endomorphisms, CRYPTO 2001. With (x, y) also (beta x, y) is a point of the curve: its multiple by
lambda. So a scalar may be any two halves, k = first + lambda second modulo the order n, and there
are such with hardly more than half of the bits.
"""

import dataclasses

from ..curves import CURVES
from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import WINDOW, signed_digits

__all__ = ["BETA", "BITS", "FIRST", "LAMBDA", "SECOND", "WORDS", "Step", "half_digits", "halves",
           "steps"]

#: By which first coordinates are multiplied, and points.
BETA = 0x7AE96A2B657C07106E64479EAC3434E99CF0497512F58995C1396C28719501EE
LAMBDA = 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72

#: Bits of a half, as windows have them; the highest one is its sign.
BITS = 26 * WINDOW
#: Words of a half.
WORDS = 9

#: Two short pairs of numbers a, b with a + lambda b = 0 modulo n.
_SHORT = ((0x3086D221A7D46BCDE86C90E49284EB15, -0xE4437ED6010E88286F547FA90ABFE4C3),
          (0x114CA50F7A8E2F3F657C1108D9D44CFD8, 0x3086D221A7D46BCDE86C90E49284EB15))
#: A number times what the scalar is over n is found from the columns of words from ``_COLUMN`` on,
#: of which those below ``_COLUMN + _GUARD`` only give carries. It has so many words.
_COLUMN, _GUARD, _QUOTIENT = DIGITS - 1, 2, 8

#: Where words are: the scalar, for each of the two numbers ``_GUARD`` useless ones and
#: ``_QUOTIENT`` others, and the halves, times 2, each with ``_REST`` words that are carried out.
_QUOTIENTS = tuple(DIGITS + turn * (_GUARD + _QUOTIENT) + _GUARD for turn in range(2))
_REST = 2
FIRST = DIGITS + 2 * (_GUARD + _QUOTIENT)
SECOND = FIRST + WORDS + _REST


@dataclasses.dataclass(frozen=True)
class Step:
    """A product of two words.

    Attributes
    ----------
    source : :class:`int`
        Where the first word is.
    factor : :class:`int`
        The second word.
    ends : :class:`bool`
        The column is complete: its lowest word goes to the next place, and the rest is carried.
    """

    source: int
    factor: int
    ends: bool


def _words(number, count):
    return [number >> BASE * place & (1 << BASE) - 1 for place in range(count)]


def steps():
    """Return the list of :class:`Step` by which a scalar is divided.

    The scalar k is (k, 0) as a pair. Its coordinates for the short pairs are k b / n and -k b / n,
    with b of the other pair. Those are rounded down, and the multiples of the pairs subtracted.
    """
    n, columns = CURVES["secp256k1"].n, []
    for b in (_SHORT[1][1], -_SHORT[0][1]):
        of_scalar = _words((b << BASE * (_COLUMN + _GUARD)) // n, WORDS)
        columns += [[(column - place, word) for place, word in enumerate(of_scalar)
                     if 0 <= column - place < DIGITS] or [(0, 0)]
                    for column in range(_COLUMN, _COLUMN + _GUARD + _QUOTIENT)]
    for half in range(2):
        multiples = [_words(-2 * pair[half], WORDS) for pair in _SHORT]
        for column in range(WORDS):
            products = [] if half else [(column, 2)]
            for first, words in zip(_QUOTIENTS, multiples, strict=True):
                products += [(first + place, words[column - place])
                             for place in range(min(column + 1, _QUOTIENT))]
            columns.append(products)
        columns += [[(0, 0)]] * _REST
    return [Step(source, factor, place == len(column) - 1) for column in columns
            for place, (source, factor) in enumerate(column)]


def halves(scalar):
    """Return the halves of a scalar below 2**256, by the steps of the hardware."""
    memory, total = _words(scalar, DIGITS), 0
    for step in steps():
        total += memory[step.source] * step.factor
        if step.ends:
            memory.append(total & (1 << BASE) - 1)
            total >>= BASE
    found = []
    for first in (FIRST, SECOND):
        twice = sum(word << BASE * place for place, word in enumerate(memory[first:first + WORDS]))
        found.append((twice >> 1) - (twice >> BASE * WORDS - 1 << BASE * WORDS - 1))
    return found


def half_digits(scalar):
    """Return the digits of the halves of a scalar by turns, the highest first: pairs of the
    magnitude and whether it is negative.
    """
    rows = [signed_digits(half, BITS) for half in halves(scalar)]
    return [(abs(digit), digit < 0) for pair in zip(*rows, strict=True) for digit in pair]
